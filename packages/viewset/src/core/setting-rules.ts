import { isClass } from './is-class.ts'

/**
 * What the value of a setting must be, so that no request stumbles over it. A mixin or a filter declares one for each of
 * its settings; the type of the setting stands in `MixinTypes` or `FilterTypes`.
 */
export interface SettingRule<Shared extends boolean = boolean> {
  accepts(value: unknown): boolean
  /** What the value must be, as the end of a sentence: `must be true or false`. */
  readonly expected: string
  /** Whether it means the same for every model: then a kind of ViewSet can have a default for it (`with`). */
  readonly shared: Shared
  /** Said to a resource that lacks it, where one has to have it: what to write. */
  readonly required?: string
  /** The condition on the resource's records that a value has, which is asked once when the resource is registered. */
  conditionOf?(value: unknown): unknown
}

/** Rules by the names of the settings. */
export type SettingRules = Readonly<Record<string, SettingRule>>

function rule(accepts: (value: unknown) => boolean, expected: string): SettingRule<false> {
  return { accepts, expected, shared: false }
}

const isFunction = (value: unknown) => typeof value === 'function'
const isObject = (value: unknown) => typeof value === 'object' && value !== null

/** Whether a value is a permission, a class of permissions, or just the question that one asks. */
function isPermission(value: unknown): boolean {
  if (!isClass(value)) return isFunction(value) || hasQuestion(value)
  // One that is a property, only an object of the class has.
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

const isPermissions = (value: unknown) => Array.isArray(value) && value.every(isPermission)

/**
 * The rules that most settings have.
 *
 * @example
 * settings: { touchAnswer: setting.text, touchLimit: shared(setting.wholeNumber) }
 */
export const setting = {
  boolean: rule(value => typeof value === 'boolean', 'must be true or false'),
  text: rule(value => typeof value === 'string', 'must be a text'),
  /** Above 0. */
  wholeNumber: rule(value => Number.isSafeInteger(value) && Number(value) > 0, 'must be a whole number above 0'),
  /** One field or path, or several. */
  names: rule(value => [value].flat().every(name => typeof name === 'string'), 'must be a name or a list of names'),
  function: rule(isFunction, 'must be a function'),
  object: rule(value => isObject(value) && !Array.isArray(value), 'must be an object'),
  /** Looked at by whoever declares it. */
  any: rule(value => value !== null, 'must not be null'),
  list: rule(Array.isArray, 'must be a list'),
  /** A function of the view that returns a condition on the resource's records. */
  condition: {
    ...rule(isFunction, 'must be a function that returns a condition'),
    conditionOf: (value: unknown) => value,
  },
  /** Classes, instances or functions of the view. */
  permissions: rule(
    isPermissions,
    'must be a list of permissions: objects or classes with hasPermission, or functions of the view',
  ),
  /** Whether one may, or who may. */
  permission: rule(value => typeof value === 'boolean' || isPermission(value), 'must be true, false or a permission'),
  /** Statuses of refusals, and what they mean. */
  refusals: rule(isRefusals, "must say what statuses from 400 to 599 mean, as in { 429: 'Too many requests.' }"),
  /** A Zod schema. */
  schema: rule(
    value => isFunction((value as { safeParse?: unknown } | null | undefined)?.safeParse),
    'must be a Zod schema',
  ),
  oneOf(...values: readonly (string | number)[]): SettingRule<false> {
    const shown = values.map(value => (typeof value === 'string' ? `'${value}'` : String(value)))
    const last = shown.pop()
    return rule(
      value => values.some(known => known === value),
      `must be ${[shown.join(', '), last].filter(Boolean).join(' or ')}`,
    )
  },
} as const

/** The rule for a setting that means the same for every model, so that `with` takes a default for it. */
export function shared(of: SettingRule): SettingRule<true> {
  return { ...of, shared: true }
}

/** The rule for a setting that a resource has to have; `remedy` says what to write: `name the fields`. */
export function required(of: SettingRule<false>, remedy: string): SettingRule<false> {
  return { ...of, required: remedy }
}
