import type { ColumnInfo, ModelInfo } from '../model/model-info.ts'
import type { Database } from '../store/connection/database.ts'
import { givenKeys } from '../store/row-set.ts'
import type { CheckedBulkWrite, NewRow, ReferringColumn } from '../store/write/checked-bulk-write.ts'
import type { RowUpdate, Values } from '../store/write/write.ts'
import { isKey, referredBy } from './check-references.ts'
import { uniquesOf } from './check-uniques.ts'
import { hasAny } from './checked-write.ts'
import { readJsonKey } from './column-schema.ts'
import type { ModelSerializer } from './model-serializer.ts'
import { type ParseOptions, readItem, writableFields } from './parse-item.ts'
import { isObject } from './relation-schema.ts'

// What `checked-write.ts` does for one record, for many. Unique values have the long way: records of one request may bring
// the same one, or hand one over.

/** What a client sent for new records; `undefined` where some of it is not right, or is more than one statement can do. */
export function readInserts(
  serializer: ModelSerializer,
  database: Database,
  items: readonly unknown[],
  options: ParseOptions,
): CheckedBulkWrite<NewRow> | undefined {
  const rows: NewRow[] = []
  for (const input of items) {
    const { values, errors } = readItem(serializer, 'fields', { input }, options)
    if (hasAny(errors)) return undefined
    rows.push(Object.assign(values, options.fixed))
  }
  const references = referencesAmong(serializer, database, rows)
  return references && { rows, references }
}

/** As {@link readInserts}, for changes to records that each item names by its key. */
export function readUpdates(
  serializer: ModelSerializer,
  database: Database,
  items: readonly unknown[],
  options: ParseOptions,
): CheckedBulkWrite<RowUpdate> | undefined {
  const { primaryKey } = serializer.info
  // Another key may be equal to the database and not to code, which finds no record by it.
  if (!isSimple(primaryKey)) return undefined
  const rows: RowUpdate[] = []
  const keys = new Set<unknown>()
  for (const input of items) {
    if (!isObject(input)) return undefined
    const read = readJsonKey(primaryKey, input[primaryKey.wire])
    const { values, errors } = readItem(serializer, 'changeable', { input }, options)
    if (hasAny(errors) || !('key' in read) || keys.has(read.key)) return undefined
    keys.add(read.key)
    rows.push({ key: read.key, values })
  }
  const values = rows.map(row => row.values)
  const references = referencesAmong(serializer, database, values)
  return references && { rows, references }
}

/** The keys of records, each of them once; `undefined` where some are none, or only the database could compare them. */
export function readDeletes({ primaryKey }: ModelInfo, submitted: readonly unknown[]): readonly unknown[] | undefined {
  if (!isSimple(primaryKey)) return undefined
  const keys = new Set<unknown>()
  for (const id of submitted) {
    const read = readJsonKey(primaryKey, id)
    if (!('key' in read)) return undefined
    keys.add(read.key)
  }
  return [...keys]
}

/** Whether code compares the values of a column as databases do by themselves. */
function isSimple({ kind, ownKind, ownType }: ColumnInfo): boolean {
  return !ownKind && !ownType && (kind === 'uuid' || kind === 'integer' || kind === 'bigint')
}

/** Whether values of two columns are compared as they are stored; `serial` is an integer, too. */
function comparesAlike(one: ColumnInfo, other: ColumnInfo): boolean {
  if (!isSimple(one) || !isSimple(other)) return false
  return one.sqlType === other.sqlType || (one.kind !== 'uuid' && other.kind !== 'uuid')
}

/** The columns by which rows refer to others; `undefined` where one statement cannot see to what rows give. */
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
