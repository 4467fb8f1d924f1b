import type * as z from 'zod'
import { currentContext, currentScope } from '../core/context.ts'
import { type FieldErrors, NON_FIELD_ERRORS } from '../core/errors.ts'
import { isSame, Message, message, type Text } from '../core/messages/message.ts'
import { nearest } from '../core/suggestion.ts'
import type { ReadContext } from '../kinds/kind.ts'
import { CATALOGUE, jsonType, REQUIRED, textOf } from '../kinds/schema-parts.ts'
import type { Values } from '../store/write/write.ts'
import { isWritable, type StoredField, takesRecords, type WrittenField } from './fields.ts'
import type { ItemOwner, SubmittedItem, ValidatedItem } from './item.ts'
import type { ModelSerializer } from './model-serializer.ts'
import { isObject } from './relations/relation-schema.ts'

export interface ParseOptions {
  readonly partial?: boolean
  readonly fixed?: Values | undefined
  readonly context: ReadContext
}

/** Reads the fields of one item of a body. Unknown, read-only and `fixed` fields are ignored. */
export function parseItem(fields: readonly WrittenField[], item: SubmittedItem, options: ParseOptions): ParsedItem {
  const { partial = false, fixed, context } = options
  const entry = new ParsedItem(item, partial)
  const { values, errors } = entry
  const { input } = item
  const owner = item.owner?.column.key
  if (typeof input !== 'object' || input === null || Array.isArray(input)) {
    errors[NON_FIELD_ERRORS] = [message('not_an_object', { found: jsonType(input) })]
    return entry
  }
  for (const { wire, valueKey, schema, plainCheck, required } of fields) {
    if ((fixed && valueKey in fixed) || valueKey === owner) continue
    const given = Object.hasOwn(input, wire) ? (input as Values)[wire] : undefined
    if (given === undefined && (partial || !required)) continue
    if (plainCheck?.(given)) {
      values[valueKey] = given
      continue
    }
    const result = schema(context).safeParse(given, CATALOGUE)
    if (result.success) values[valueKey] = result.data
    else Object.assign(errors, messagesOf(wire, result.error.issues))
  }
  return entry
}

export type ItemFields = 'fields' | 'changeable'

export function readItem(
  serializer: ModelSerializer,
  which: ItemFields,
  item: SubmittedItem,
  options: ParseOptions,
): ParsedItem {
  logIgnoredKeys(serializer, item.input)
  const entry = parseItem(writableFields(serializer)[which], item, options)
  explainMissing(serializer, item.input, entry.errors)
  return entry
}

/**
 * The items of a request as a first attempt at its write has read them. The validation takes them over, so that each
 * item is parsed once.
 */
export class ReadItems {
  readonly serializer: ModelSerializer
  readonly options: ParseOptions
  readonly #which: ItemFields
  readonly #entries: ParsedItem[] = []

  constructor(serializer: ModelSerializer, which: ItemFields, options: ParseOptions) {
    this.serializer = serializer
    this.options = options
    this.#which = which
  }

