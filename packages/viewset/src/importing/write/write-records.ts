import { ApiError, Conflict, NON_FIELD_ERRORS, ValidationError } from '../../core/errors.ts'
import type { Model } from '../../model/kit.ts'
import { OUTSIDE_OF_QUERYSET, outsideOf } from '../../records/check-scope.ts'
import { recordOf } from '../../records/record.ts'
import { insertRecords, updateRecords } from '../../records/write-many.ts'
import { withoutFixed } from '../../serializer/fixed-values.ts'
import type { Database } from '../../store/connection/database.ts'
import type { QuerySet } from '../../store/queryset.ts'
import type { ImportHooks } from '../import-hooks.ts'
import type { SheetModel } from '../read/sheet-layout.ts'
import type { ImportRecord } from './import-record.ts'
import type { Refusal } from './sort-records.ts'

/** Times that records are looked for again since somebody else has written meanwhile. */
const TRIES = 3

/** How the records of one model are written, and who is told what becomes of them. */
export interface RecordWriter {
  readonly database: Database
  readonly model: SheetModel
  readonly hooks: ImportHooks
  /** The records of the model that the import may update. */
  readonly visible: QuerySet
  /** Looks again for the stored records; returns the records that can be written. */
  match(records: readonly ImportRecord[]): Promise<ImportRecord[]>
  /** Takes note of a record whose unique value another one has. */
  refuse(refusal: Refusal): void
  /** Takes note of a record that has a unique value only since another one gave it up. */
  pass(holder: ImportRecord, taker: ImportRecord): void
  /** Takes note of what was not stored. */
  fail(record: ImportRecord, field: string, message: string): void
  /** Takes note that another record stood in the way of a record. */
  block(record: ImportRecord): void
  written(record: ImportRecord, outcome: 'created' | 'updated'): void
}

/** Records that would not be among those that their writer may see. */
class Outside extends Error {
  readonly records: ReadonlySet<ImportRecord>

  constructor(records: readonly ImportRecord[]) {
    super(OUTSIDE_OF_QUERYSET)
    this.records = new Set(records)
  }
}

/** The database has not stored as many records as it was given, and says nothing more. */
export class NotStored extends Error {}

/**
 * Writes records with a statement for those that are new and one for the others. What the database refuses is found by
 * halving, in order, so that everything else is stored and each refusal has its row.
 */
export async function writeRecords(writer: RecordWriter, records: readonly ImportRecord[], tries = 1): Promise<void> {
  if (records.length === 0) return
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
      // Somebody else may have stored or deleted one of the records since they were looked for.
      const before = records.map(({ key }) => String(key))
      const matched = await writer.match(records)
      const isStale = matched.length < records.length || records.some(({ key }, index) => String(key) !== before[index])
      if (isStale) return writeRecords(writer, matched, tries + 1)
    }
    const [first] = records
    if (first && records.length === 1) return blame(writer, first, error)
    const half = records.length >> 1
    await writeRecords(writer, records.slice(0, half))
    return writeRecords(writer, records.slice(half))
  }
  for (const record of records) writer.written(record, record.key === undefined ? 'created' : 'updated')
}

/** Writes records with a statement for those that are new and one for the others; `false` if one of them is refused. */
export async function writeAtOnce(writer: RecordWriter, records: readonly ImportRecord[]): Promise<boolean> {
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

/** Stores new records; returns their keys. */
async function insert(
  { database, model, hooks }: RecordWriter,
  records: readonly ImportRecord[],
): Promise<readonly unknown[]> {
  // Hooks get copies: they may change what they get, and a try may be undone.
  const values = records.map(record => ({ ...record.values }))
  const { keys } = await (hooks.create ?? (list => insertRecords(database, model.reader.plan.model, list)))(values)
  if (keys.length !== records.length) throw new NotStored()
  return keys
}

/** Writes to stored records; returns their keys. */
async function update(
  { database, model, hooks }: RecordWriter,
  records: readonly ImportRecord[],
): Promise<readonly unknown[]> {
  const { fixedValues = {} } = hooks
  const table = model.reader.plan.model
  const changes = records.map(({ key, stored, values }) => ({
    key,
    row: stored,
    values: withoutFixed(values, fixedValues),
  }))
  const { keys } = hooks.update
    ? await hooks.update(
        changes.flatMap(({ row, values }) =>
          row ? [{ record: recordOf<Model>(database, table, row), values: { ...values } }] : [],
        ),
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

/** An error of single rows; others, such as a lost connection, end the import. */
export function isAboutRows(error: unknown): boolean {
  return (error instanceof ApiError && error.status < 500) || error instanceof NotStored
}

function blame(writer: RecordWriter, record: ImportRecord, error: unknown): void {
  const errors = error instanceof ApiError ? (error.errors ?? { [NON_FIELD_ERRORS]: [error.message] }) : {}
  const told = Object.entries(errors).flatMap(([field, messages]) => messages.map(message => ({ field, message })))
  if (told.length === 0) {
    const message = error instanceof ApiError ? error.message : 'The database did not store this row.'
    writer.fail(record, NON_FIELD_ERRORS, message)
  }
  for (const { field, message } of told) writer.fail(record, field, message)
  if (error instanceof Conflict) writer.block(record)
}
