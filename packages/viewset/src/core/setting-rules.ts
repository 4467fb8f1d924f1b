import { ConfigError, shown } from './config-error.ts'
import { suggestion } from './suggestion.ts'

/**
 * The rule for the value of a setting, checked at start. A mixin or a filter declares one for each of its settings. The
 * setting's type stands in `MixinTypes` or `FilterTypes`.
 */
export interface SettingRule<Shared extends boolean = boolean> {
  accepts(value: unknown): boolean
  readonly expected: string
  /** Whether the value has the same meaning for every model. Only such a setting can get a default with `with`. */
  readonly shared: Shared
  /** For a required setting: the sentence that says what to write. */
  readonly required?: string
  /** More about a wrong value, such as its wrong item: `; item 2 is undefined`. */
  explain?(value: unknown): string
  /** The condition on the resource's records that a value stands for. Called once, at registration. */
  conditionOf?(value: unknown): unknown
}

/** Rules by the names of the settings. */
export type SettingRules = Readonly<Record<string, SettingRule>>

export function rule(accepts: (value: unknown) => boolean, expected: string): SettingRule<false> {
  return { accepts, expected, shared: false }
}

export const unchecked = rule(() => true, '')

const isFunction = (value: unknown) => typeof value === 'function'
const isObject = (value: unknown) => typeof value === 'object' && value !== null

function isPermission(value: unknown): boolean {
  if (!isClass(value)) return isFunction(value) || hasQuestion(value)
  // A method that is an arrow-function property exists only on instances.
  return hasQuestion(value.prototype) || hasQuestion(new value())
}

function hasQuestion(value: unknown): boolean {
  return isObject(value) && isFunction((value as { hasPermission?: unknown }).hasPermission)
}

function isRefusals(value: unknown): boolean {
  if (!isObject(value) || Array.isArray(value)) return false
  return Object.entries(value as object).every(
    ([status, meaning]) => /^[45]\d\d$/.test(status) && typeof meaning === 'string',
  )
}

export const IN_BRACKETS = 'put the permission in brackets, as in [IsAuthenticated]'

/** The first item that is no permission. */
function explainPermissions(value: unknown): string {
  if (!Array.isArray(value)) return isPermission(value) ? `; ${IN_BRACKETS}` : ''
  const at = value.findIndex(item => !isPermission(item))
  if (at === -1) return ''
  const item: unknown = value[at]
  return `; item ${at + 1} is ${isClass(item) ? `the class ${item.name} without hasPermission` : shown(item)}`
}

/** Objects are not shown: they may hold a secret. */
function notThis(value: unknown): string {
  if (typeof value === 'string') return `, not "${value}"`
  return typeof value === 'number' || typeof value === 'boolean' ? `, not ${value}` : ''
}

const isPermissions = (value: unknown) => Array.isArray(value) && value.every(isPermission)

/**
 * The rules of most settings.
 *
 * @example
 * settings: { touchAnswer: setting.text, touchLimit: shared(setting.wholeNumber) }
 */
export const setting = {
  boolean: { ...rule(value => typeof value === 'boolean', 'must be true or false'), explain: notThis },
  text: rule(value => typeof value === 'string', 'must be a text'),
  /** Above 0. */
  wholeNumber: {
    ...rule(value => Number.isSafeInteger(value) && Number(value) > 0, 'must be a whole number above 0'),
    explain: notThis,
  },
  /** One field or path, or several. */
  names: rule(value => [value].flat().every(name => typeof name === 'string'), 'must be a name or a list of names'),
  function: rule(isFunction, 'must be a function'),
  object: rule(value => isObject(value) && !Array.isArray(value), 'must be an object'),
  /** For a mixin that checks the value itself. */
  any: rule(value => value !== null, 'must not be null'),
  list: rule(Array.isArray, 'must be a list'),
  /** A function of the view that returns a condition on the resource's records. */
  condition: {
    ...rule(isFunction, 'must be a function that returns a condition'),
    conditionOf: (value: unknown) => value,
  },
  /** Classes, instances or functions of the view. */
  permissions: {
    ...rule(
      isPermissions,
      'must be a list of permissions: objects or classes with hasPermission, or functions of the view',
    ),
    explain: explainPermissions,
  },
  /** Whether every user may, or the permission that decides. */
  permission: rule(value => typeof value === 'boolean' || isPermission(value), 'must be true, false or a permission'),
  /** Statuses of errors, and their meaning. */
  refusals: rule(isRefusals, "must say what statuses from 400 to 599 mean, as in { 429: 'Too many requests.' }"),
  schema: rule(
    value => isFunction((value as { safeParse?: unknown } | null | undefined)?.safeParse),
    'must be a Zod schema',
  ),
  oneOf(...values: readonly (string | number)[]): SettingRule<false> {
    const shown = values.map(value => (typeof value === 'string' ? `'${value}'` : String(value)))
    const last = shown.pop()
    const expected = `must be ${[shown.join(', '), last].filter(Boolean).join(' or ')}`
    return { ...rule(value => values.some(known => known === value), expected), explain: notThis }
  },
} as const

