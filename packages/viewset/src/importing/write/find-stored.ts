import type { SheetModel } from '../read/sheet-layout.ts'
import type { RowOutcome } from '../tally.ts'
import { checkRecords } from './check-records.ts'
import { type Failures, headerOf, takenMessage } from './failures.ts'
import type { ImportRecord } from './import-record.ts'
import { matchRecords } from './match-records.ts'
import type { WriteContext } from './write-context.ts'

export type Settle = (record: ImportRecord, outcome: RowOutcome) => void

/** Finds the stored record that each record updates. Returns the records that can still be written. */
export async function findStored(
  context: WriteContext,
  model: SheetModel,
  records: readonly ImportRecord[],
  failures: Failures,
  settle: Settle,
): Promise<ImportRecord[]> {
  const { createOnly } = model.reader.plan.policy
  const matched = createOnly ? [...records] : await match(context, model, records, failures, settle)
  return check(context, model, matched, failures, settle)
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
    if (mine.length < keys.length) failures.fail(model, record, taken.field, taken.message)
    else if (mine.length > 1) failSeveral(model, record, failures)
    const isClear = mine.length === keys.length && mine.length <= 1
    if (isClear && isWritten(model, record, failures, settle)) return true
    failures.mayRetry(record)
    return false
  })
}

/** Finds the stored records that rows delete. By `onMissing`, a row without one is skipped or fails. */
export async function findDeleted(
  { visible }: WriteContext,
  model: SheetModel,
  records: readonly ImportRecord[],
  failures: Failures,
): Promise<readonly ImportRecord[]> {
  const { plan } = model.reader
  const found = await matchRecords(visible(plan), plan.unique, records, 'delete')
  return records.filter(record => {
    const keys = found.get(record) ?? []
    record.key = keys[0]
    if (keys.length > 1) failSeveral(model, record, failures)
    else if (keys.length === 0) leaveMissing(model, record, failures)
    if (keys.length !== 1) failures.mayRetry(record)
    return keys.length === 1
  })
}

export function leaveMissing(model: SheetModel, rows: Rows, failures: Failures): void {
  if (model.reader.plan.policy.onMissing === 'fail') refuse(model, rows, failures, missingMessage)
  else failures.skip(rows)
}

function isWritten(model: SheetModel, record: ImportRecord, failures: Failures, settle: Settle): boolean {
  const { onExisting, onMissing } = model.reader.plan.policy
  if (record.key === undefined) {
    if (onMissing === 'fail') refuse(model, record, failures, missingMessage)
    if (onMissing === 'skip') failures.skip(record)
    return onMissing === 'create'
  }
  if (onExisting === 'fail') refuse(model, record, failures, existingMessage)
  if (onExisting === 'skip') settle(record, 'skipped')
  return onExisting === 'update'
}

export function refuseExisting(model: SheetModel, rows: Rows, failures: Failures): void {
  refuse(model, rows, failures, existingMessage)
  failures.mayRetry(rows)
}

function failSeveral(model: SheetModel, rows: Rows, failures: Failures): void {
  refuse(model, rows, failures, severalMessage)
}

type Rows = Pick<ImportRecord, 'rows'>

const severalMessage = (names: string) => `Several records have this ${names}; it must be clear which one is meant.`
const existingMessage = (names: string) => `A record with this ${names} exists already.`
const missingMessage = (names: string) => `No record with this ${names} exists.`

function refuse(model: SheetModel, rows: Rows, failures: Failures, message: (names: string) => string): void {
  const { names, field } = takenMessage(model, model.reader.plan.unique.columns)
  failures.fail(model, rows, field, message(names))
}

async function check(
  { visible, hooks }: WriteContext,
  model: SheetModel,
  records: ImportRecord[],
  failures: Failures,
  settle: Settle,
): Promise<ImportRecord[]> {
  const { plan } = model.reader
  const done = new Set<ImportRecord>()
  await checkRecords(model.reader, hooks(plan), visible(plan), records, {
    fail: (record, field, message) => {
      done.add(record)
      failures.fail(model, record, headerOf(model, field), message)
    },
    unchanged: record => {
      done.add(record)
      settle(record, 'unchanged')
    },
  })
  return done.size === 0 ? records : records.filter(record => !done.has(record))
}
