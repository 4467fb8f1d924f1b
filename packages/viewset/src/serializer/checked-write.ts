import type { Unique } from '../model/model-info.ts'
import type { Database } from '../store/connection/database.ts'
import { isSql } from '../store/sql-value.ts'
import type { CheckedWrite } from '../store/write/checked-write.ts'
import { isReadOfWritten } from '../store/write/reads-of-written.ts'
import type { Values } from '../store/write/write.ts'
import type { Claim, Reference } from '../store/write/write-conditions.ts'
import { isKey, referredBy } from './check-references.ts'
import { uniquesOf } from './check-uniques.ts'
import type { ModelSerializer } from './model-serializer.ts'
import { type ParseOptions, readItem, writableFields } from './parse-item.ts'

// Most records need nothing but values that are right, rows to refer to and values that are free. All of that one
// statement can see to while it writes. What is wrong with a record, `validate.ts` says.

const known = new WeakMap<ModelSerializer, boolean>()

/** Whether one statement can check, write and read what a serializer takes and shows. */
export function isCheckedByStatement(serializer: ModelSerializer): boolean {
  let direct = known.get(serializer)
  if (direct === undefined) {
    const { info, listed, hasRules } = serializer
    const isPlain = writableFields(serializer).fields.every(field => {
      if (field.kind !== 'stored') return false
      return !field.relation || field.relation.write === 'id' || field.relation.write === 'flexible'
    })
    direct =
      isPlain &&
      !hasRules &&
      info.partialUniques.length === 0 &&
      listed.loadRelated === null &&
      isReadOfWritten(listed.projection)
    known.set(serializer, direct)
  }
  return direct
}

/** What a client sent for a new record; `undefined` where it is not right, or where more than one statement is needed. */
export function readInsert(
  serializer: ModelSerializer,
  database: Database,
  input: unknown,
  options: ParseOptions,
): CheckedWrite | undefined {
  const { fixed } = options
  const { values: given, errors } = readItem(serializer, 'fields', { input }, options)
  if (hasAny(errors)) return undefined
  const values = Object.assign(given, fixed)
  const claims = uniquesOf(serializer.info).flatMap(unique => {
    const { columns } = unique
    if (columns.every(({ key }) => values[key] === undefined)) return []
    // What is claimed is what is stored, also of what is made for the row; what the database makes is not known yet.
    for (const { key, createValue } of columns) if (!(key in values) && createValue) values[key] = createValue()
    return columns.some(({ key }) => values[key] === undefined) ? [] : claimOf(unique, values)
  })
  return withReferences(serializer, database, values, claims)
}

/** As {@link readInsert}, for changes to a record. */
export function readUpdate(
  serializer: ModelSerializer,
  database: Database,
  input: unknown,
  options: ParseOptions,
): CheckedWrite | undefined {
  const { values, errors } = readItem(serializer, 'changeable', { input }, options)
  if (hasAny(errors)) return undefined
  const uniques = uniquesOf(serializer.info)
  if (uniques.some(unique => keepsText(unique, values))) return undefined
  const claims = uniques.flatMap(unique => claimOf(unique, values))
  return withReferences(serializer, database, values, claims)
}

/** SQL's unique constraints let NULLs pass, and who does not touch the columns claims nothing. */
function claimOf(unique: Unique, values: Values): readonly Claim[] {
  const claimed = unique.columns.map(({ key }) => values[key])
  if (claimed.includes(null) || claimed.every(value => value === undefined)) return []
  return [{ unique, values: claimed }]
}

/** Whether a text is kept beside a value that is changed: how to look it up in any case, its letters say. */
function keepsText({ columns, ignoreCase }: Unique, values: Values): boolean {
  const kept = columns.filter(({ key }) => values[key] === undefined)
  return ignoreCase && kept.length < columns.length && kept.some(({ kind }) => kind === 'text')
}

function withReferences(
  serializer: ModelSerializer,
  database: Database,
  values: Values,
  claims: readonly Claim[],
): CheckedWrite | undefined {
  for (const key in values) if (isSql(values[key])) return undefined
  const references: Reference[] = []
  for (const field of writableFields(serializer).stored) {
    const value = values[field.valueKey]
    if (value === undefined || value === null) continue
    const referred = referredBy(field)
    if (!referred) continue
    // An object describes a record that is yet to be found, or to be made.
    if (!isKey(value)) return undefined
    references.push({ queryset: referred.among(database), column: referred.column, value })
  }
  return { values, references, claims }
}

export function hasAny(errors: object): boolean {
  for (const _ in errors) return true
  return false
}
