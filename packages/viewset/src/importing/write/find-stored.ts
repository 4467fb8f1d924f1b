import { sql } from 'drizzle-orm'
import { errorCode, message, type Text } from '../../core/messages/message.ts'
import type { RowLock } from '../../model/dialect/dialect.ts'
import type { ColumnInfo } from '../../model/model-info.ts'
import { keyProjection } from '../../store/projection.ts'
import type { QuerySet } from '../../store/queryset.ts'
import { decodedKeys, keyPlace } from '../../store/row-order.ts'
import type { UniquePlan } from '../plan/plan.ts'
import type { SheetModel } from '../read/sheet-layout.ts'
import type { RowOutcome } from '../tally.ts'
import { checkRecords, refuseStale } from './check-records.ts'
import { equalRecords } from './equal-records.ts'
import { type Failures, importFieldOf, takenMessage } from './failures.ts'
import type { ImportRecord } from './row-groups.ts'
import type { WriteContext } from './write-context.ts'

export type Settle = (record: ImportRecord, outcome: RowOutcome) => void

/** Finds the stored record that each record updates. Returns the records that can still be written. */
export async function findStored(
  context: WriteContext,
  model: SheetModel,
  records: readonly ImportRecord[],
  failures: Failures,
  settle: Settle,
): Promise<readonly ImportRecord[]> {
  const { createOnly } = model.reader.plan.policy
  const left = await settleEqual(context, model, records, settle)
  const matched = createOnly ? [...left] : await match(context, model, left, failures, settle)
  const checked = await check(context, model, matched, failures, settle)
  return refuseStale(context, model, checked, failures)
}

/** Settles records that are stored as they are. The database compares them: none of them is read or locked. */
async function settleEqual(
  context: WriteContext,
  model: SheetModel,
  records: readonly ImportRecord[],
  settle: Settle,
): Promise<readonly ImportRecord[]> {
  const equal = await equalRecords(context, model.reader, records)
  if (equal.size === 0) return records
  for (const record of equal) settle(record, 'unchanged')
  return records.filter(record => !equal.has(record))
}

async function match(
  { visible, all }: WriteContext,
  model: SheetModel,
  records: readonly ImportRecord[],
  failures: Failures,
  settle: Settle,
): Promise<ImportRecord[]> {
  const { plan } = model.reader
  const { unique, policy } = plan
  // This statement locks the records, so the next one sees what other transactions have changed before.
  const found = await matchRecords(visible(plan), unique, records, 'update')
  // A hidden record matters only if the row would create one and a constraint would refuse it.
  const isAll = visible(plan).isUnconditional || policy.onMissing !== 'create' || !unique.isConstrained
  const stored = isAll ? found : await matchRecords(all(plan), unique, records)
  const taken = takenMessage(model, unique.columns)
  return records.filter(record => {
    const mine = found.get(record) ?? []
    const hasNull = unique.columns.some(({ key }) => record.values[key] === null)
    const keys = hasNull ? mine : (stored.get(record) ?? [])
    record.key = mine[0]
    if (mine.length < keys.length) failures.fail(model, record, taken.field, taken.text)
    else if (mine.length > 1) failSeveral(model, record, failures)
    return mine.length === keys.length && mine.length <= 1 && isWritten(model, record, failures, settle)
  })
}

/** Finds the stored records that rows delete. By `onMissing`, a row without one is skipped or fails. */
export async function findDeleted(
  context: WriteContext,
  model: SheetModel,
  records: readonly ImportRecord[],
  failures: Failures,
): Promise<readonly ImportRecord[]> {
  const { plan } = model.reader
  const found = await matchRecords(context.visible(plan), plan.unique, records, 'delete')
  const deleted = records.filter(record => {
    const keys = found.get(record) ?? []
    record.key = keys[0]
    if (keys.length > 1) failSeveral(model, record, failures)
    else if (keys.length === 0) reportMissing(model, record, failures)
    return keys.length === 1
  })
  return refuseStale(context, model, deleted, failures)
}

export function reportMissing(model: SheetModel, rows: Rows, failures: Failures): void {
  if (model.reader.plan.policy.onMissing === 'fail') refuse(model, rows, failures, 'does_not_exist.row')
  else failures.skip(model, rows)
}

