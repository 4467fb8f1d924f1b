import { currentUser } from '../../core/context.ts'
import { ApiError, NON_FIELD_ERRORS } from '../../core/errors.ts'
import { message, type Text } from '../../core/messages/message.ts'
import { wireName } from '../../core/wire-names.ts'
import { has, kindOf } from '../../kinds/kinds.ts'
import type { Model } from '../../model/kit.ts'
import type { ColumnInfo, ModelInfo } from '../../model/model-info.ts'
import { isParentKey } from '../../model/nestings.ts'
import { hasNested, withoutParts } from '../../records/drafts.ts'
import { type ModelRecord, recordOf } from '../../records/record.ts'
import { unchangedParts } from '../../records/unchanged-parts.ts'
import { withoutFixed } from '../../serializer/fixed-values.ts'
import type { Complaints } from '../../serializer/model-serializer.ts'
import { absent } from '../../store/absent.ts'
import type { Database } from '../../store/connection/database.ts'
import type { RawRow } from '../../store/connection/driver.ts'
import { ownProjection, projection } from '../../store/projection.ts'
import { keyText, rowsByKey } from '../../store/row-order.ts'
import { decodeRow } from '../../store/row-set.ts'
import type { Values } from '../../store/write/write.ts'
import type { ImportHooks } from '../import-hooks.ts'
import { hasLists, type ImportColumn, type ImportLookup, type ModelPlan } from '../plan/plan.ts'
import type { ColumnSight, ModelReader } from '../read/model-reader.ts'
import type { SheetModel } from '../read/sheet-layout.ts'
import { isEqual } from './comparable.ts'
import type { Failures } from './failures.ts'
import { readLists } from './record-lists.ts'
import type { ImportRecord } from './row-groups.ts'
import type { WriteContext } from './write-context.ts'

interface CheckResults {
  fail(record: ImportRecord, field: string, text: Text): void
  /** Reports an error in a list, at a path such as `lines.0.quantity`. */
  failList(record: ImportRecord, path: string, text: Text): void
  warn(record: ImportRecord, field: string, text: Text): void
  unchanged(record: ImportRecord): void
}

/** The permission comes first: without it, the user does not learn whether the record differs from the file. */
export async function checkRecords(
  context: Pick<WriteContext, 'visible' | 'hooks' | 'reading' | 'isReplaced' | 'lookups'>,
  reader: ModelReader,
  records: readonly ImportRecord[],
  { fail, failList, warn, unchanged }: CheckResults,
): Promise<void> {
  const { serializer, plan, sight } = reader
  const { checkRecord, update, fixedValues = {} } = context.hooks(plan)
  const visible = context.visible(plan)
  const { skipUnchanged } = plan.policy
  const isListed = hasLists(plan)
  const parents = limitedParents(plan)
  if (!serializer?.hasRules && !checkRecord && !update && !skipUnchanged && !isListed && parents.length === 0) return
  const keys = records.flatMap(({ key }) => (key === undefined ? [] : [key]))
  const rows = await visible.withKeys(ownProjection(plan.model), keys)
  const { database } = visible
  const stored = rowsByKey(database, plan.model, rows)
  const decoded =
    skipUnchanged || isListed || parents.length > 0
      ? new Map(rows.map(row => [row, decodeRow(database.dialect, plan.model, row)]))
      : new Map<RawRow, Values>()
  const storedOf = ({ stored: row }: ImportRecord) => row && decoded.get(row)
  const permitted = new Map<ImportRecord, ModelRecord<Model> | null>()
  for (const record of records) {
    const row = record.key === undefined ? undefined : stored.get(keyText(plan.model, record.key))
    record.stored = row
    const before = row && recordOf<Model>(database, plan.model, row)
    const refusal = before && checkRecord ? await refusalOf(checkRecord, before) : undefined
    if (refusal === undefined) permitted.set(record, before ?? null)
    else fail(record, NON_FIELD_ERRORS, refusal)
  }
  for (const column of parents) {
    for (const record of await leavingHidden(context.lookups, column, [...permitted.keys()], storedOf)) {
      permitted.delete(record)
      fail(record, column.column.wire, message('not_movable'))
    }
  }
  const isReplace = context.isReplaced(plan)
  const lists = { database, context: context.reading, isReplace, storedOf, fail: failList }
  const left = await readLists(reader, [...permitted.keys()], lists)
  const written = left.map(record => withoutFixed(record.values, fixedValues))
  const same = skipUnchanged ? await unchangedValues(plan.model, database, written, left.map(storedOf)) : undefined
  const user = currentUser()
  for (const [index, record] of left.entries()) {
    if (record.isContested) continue
    if (same?.has(index) && !writesSecret(sight, written[index] ?? {})) {
      unchanged(record)
      continue
    }
    const answer = await serializer?.validateTogether(record.values, {
      record: permitted.get(record) ?? null,
      user,
      warn: (key, text) => warn(record, fieldNamed(key), text),
    })
    for (const [key, messages = []] of Object.entries((answer ?? {}) as Complaints<string>)) {
      for (const text of [messages].flat()) fail(record, fieldNamed(key), text)
    }
  }
}