  /** The values belong to the validation, too: copy them before you change them. */
  read(input: unknown): ValidatedItem {
    const entry = readItem(this.serializer, this.#which, { input }, this.options)
    this.#entries.push(entry)
    return entry
  }

  /** `undefined` for an item that was not read, or was read in another way. */
  at(
    index: number,
    serializer: ModelSerializer,
    which: ItemFields,
    item: SubmittedItem,
    options: ParseOptions,
  ): ValidatedItem | undefined {
    const entry = this.#entries[index]
    if (!entry || entry.input !== item.input) return undefined
    if (serializer !== this.serializer || which !== this.#which || !readsAlike(options, this.options)) return undefined
    const taken = entry.withItem(item)
    if (item.errors) explainMissing(serializer, item.input, taken.errors)
    return taken
  }
}

function readsAlike(one: ParseOptions, other: ParseOptions): boolean {
  const { fixed = {} } = one
  const { fixed: otherFixed = {} } = other
  return (
    (one.partial ?? false) === (other.partial ?? false) &&
    one.context.timeZone === other.context.timeZone &&
    Object.keys(fixed).every(key => key in otherFixed) &&
    Object.keys(otherFixed).every(key => key in fixed)
  )
}

/** Messages by dotted path: `"tags.2"` is the third item of a list. */
function messagesOf(wire: string, issues: readonly z.core.$ZodIssue[]): FieldErrors {
  const errors: FieldErrors = {}
  for (const issue of issues) {
    const text = textOf(issue)
    const name = [wire, ...issue.path].join('.')
    const texts = errors[name] ?? []
    if (!texts.some(other => isSame(other, text))) errors[name] = [...texts, text]
  }
  return errors
}

export function withFixed(entry: ValidatedItem, fixed: Values | undefined): ValidatedItem {
  Object.assign(entry.values, fixed)
  return entry
}

class ParsedItem implements ValidatedItem {
  readonly values: Record<string, unknown> = {}
  readonly errors: FieldErrors
  readonly partial: boolean
  readonly #item: SubmittedItem

  constructor(item: SubmittedItem, partial: boolean) {
    this.#item = item
    this.partial = partial
    this.errors = { ...item.errors }
  }

  get input(): unknown {
    return this.#item.input
  }

  /** The same values and errors for an item with the same input. */
  withItem(item: SubmittedItem): ParsedItem {
    const entry = new ParsedItem(item, this.partial)
    Object.assign(entry.values, this.values)
    Object.assign(entry.errors, this.errors)
    return entry
  }

  get key(): unknown {
    return this.#item.key
  }

  get owner(): ItemOwner | undefined {
    return this.#item.owner
  }

  get within(): ValidatedItem | undefined {
    return this.#item.within
  }

  get record(): Values | undefined {
    return this.#item.record
  }

  get loaded(): Values | undefined {
    return this.#item.isLazy ? undefined : this.#item.record
  }
}

interface WritableFields {
  readonly fields: readonly WrittenField[]
  readonly stored: readonly StoredField[]
  /** Without the primary key. */
  readonly changeable: readonly WrittenField[]
}

const known = new WeakMap<ModelSerializer, WritableFields>()

export function writableFields(serializer: ModelSerializer): WritableFields {
  let writable = known.get(serializer)
  if (!writable) {
    const fields = serializer.fields.filter(isWritable)
    const stored = fields.filter(field => field.kind === 'stored')
    const changeable = fields.filter(field => field.kind !== 'stored' || !field.column.primaryKey)
    writable = { fields, stored, changeable }
    known.set(serializer, writable)
  }
  return writable
}

const MOST_KEYS = 10
const LONGEST = 60
const MOST_SUGGESTED = 3
const MOST_LOGGED = 100

/** Most items of a request whose unknown keys are compared with the fields: a body of such items would hold the process. */
const MOST_COMPARED = 100
const compared = new WeakMap<object, number>()

function mayCompare(): boolean {
  const scope = currentScope()
  if (!scope) return true
  const count = compared.get(scope) ?? 0
  compared.set(scope, count + 1)
  return count < MOST_COMPARED
}

interface KnownNames {
  /** Known keys, although clients may not write all of them. */
  readonly names: ReadonlySet<string>
  readonly writable: readonly string[]
  readonly logged: Set<string>
}

const namesOf = new WeakMap<ModelSerializer, KnownNames>()

function knownNames(serializer: ModelSerializer): KnownNames {
  let of = namesOf.get(serializer)
  if (!of) {
    const names = new Set([serializer.info.primaryKey.wire, ...serializer.fields.map(({ wire }) => wire)])
    of = { names, writable: writableFields(serializer).fields.map(({ wire }) => wire), logged: new Set() }
    namesOf.set(serializer, of)
  }
  return of
}

/** The first unknown keys of an input. A leading `_` marks keys for other programs. */
function ignoredKeys({ names }: KnownNames, input: object): readonly string[] {
  const found: string[] = []
  for (const key in input) {
    if (names.has(key) || key.startsWith('_')) continue
    found.push(key)
    if (found.length === MOST_KEYS) break
  }
  return found
}

/** The field that an unknown key probably stands for, among those missing in the input. */
function meantBy(key: string, input: object, fields: readonly string[]): string | undefined {
  return nearest(
    key.slice(0, LONGEST),
    fields.filter(field => !Object.hasOwn(input, field)),
  )
}

function logIgnoredKeys(serializer: ModelSerializer, input: unknown): void {
  if (process.env.NODE_ENV === 'production' || !isObject(input)) return
  const of = knownNames(serializer)
  for (const key of ignoredKeys(of, input)) {
    if (of.logged.has(key) || of.logged.size === MOST_LOGGED) continue
    of.logged.add(key)
    const meant = meantBy(key, input, of.writable)
    const problem = `"${shown(key)}" was sent and ignored: the serializer of "${serializer.info.name}" has no such field.`
    const help = meant === undefined ? '' : ` Did you mean "${meant}"?`
    currentContext().log.logWarning(`${problem}${help} This is logged once, and not in production.`)
  }
}

function isMissing([first]: readonly Text[] = []): boolean {
  return first instanceof Message && first.name === REQUIRED.name
}

function explainMissing(serializer: ModelSerializer, input: unknown, errors: FieldErrors): void {
  if (!isObject(input)) return
  const missing = Object.keys(errors).filter(field => isMissing(errors[field]))
  if (missing.length === 0) return
  const keys = ignoredKeys(knownNames(serializer), input)
  if (keys.length === 0 || !mayCompare()) return
  for (const key of keys) {
    const field = meantBy(key, input, missing)
    if (field === undefined || !isMissing(errors[field])) continue
    errors[field] = [message('required.similar', { sent: shown(key), meant: field })]
  }
}

/**
 * Hints about unknown keys that resemble a field, also inside of nested records. The error of a missing field already has
 * it.
 */
export function ignoredKeysHints(
  serializer: ModelSerializer,
  inputs: readonly unknown[],
  errors: FieldErrors,
): readonly Message[] {
  const explained = new Set(Object.keys(errors).map(path => path.slice(path.lastIndexOf('.') + 1)))
  const hints = new Map<string, Message>()
  addHints(serializer, inputs, explained, hints)
  return [...hints.values()].slice(0, MOST_SUGGESTED)
}

function addHints(
  serializer: ModelSerializer,
  inputs: readonly unknown[],
  explained: ReadonlySet<string>,
  hints: Map<string, Message>,
): void {
  const of = knownNames(serializer)
  const fields = of.writable.filter(field => !explained.has(field))
  const objects = inputs.slice(0, MOST_COMPARED).filter(isObject)
  for (const input of objects) {
    if (hints.size >= MOST_SUGGESTED) return
    for (const key of ignoredKeys(of, input)) {
      const field = meantBy(key, input, fields)
      if (field !== undefined) hints.set(`${key} ${field}`, message('ignored', { sent: shown(key), meant: field }))
    }
  }
  for (const field of writableFields(serializer).fields) {
    const nested = nestedSerializer(field)
    const children = nested ? objects.flatMap(input => Reflect.get(input, field.wire) ?? []) : []
    if (nested && children.length > 0) addHints(nested, children, explained, hints)
  }
}

/** The serializer of records that clients write inside of others. */
function nestedSerializer(field: WrittenField): ModelSerializer | undefined {
  if (field.kind === 'many') return takesRecords(field) ? field.serializer : undefined
  const relation = field.kind === 'stored' ? field.relation : null
  return relation?.write === 'data' || relation?.write === 'flexible' ? relation.serializer : undefined
}

function shown(key: string): string {
  return key.length > LONGEST ? `${key.slice(0, LONGEST)}…` : key
}
