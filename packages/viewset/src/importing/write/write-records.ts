import { ApiError, Conflict, NON_FIELD_ERRORS, ValidationError } from '../../core/errors.ts'
import { inEnglish, message, type Text } from '../../core/messages/message.ts'
import type { Model } from '../../model/kit.ts'
import { copiedValues } from '../../records/drafts.ts'
import { recordOf } from '../../records/record.ts'
import { insertRecords, OUTSIDE_OF_QUERYSET, outsideOf, updateRecords } from '../../records/write-records.ts'
import { withoutFixed } from '../../serializer/fixed-values.ts'
import type { Database } from '../../store/connection/database.ts'
import { columnsOf } from '../../store/faults.ts'
import type { QuerySet } from '../../store/queryset.ts'
import { isSameKey } from '../../store/row-order.ts'
import type { ImportHooks } from '../import-hooks.ts'
import { hasLists } from '../plan/plan.ts'
import type { ImportRow } from '../read/import-row.ts'
import type { SheetModel } from '../read/sheet-layout.ts'
import type { ImportRecord } from './row-groups.ts'
import type { Refusal } from './sort-records.ts'

/** The number of times to match records again after concurrent writes. */
const TRIES = 3

export interface RecordWriter {
  readonly database: Database
  readonly model: SheetModel
  readonly hooks: ImportHooks
  readonly visible: QuerySet
  match(records: readonly ImportRecord[]): Promise<readonly ImportRecord[]>
  /** Whether everything is undone if the write throws. */
  readonly isUndoable: boolean
  refuse(refusal: Refusal): void
  /** Reports rows that share a unique value. */
  meet(rows: readonly ImportRow[]): void
  fail(record: ImportRecord, field: string, text: Text): void
  /** Reports a record that the database refused because of another record, by a rule outside the models. */
  block(record: ImportRecord): void
  written(record: ImportRecord, outcome: 'created' | 'updated'): void
}

class Outside extends Error {
  readonly records: ReadonlySet<ImportRecord>

  constructor(records: readonly ImportRecord[]) {
    super(inEnglish(OUTSIDE_OF_QUERYSET))
    this.records = new Set(records)
  }
}

/** The database stored fewer records than it was given, without an error. */
export class NotStored extends Error {}

/** If the database refuses, halving finds the refused records in order, and everything else is stored. */
export async function writeRecords(writer: RecordWriter, records: readonly ImportRecord[], tries = 1): Promise<void> {
  if (records.length === 0) return
  if (records.some(({ isContested }) => isContested)) return writeInRuns(writer, records)
  try {
    await writer.database.transaction(() => storeAll(writer, records))
  } catch (error) {
    if (error instanceof Outside) {
      for (const record of error.records) writer.fail(record, NON_FIELD_ERRORS, OUTSIDE_OF_QUERYSET)
      return writeRecords(
        writer,
        records.filter(record => !error.records.has(record)),
        tries,
      )
    }
    if (!isAboutRows(error)) throw error
    if (!(error instanceof ValidationError) && tries < TRIES) {
      // Another transaction may have stored or deleted one of the records since the match.
      const { model } = writer.model.reader.plan
      const before = records.map(({ key }) => key)
      const matched = await writer.match(records)
      const isStale =
        matched.length < records.length || records.some(({ key }, index) => !isSameKey(model, key, before[index]))
      if (isStale) return writeRecords(writer, matched, tries + 1)
    }
    const [first] = records
    if (first && records.length === 1) return blame(writer, first, error)
    const half = records.length >> 1
    await writeRecords(writer, records.slice(0, half))
    return writeRecords(writer, await readAgain(writer, records.slice(half)))
  }
  for (const record of records) writer.written(record, record.key === undefined ? 'created' : 'updated')
}

/** Writes records in order, contested ones on their own. */
async function writeInRuns(writer: RecordWriter, records: readonly ImportRecord[]): Promise<void> {
  for (let start = 0; start < records.length; ) {
    const next = records.findIndex(({ isContested }, at) => at >= start && isContested)
    const end = next === start ? start + 1 : next === -1 ? records.length : next
    const run = records.slice(start, end)
    await writeRecords(writer, start === 0 && next !== 0 ? run : await readAgain(writer, run))
    start = end
  }
}

/** After others were written, lists are read again: what they need may be taken now, or there. */
export async function readAgain(
  writer: RecordWriter,
  records: readonly ImportRecord[],
): Promise<readonly ImportRecord[]> {
  return records.length > 0 && hasLists(writer.model.reader.plan) ? writer.match(records) : records
}

