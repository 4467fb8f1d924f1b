import type * as z from 'zod'
import { type FieldErrors, NON_FIELD_ERRORS } from '../core/errors.ts'
import type { ReadContext } from '../kinds/kind.ts'
import { describeInput, drfMessage } from '../kinds/schema-parts.ts'
import type { Values } from '../store/write.ts'
import type { ManyField, StoredField } from './fields.ts'
import { explainMissing, logIgnoredKeys } from './ignored-keys.ts'
import type { SubmittedItem, ValidatedItem } from './item.ts'
import type { ModelSerializer } from './model-serializer.ts'
import { writableFields } from './writable-fields.ts'

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