/** Marks a rule as having the same meaning for every model, so that `with` accepts a default for the setting. */
export function shared(of: SettingRule): SettingRule<true> {
  return { ...of, shared: true }
}

/** Marks a setting as required. `remedy` says what to write: `name the fields`. */
export function required(of: SettingRule<false>, remedy: string): SettingRule<false> {
  return { ...of, required: remedy }
}

/**
 * @param at the place of the names, such as `models.cities`. Default: the options themselves.
 * @throws ConfigError for the first unknown name, with a suggestion.
 */
export function refuseUnknown(
  subject: string,
  what: 'option' | 'setting',
  names: readonly string[],
  known: readonly string[],
  at = '',
): void {
  const stranger = names.find(name => !known.includes(name))
  if (stranger === undefined) return
  const key = at === '' ? stranger : `${at}.${stranger}`
  throw new ConfigError(subject, key, `unknown ${what}${suggestion(stranger, known)}`)
}

/** @throws ConfigError for the first unknown option, wrong value or missing option. */
export function checkOptions(
  subject: string,
  rules: SettingRules,
  options: object,
  what: 'option' | 'setting' = 'option',
): void {
  if (typeof options !== 'object' || options === null) {
    throw new ConfigError(subject, 'options', `must be an object, not ${shown(options)}`)
  }
  refuseUnknown(subject, what, Object.keys(options), Object.keys(rules))
  for (const [name, rule] of Object.entries(rules)) {
    const value: unknown = Reflect.get(options, name)
    if (value === undefined ? !rule.required : rule.accepts(value)) continue
    throw new ConfigError(subject, name, valueProblem(rule, value))
  }
}

/** @throws ConfigError unless the value is a whole number in the range. */
export function checkNumber(subject: string, option: string, value: unknown, least: number, most: number): void {
  if (Number.isInteger(value) && Number(value) >= least && Number(value) <= most) return
  const given = typeof value === 'string' ? `"${value}"` : String(value)
  throw new ConfigError(subject, option, `must be a whole number from ${least} to ${most}, not ${given}`)
}

function valueProblem(rule: SettingRule, value: unknown): string {
  if (value === undefined || value === null) return rule.required ? `is required; ${rule.required}` : rule.expected
  return rule.required && rule.expected ? `${rule.expected}; ${rule.required}` : problemOf(rule, value)
}

/** The text about a value that a rule does not accept. */
export function problemOf(rule: SettingRule, value: unknown): string {
  return `${rule.expected}${rule.explain?.(value) ?? ''}`
}

/** Whether a value is a class. Of all functions, only a class has a `prototype` that is not writable. */
export function isClass(value: unknown): value is new (...args: never[]) => unknown {
  return typeof value === 'function' && Object.getOwnPropertyDescriptor(value, 'prototype')?.writable === false
}

const owners = new Map<string, { readonly name: string; readonly isFoundation: boolean }[]>()

/**
 * Notes which mixin reads these settings. The error of a resource without the mixin can then name it. A foundation is
 * named only if no other mixin reads the setting.
 */
export function claimSettings(name: string, settings: SettingRules, isFoundation: boolean): void {
  for (const setting of Object.keys(settings)) {
    owners.set(setting, [...(owners.get(setting) ?? []), { name, isFoundation }])
  }
}

export function settingOwner(setting: string): string | undefined {
  const known = owners.get(setting) ?? []
  const named = known.some(({ isFoundation }) => !isFoundation) ? known.filter(owner => !owner.isFoundation) : known
  if (named.length === 0) return undefined
  // The single-record mixin first, because it is usually meant.
  return named
    .map(({ name }) => name)
    .toSorted((a, b) => a.length - b.length)
    .join(' or ')
}