/** Writes records with one INSERT and one UPDATE. Returns `false` if one of them is refused. */
export async function writeAtOnce(writer: RecordWriter, records: readonly ImportRecord[]): Promise<boolean> {
  if (records.some(({ isContested }) => isContested)) return false
  try {
    await writer.database.transaction(() => storeAll(writer, records))
  } catch (error) {
    if (error instanceof Outside || isAboutRows(error)) return false
    throw error
  }
  for (const record of records) writer.written(record, record.key === undefined ? 'created' : 'updated')
  return true
}

async function storeAll(writer: RecordWriter, records: readonly ImportRecord[]): Promise<void> {
  const added = records.filter(({ key }) => key === undefined)
  const changed = records.filter(({ key }) => key !== undefined)
  const { checkScope = 'never' } = writer.hooks
  const created = await insert(writer, added)
  for (const [index, record] of added.entries()) record.writtenKey = created[index]
  for (const record of changed) record.writtenKey = record.key
  if (checkScope !== 'never') await failOutsideRecords(writer, added, created)
  const updated = await update(writer, changed)
  if (checkScope === 'always') await failOutsideRecords(writer, changed, updated)
}

async function insert(
  { database, model, hooks }: RecordWriter,
  records: readonly ImportRecord[],
): Promise<readonly unknown[]> {
  // Hooks get copies: they may change the values, and an attempt may be undone.
  const copies = new Map<object, object>()
  const values = records.map(record => copiedValues(record.values, copies))
  const { keys } = await (hooks.create ?? (list => insertRecords(database, model.reader.plan.model, list)))(values)
  if (keys.length !== records.length) throw new NotStored()
  return keys
}

async function update(
  { database, model, hooks }: RecordWriter,
  records: readonly ImportRecord[],
): Promise<readonly unknown[]> {
  const { fixedValues = {} } = hooks
  const table = model.reader.plan.model
  const copies = new Map<object, object>()
  const changes = records.map(({ key, stored, values }) => ({
    key,
    row: stored,
    values: withoutFixed(copiedValues(values, copies), fixedValues),
  }))
  const { keys } = hooks.update
    ? await hooks.update(
        changes.flatMap(({ row, values }) => (row ? [{ record: recordOf<Model>(database, table, row), values }] : [])),
      )
    : await updateRecords(database, table, changes)
  if (keys.length !== records.length) throw new NotStored()
  return keys
}

async function failOutsideRecords(
  { visible }: RecordWriter,
  records: readonly ImportRecord[],
  keys: readonly unknown[],
): Promise<void> {
  const outside = await outsideOf(visible, () => keys)
  if (outside.length > 0) throw new Outside(outside.map(index => records[index] as ImportRecord))
}

/** Whether an error concerns single rows. Other errors, such as a lost connection, end the import. */
export function isAboutRows(error: unknown): boolean {
  return (error instanceof ApiError && error.status < 500) || error instanceof NotStored
}

function blame(writer: RecordWriter, record: ImportRecord, error: unknown): void {
  const errors = error instanceof ApiError ? (error.fieldErrors ?? { [NON_FIELD_ERRORS]: [error.text] }) : {}
  const reported = Object.entries(errors).flatMap(([field, texts]) => texts.map(text => ({ field, text })))
  if (reported.length === 0) {
    const text = error instanceof ApiError ? error.text : message('not_stored')
    writer.fail(record, NON_FIELD_ERRORS, text)
  }
  // The record is the only one of its write.
  for (const { field, text } of reported) writer.fail(record, field.replace(/^0\./, ''), text)
  if (error instanceof Conflict && !isOfKnownUnique(writer, error)) writer.block(record)
}

/** Whether a constraint refused a record of which {@link writeInParts} knows the values. */
function isOfKnownUnique({ database, model: { reader } }: RecordWriter, { cause }: Conflict): boolean {
  const { plan, otherUniques, conditionalUniques } = reader
  const fault = database.dialect.fault(cause)
  if (fault?.kind !== 'unique') return false
  const columns = columnsOf(fault, plan.model)
  const known = [plan.unique, ...otherUniques.map(({ unique }) => unique), ...conditionalUniques]
  return known.some(
    unique => unique.columns.length === columns.length && unique.columns.every(column => columns.includes(column)),
  )
}
