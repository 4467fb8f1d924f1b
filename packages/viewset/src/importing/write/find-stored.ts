import type { SheetModel } from '../read/sheet-layout.ts'
import { checkRecords } from './check-records.ts'
import { type Failures, headerOf, takenMessage } from './failures.ts'
import type { ImportRecord } from './import-record.ts'
import { matchRecords } from './match-records.ts'
import type { WriteContext } from './write-context.ts'

/** Finds the stored record that each record updates. Returns those that can be written, as far as is known by now. */
export async function findStored(
  context: WriteContext,
  model: SheetModel,
  records: readonly ImportRecord[],
  failures: Failures,
): Promise<ImportRecord[]> {
  return check(context, model, await match(context, model, records, failures), failures)
}

/** Returns the records that have one stored record at most. */
async function match(
  { visible, all }: WriteContext,
  model: SheetModel,
  records: readonly ImportRecord[],
  failures: Failures,
): Promise<ImportRecord[]> {
  const { plan } = model.reader
  const { unique } = plan
  // The first look locks the records, so the second one sees what others have changed before.
  const found = await matchRecords(visible(plan), unique, records, 'update')
  const stored = visible(plan).isUnconditional ? found : await matchRecords(all(plan), unique, records)
  const taken = takenMessage(model, unique.columns)
  return records.filter(record => {
    const keys = stored.get(record) ?? []
    const mine = found.get(record) ?? []
    record.key = mine[0]
    if (mine.length < keys.length) failures.fail(model, record, taken.field, taken.message)
    else if (mine.length > 1) {
      const message = `Several records have this ${taken.names}; it must be clear which one is meant.`
      failures.fail(model, record, taken.field, message)
    }
    const isClear = mine.length === keys.length && mine.length <= 1
    if (!isClear) failures.mayRetry(record)
    return isClear
  })
}

/** Returns the records that the resource lets pass. */
async function check(
  { visible, hooks }: WriteContext,
  model: SheetModel,
  records: ImportRecord[],
  failures: Failures,
): Promise<ImportRecord[]> {
  const { plan } = model.reader
  const refused = new Set<ImportRecord>()
  await checkRecords(model.reader, hooks(plan), visible(plan), records, (record, field, message) => {
    refused.add(record)
    failures.fail(model, record, headerOf(model, field), message)
  })
  return refused.size === 0 ? records : records.filter(record => !refused.has(record))
}