/** The columns that move a child from one parent to another, if a queryset limits the parents. */
function limitedParents({ columns }: ModelPlan): readonly (ImportColumn & { readonly lookup: ImportLookup })[] {
  return columns.filter(
    (column): column is ImportColumn & { readonly lookup: ImportLookup } =>
      column.lookup?.scope !== undefined && !column.links && isParentKey(column.column),
  )
}

/** Records that would leave a parent that the import may not write. */
async function leavingHidden(
  lookups: WriteContext['lookups'],
  { column, lookup }: ImportColumn & { readonly lookup: ImportLookup },
  records: readonly ImportRecord[],
  storedOf: (record: ImportRecord) => Values | undefined,
): Promise<readonly ImportRecord[]> {
  const leaving = records.flatMap(record => {
    const [value, left] = [record.values[column.key], storedOf(record)?.[column.key] ?? null]
    const isMoved = value !== undefined && left !== null && !isSameValue(column, value, left)
    return isMoved ? [{ record, left }] : []
  })
  if (leaving.length === 0) return []
  const queryset = lookups.recordsOf(lookup)
  const values = [...new Set(leaving.map(({ left }) => left))]
  const [hidden] = await absent(queryset.database, [{ queryset, column: lookup.target, values }])
  return leaving.filter(({ left }) => hidden?.has(left)).map(({ record }) => record)
}

function fieldNamed(key: string): string {
  return key === 'nonFieldErrors' ? NON_FIELD_ERRORS : wireName(key)
}

/** A write-only column is always written again. Otherwise the report would reveal whether it holds the value. */
function writesSecret({ secret }: ColumnSight, values: Values): boolean {
  return [...secret].some(({ column }) => values[column.key] !== undefined)
}

export async function refusalOf(
  checkRecord: NonNullable<ImportHooks['checkRecord']>,
  record: ModelRecord<Model>,
): Promise<Text | undefined> {
  try {
    await checkRecord(record)
    return undefined
  } catch (error) {
    if (error instanceof ApiError && error.status < 500) return error.text
    throw error
  }
}

/** The positions of stored records that have all values already. A value that is left to a default does not count. */
async function unchangedValues(
  { columns }: ModelInfo,
  database: Database,
  list: readonly Values[],
  stored: readonly (Values | undefined)[],
): Promise<ReadonlySet<number>> {
  const equal = [...list.keys()].filter(index => {
    const now = stored[index]
    const isEqualIn = (column: ColumnInfo) => {
      const value = list[index]?.[column.key]
      return value === undefined || isSameValue(column, value, now?.[column.key])
    }
    return now !== undefined && columns.every(isEqualIn)
  })
  const owners = equal.map(index => {
    const values = list[index] ?? {}
    return { owner: stored[index] ?? {}, parts: hasNested(values) ? withoutParts(values).parts : [] }
  })
  const same = await unchangedParts(database, owners)
  return new Set(equal.filter((_, at) => same.has(at)))
}

/** Whether two values are equal to the database: `1.5` and `1.50`, a point in time, JSON by its contents. */
function isSameValue(column: ColumnInfo, a: unknown, b: unknown): boolean {
  if (a === null || b === null || b === undefined) return a === b
  return has(column, 'mutable') ? isEqual(a, b) : kindOf(column).identity(a) === kindOf(column).identity(b)
}

/**
 * Refuses rows whose version is not that of their locked record. A row without a version is not compared. Returns the
 * records that can still be written.
 */
export async function refuseStale(
  { visible }: Pick<WriteContext, 'visible'>,
  model: SheetModel,
  records: readonly ImportRecord[],
  failures: Failures,
): Promise<readonly ImportRecord[]> {
  const { plan, version: at } = model.reader
  const wanted = ({ cells }: ImportRecord) => (at === -1 ? null : (cells[at] ?? null))
  const guarded = records.filter(record => wanted(record) !== null)
  if (guarded.length === 0) return records
  const { key: parts, primaryKey, byKey, dialect } = plan.model
  const column = byKey.get(plan.columns[at]?.column.key ?? '') ?? primaryKey
  const keys = guarded.flatMap(({ key }) => (key === undefined ? [] : [key]))
  const read = projection(plan.model, [...parts, column], [], [])
  const queryset = visible(plan)
  const rows = rowsByKey(queryset.database, plan.model, await queryset.withKeys(read, keys), read.columns)
  const decode = dialect.decoder(column)
  const { identity } = kindOf(column)
  const stale = new Set<ImportRecord>()
  for (const record of guarded) {
    const row = record.key === undefined ? undefined : rows.get(keyText(plan.model, record.key))
    if (row && identity(decode(row[parts.length])) === identity(wanted(record))) continue
    const problem = record.key === undefined ? 'precondition_failed.missing_row' : 'precondition_failed.row'
    failures.fail(model, record, column.wire, message(problem))
    failures.suspect(model, record)
    stale.add(record)
  }
  return records.filter(record => !stale.has(record))
}
