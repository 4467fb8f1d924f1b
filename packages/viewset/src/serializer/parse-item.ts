import type * as z from 'zod'
import { currentContext } from '../core/context.ts'
import { type FieldErrors, NON_FIELD_ERRORS } from '../core/errors.ts'
import { nearest } from '../core/suggestion.ts'
import type { ReadContext } from '../kinds/kind.ts'
import { describeInput, drfMessage, REQUIRED } from '../kinds/schema-parts.ts'
import type { Values } from '../store/write/write.ts'
import { isWritable, type ManyField, type StoredField } from './fields.ts'
import type { SubmittedItem, ValidatedItem } from './item.ts'
import type { ModelSerializer } from './model-serializer.ts'
import { isObject } from './relation-schema.ts'

/** How an item is read. */
export interface ParseOptions {
  /** PATCH: no field is required. */
  readonly partial?: boolean
  /** Values that no client has a say in. */
  readonly fixed?: Values | undefined
  readonly context: ReadContext
}

/**
 * Reads each field of an item by itself. Unknown and read-only fields are ignored (CONTRACT, "Writing"), and so are
 * those whose values are `fixed`.
 */
export function parseItem(
  fields: readonly (StoredField | ManyField)[],
  item: SubmittedItem,
  options: ParseOptions,
): ValidatedItem {
  const { partial = false, fixed, context } = options
  const entry = new ParsedItem(item)
  const { values, errors } = entry
  const { input } = item
  if (typeof input !== 'object' || input === null || Array.isArray(input)) {
    errors[NON_FIELD_ERRORS] = [`Invalid data. Expected an object, but got ${describeInput(input)}.`]
    return entry
  }
  for (const { wire, valueKey, schema, plainCheck, required } of fields) {
    if (fixed && valueKey in fixed) continue
    const given = Object.hasOwn(input, wire) ? (input as Values)[wire] : undefined
    if (given === undefined && (partial || !required)) continue
    if (plainCheck?.(given)) {
      values[valueKey] = given
      continue
    }
    const result = schema(context).safeParse(given, { error: drfMessage })
    if (result.success) values[valueKey] = result.data
    else Object.assign(errors, messagesOf(wire, result.error.issues))
  }
  return entry
}

/** Which fields of a serializer an item may have: those of a new record, or those of one that exists. */
export type ItemFields = 'fields' | 'changeable'

/** Reads an item by what a client may write through a serializer, and helps with keys that it has no field for. */
export function readItem(
  serializer: ModelSerializer,
  which: ItemFields,
  item: SubmittedItem,
  options: ParseOptions,
): ValidatedItem {
  logIgnoredKeys(serializer, item.input)
  const entry = parseItem(writableFields(serializer)[which], item, options)
  explainMissing(serializer, item.input, entry.errors)
  return entry
}

/** Messages by dotted path: `"tags.2"` is the third of a list. */
function messagesOf(wire: string, issues: readonly z.core.$ZodIssue[]): FieldErrors {
  const errors: FieldErrors = {}
  for (const { path, message } of issues) {
    const name = [wire, ...path].join('.')
    errors[name] = [...new Set([...(errors[name] ?? []), message])]
  }
  return errors
}

/** A validated new record together with what no client has a say in. */
export function withFixed(entry: ValidatedItem, fixed: Values | undefined): ValidatedItem {
  Object.assign(entry.values, fixed)
  return entry
}

class ParsedItem implements ValidatedItem {
  readonly values: Record<string, unknown> = {}
  readonly errors: FieldErrors
  readonly #item: SubmittedItem

  constructor(item: SubmittedItem) {
    this.#item = item
    this.errors = { ...item.errors }
  }

  get key(): unknown {
    return this.#item.key
  }

  get record(): Values | undefined {
    return this.#item.record
  }
}

/** The fields of a serializer that a client may write. */
interface WritableFields {
  readonly fields: readonly (StoredField | ManyField)[]
  /** Those that are kept in a column. */
  readonly stored: readonly StoredField[]
  /** Those of a record that exists: its primary key is what it is found by. */
  readonly changeable: readonly (StoredField | ManyField)[]
}

const known = new WeakMap<ModelSerializer, WritableFields>()

/** What a client may write, worked out once for a serializer. */
export function writableFields(serializer: ModelSerializer): WritableFields {
  let writable = known.get(serializer)
  if (!writable) {
    const fields = serializer.fields.filter(isWritable)
    const stored = fields.filter(field => field.kind === 'stored')
    const changeable = fields.filter(field => field.kind === 'many' || !field.column.primaryKey)
    writable = { fields, stored, changeable }
    known.set(serializer, writable)
  }
  return writable
}

/** Keys of an item that are looked at: a client may send very many. */
const MOST_KEYS = 10
/** Characters of a key that are compared and shown. */
const LONGEST = 60
/** Suggestions in the message of one answer. */
const MOST_SUGGESTED = 3
/** Keys that are logged of one serializer. */
const MOST_LOGGED = 100

interface KnownNames {
  /** Keys that are no mistake, though a client may not write all of them. */
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

/** The first keys of an input that no field has. Those that begin with `_` are meant for others. */
function ignoredKeys({ names }: KnownNames, input: object): readonly string[] {
  const found: string[] = []
  for (const key in input) {
    if (names.has(key) || key.startsWith('_')) continue
    found.push(key)
    if (found.length === MOST_KEYS) break
  }
  return found
}

/** The field that an ignored key was probably meant for, among those that the input does not have. */
function meantBy(key: string, input: object, fields: readonly string[]): string | undefined {
  return nearest(
    key.slice(0, LONGEST),
    fields.filter(field => !Object.hasOwn(input, field)),
  )
}

/** In development, logs each key once that a client sent and no field reads. */
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

/** Adds to the errors of fields that are missing which key was sent in their place. */
function explainMissing(serializer: ModelSerializer, input: unknown, errors: FieldErrors): void {
  if (!isObject(input)) return
  const missing = Object.keys(errors).filter(field => errors[field]?.[0] === REQUIRED)
  if (missing.length === 0) return
  for (const key of ignoredKeys(knownNames(serializer), input)) {
    const field = meantBy(key, input, missing)
    if (field === undefined || errors[field]?.[0] !== REQUIRED) continue
    errors[field] = [`${REQUIRED} "${shown(key)}" was sent; did you mean "${field}"?`]
  }
}

/**
 * What the message of a 400 says of keys that were ignored and resemble a field; `undefined` for nothing. A missing
 * field's own error already says so.
 */
export function ignoredKeysHint(
  serializer: ModelSerializer,
  inputs: readonly unknown[],
  errors: FieldErrors,
): string | undefined {
  const of = knownNames(serializer)
  const explained = new Set(Object.keys(errors).map(path => path.slice(path.lastIndexOf('.') + 1)))
  const fields = of.writable.filter(field => !explained.has(field))
  const hints = new Set<string>()
  for (const input of inputs) {
    if (hints.size >= MOST_SUGGESTED) break
    if (!isObject(input)) continue
    for (const key of ignoredKeys(of, input)) {
      const field = meantBy(key, input, fields)
      if (field !== undefined) hints.add(`"${shown(key)}" was ignored; did you mean "${field}"?`)
    }
  }
  return hints.size === 0 ? undefined : [...hints].slice(0, MOST_SUGGESTED).join(' ')
}

function shown(key: string): string {
  return key.length > LONGEST ? `${key.slice(0, LONGEST)}…` : key
}
