import type { Unique } from '../model/model-info.ts'
import { fillSlugs, slugColumns } from '../model/slug-column.ts'
import type { Database } from '../store/connection/database.ts'
import { isSql } from '../store/sql-value.ts'
import type { CheckedWrite } from '../store/write/checked-write.ts'
import { isReadOfWritten } from '../store/write/reads-of-written.ts'
import type { Values } from '../store/write/write.ts'
import type { Claim, Reference } from '../store/write/write-conditions.ts'
import { uniquesOf } from './check-uniques.ts'
import type { ModelSerializer } from './model-serializer.ts'
import { type ParseOptions, readItem, writableFields } from './parse-item.ts'
import { mayMove } from './relations/check-left-parents.ts'
import { isKey, referredBy } from './relations/check-references.ts'

// The usual write needs valid values, existing references and free unique values. One statement checks all of them
// while it writes. If it writes nothing, `validate.ts` finds the errors.

const known = new WeakMap<ModelSerializer, boolean>()

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

/** Reads a new record; `undefined` if a value is invalid, or if it needs more than one statement. */
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
  if (fillSlugs(slugColumns(serializer.info), values).length > 0) return undefined
  const claims = uniquesOf(serializer.info).flatMap(unique => {
    const { columns } = unique
    if (columns.every(({ key }) => values[key] === undefined)) return []
    // A claim needs the stored value, also of a default. Defaults of the database are not known yet.
    for (const { key, createValue } of columns) if (!(key in values) && createValue) values[key] = createValue()
    return columns.some(({ key }) => values[key] === undefined) ? [] : claimOf(unique, values)
  })
  return withReferences(serializer, database, values, claims)
}

export function readUpdate(
  serializer: ModelSerializer,
  database: Database,
  input: unknown,
  options: ParseOptions,
): CheckedWrite | undefined {
  const { values, errors } = readItem(serializer, 'changeable', { input }, options)
  if (hasAny(errors) || mayMove(writableFields(serializer).stored, values)) return undefined
  const uniques = uniquesOf(serializer.info)
  if (uniques.some(unique => keepsText(unique, values))) return undefined
  const claims = uniques.flatMap(unique => claimOf(unique, values))
  return withReferences(serializer, database, values, claims)
}

/** SQL's unique constraints let NULLs pass. A write that omits all columns claims nothing. */
function claimOf(unique: Unique, values: Values): readonly Claim[] {
  const claimed = unique.columns.map(({ key }) => values[key])
  if (claimed.includes(null) || claimed.every(value => value === undefined)) return []
  return [{ unique, values: claimed }]
}

/**
 * Whether a stored text is part of a changed claim. Code cannot compare it without case: that depends on its letters.
 */
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
    // An object describes a record to find or to create.
    if (!isKey(value)) return undefined
    references.push({ queryset: referred.among(database), column: referred.column, value })
  }
  return { values, references, claims }
}

export function hasAny(errors: object): boolean {
  for (const _ in errors) return true
  return false
}
