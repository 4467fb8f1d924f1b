import { currentContext } from '../core/context.ts'
import type { FieldErrors } from '../core/errors.ts'
import { nearest } from '../core/suggestion.ts'
import { REQUIRED } from '../kinds/schema-parts.ts'
import type { ModelSerializer } from './model-serializer.ts'
import { isObject } from './relation-schema.ts'
import { writableFields } from './writable-fields.ts'

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

const known = new WeakMap<ModelSerializer, KnownNames>()

function knownNames(serializer: ModelSerializer): KnownNames {
  let of = known.get(serializer)
  if (!of) {
    const names = new Set([serializer.info.primaryKey.wire, ...serializer.fields.map(({ wire }) => wire)])
    of = { names, writable: writableFields(serializer).fields.map(({ wire }) => wire), logged: new Set() }
    known.set(serializer, of)
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
export function logIgnoredKeys(serializer: ModelSerializer, input: unknown): void {
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
export function explainMissing(serializer: ModelSerializer, input: unknown, errors: FieldErrors): void {
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