function isWritten(model: SheetModel, record: ImportRecord, failures: Failures, settle: Settle): boolean {
  const { onExisting, onMissing } = model.reader.plan.policy
  if (record.key === undefined) {
    if (onMissing === 'fail') refuse(model, record, failures, 'does_not_exist.row')
    if (onMissing === 'skip') failures.skip(model, record)
    return onMissing === 'create'
  }
  if (onExisting === 'fail') refuse(model, record, failures, 'unique.exists')
  if (onExisting === 'skip') settle(record, 'skipped')
  return onExisting === 'update'
}

export function refuseExisting(model: SheetModel, rows: Rows, failures: Failures): void {
  refuse(model, rows, failures, 'unique.exists')
  failures.suspect(model, rows)
}

function failSeveral(model: SheetModel, rows: Rows, failures: Failures): void {
  refuse(model, rows, failures, 'ambiguous.row')
}

type Rows = Pick<ImportRecord, 'rows'>

type AboutStored = 'ambiguous.row' | 'unique.exists' | 'does_not_exist.row'

function refuse(model: SheetModel, rows: Rows, failures: Failures, problem: AboutStored): void {
  const { names, field } = takenMessage(model, model.reader.plan.unique.columns)
  failures.fail(model, rows, field, message(problem, { fields: names }))
}

/** Errors of a list that another row may have caused. */
const ABOUT_OTHERS = ['does_not_exist', 'ambiguous', 'unique']

async function check(
  context: WriteContext,
  model: SheetModel,
  records: ImportRecord[],
  failures: Failures,
  settle: Settle,
): Promise<ImportRecord[]> {
  const done = new Set<ImportRecord>()
  const fail = (record: ImportRecord, field: string, text: Text) => {
    done.add(record)
    failures.fail(model, record, importFieldOf(model, field), text)
  }
  failures.checkAgain(model, records)
  await checkRecords(context, model.reader, records, {
    fail,
    failList: (record, path, text) => {
      fail(record, path, text)
      if (ABOUT_OTHERS.includes(errorCode(text))) failures.suspect(model, record)
    },
    warn: context.failOnWarnings
      ? fail
      : (record, field, text) => failures.warn(model, record, importFieldOf(model, field), text),
    unchanged: record => {
      done.add(record)
      settle(record, 'unchanged')
    },
  })
  return done.size === 0 ? records : records.filter(record => !done.has(record))
}

type StoredKeys = ReadonlyMap<ImportRecord, readonly unknown[]>

/**
 * NULL matches NULL: records are grouped by their null columns, so each statement is a plain join, which an index
 * serves. With `lock`, the matches hold until they are written.
 */
async function matchRecords(
  rows: QuerySet,
  unique: UniquePlan,
  records: readonly ImportRecord[],
  lock?: RowLock,
): Promise<StoredKeys> {
  const among = rows.filter(unique.where)
  const found = new Map<ImportRecord, unknown[]>()
  // A value that is left to a default is not known yet, so no stored record can match it.
  const matchable = records.filter(({ values }) => unique.columns.every(({ key }) => values[key] !== undefined))
  const groups = Map.groupBy(matchable, ({ values }) => {
    let pattern = ''
    for (const { key } of unique.columns) pattern += values[key] === null ? '0' : '1'
    return pattern
  })
  for (const [pattern, group] of groups) {
    const given = unique.columns.filter((_, index) => pattern[index] === '1')
    const empty = unique.columns.filter((_, index) => pattern[index] === '0')
    const narrowed = empty.reduce((set, { column }) => set.filter(sql`${column} is null`), among)
    for (const [record, key] of await pairs(narrowed, given, unique.ignoreCase, group, lock)) {
      const keys = found.get(record)
      if (keys) keys.push(key)
      else found.set(record, [key])
    }
  }
  return found
}

async function pairs(
  rows: QuerySet,
  columns: readonly ColumnInfo[],
  ignoreCase: boolean,
  records: readonly ImportRecord[],
  lock: RowLock | undefined,
): Promise<(readonly [ImportRecord, unknown])[]> {
  const { model, database } = rows
  if (columns.length === 0) {
    // All values are null, so these rows mean one record. It matters only whether one is stored, or several.
    const projection = keyProjection(model)
    const stored = await rows.rows(projection, { limit: 2, offset: 0 })
    const keys = decodedKeys(database, model, stored, keyPlace(model, projection.columns))
    return records.flatMap(record => keys.map(key => [record, key] as const))
  }
  const tuples = records.map(({ values }) => columns.map(({ key }) => values[key]))
  const matches = await rows.matches(columns, tuples, ignoreCase, undefined, lock)
  return matches.map(({ position, key }) => [records[position] as ImportRecord, key] as const)
}
