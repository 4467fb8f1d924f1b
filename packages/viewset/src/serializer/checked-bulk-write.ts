import type { ColumnInfo, ModelInfo } from '../model/model-info.ts'
import { fillSlugs, slugColumns } from '../model/slug-column.ts'
import type { Database } from '../store/connection/database.ts'
import { givenKeys } from '../store/row-set.ts'
import type { CheckedBulkWrite, ReferringColumn } from '../store/write/checked-bulk-write.ts'
import type { RowUpdate, Values } from '../store/write/write.ts'
import { uniquesOf } from './check-uniques.ts'
import { hasAny } from './checked-write.ts'
import { readJsonValue } from './column-schema.ts'
import type { ModelSerializer } from './model-serializer.ts'
import { type ReadItems, writableFields } from './parse-item.ts'
import { mayMove } from './relations/check-left-parents.ts'
import { isKey, referredBy } from './relations/check-references.ts'
import { isObject } from './relations/relation-schema.ts'

// The bulk form of `checked-write.ts`. It does not check unique values: records of one request may bring the same one,
// or pass one on.

/** Reads new records; `undefined` if a value is invalid, or if one statement cannot write them. */
export function readInserts(
  read: ReadItems,
  database: Database,
  items: readonly unknown[],
): CheckedBulkWrite<Values> | undefined {
  const { serializer, options } = read
  const slugs = slugColumns(serializer.info)
  const rows: Values[] = []
  for (const input of items) {
    const { values, errors } = read.read(input)
    if (hasAny(errors)) return undefined
    const row = slugs.length === 0 ? Object.assign(values, options.fixed) : { ...values, ...options.fixed }
    if (fillSlugs(slugs, row).length > 0) return undefined
    rows.push(row)
  }
  const references = referencesAmong(serializer, database, rows)
  return references && { rows, references }
}

export function readUpdates(
  read: ReadItems,
  database: Database,
  items: readonly unknown[],
): CheckedBulkWrite<RowUpdate> | undefined {
  const { serializer } = read
  const { primaryKey, key } = serializer.info
  // Two keys of another type may be equal to the database but not to JavaScript.
  if (key.length > 1 || !isSimple(primaryKey)) return undefined
  const rows: RowUpdate[] = []
  const keys = new Set<unknown>()
  for (const input of items) {
    if (!isObject(input)) return undefined
    const known = readJsonValue(primaryKey, input[primaryKey.wire])
    const { values, errors } = read.read(input)
    if (hasAny(errors) || !('value' in known) || keys.has(known.value)) return undefined
    if (mayMove(writableFields(serializer).stored, values)) return undefined
    keys.add(known.value)
    rows.push({ key: known.value, values })
  }
  const values = rows.map(row => row.values)
  const references = referencesAmong(serializer, database, values)
  return references && { rows, references }
}

export function readDeletes(
  { primaryKey, key }: ModelInfo,
  submitted: readonly unknown[],
): readonly unknown[] | undefined {
  if (key.length > 1 || !isSimple(primaryKey)) return undefined
  const keys = new Set<unknown>()
  for (const id of submitted) {
    const read = readJsonValue(primaryKey, id)
    if (!('value' in read)) return undefined
    keys.add(read.value)
  }
  return [...keys]
}

/** Whether JavaScript and the database agree on the equality of values in a column. */
function isSimple({ kind, ownKind, ownType }: ColumnInfo): boolean {
  return !ownKind && !ownType && (kind === 'uuid' || kind === 'integer' || kind === 'bigint')
}

/** Whether stored values of two columns are comparable. `serial` is an integer as well. */
function comparesAlike(one: ColumnInfo, other: ColumnInfo): boolean {
  if (!isSimple(one) || !isSimple(other)) return false
  return one.sqlType === other.sqlType || (one.kind !== 'uuid' && other.kind !== 'uuid')
}

function referencesAmong(
  serializer: ModelSerializer,
  database: Database,
  rows: readonly Values[],
): readonly ReferringColumn[] | undefined {
  const { all, sql } = givenKeys(rows)
  if (sql.size > 0 || givesUnique(serializer.info, all)) return undefined
  const references: ReferringColumn[] = []
  for (const field of writableFields(serializer).stored) {
    const { column } = field
    const referred = all.has(column.key) ? referredBy(field) : undefined
    if (!referred) continue
    const { column: target } = referred
    if (!comparesAlike(column, target)) return undefined
    const isKeyOrNothing = ({ [column.key]: value }: Values) => value === undefined || value === null || isKey(value)
    if (!rows.every(isKeyOrNothing)) return undefined
    references.push({ column, queryset: referred.among(database), target })
  }
  return references
}

function givesUnique(model: ModelInfo, given: ReadonlySet<string>): boolean {
  return [...uniquesOf(model), ...model.otherUniques].some(({ columns }) => columns.some(({ key }) => given.has(key)))
}
