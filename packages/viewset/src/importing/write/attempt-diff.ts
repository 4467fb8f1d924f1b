import { keyText } from '../../store/row-order.ts'
import type { ImportChange } from '../diff.ts'
import type { ImportRow } from '../read/import-row.ts'
import type { ImportedSheet, SheetModel } from '../read/sheet-layout.ts'
import { changeOf, type RowChange, type Snapshot, snapshots } from './diff.ts'
import type { ImportRecord } from './row-groups.ts'
import type { WriteContext } from './write-context.ts'

/** Reads records before and after the write, so that triggers and defaults are part of the result. */
export class AttemptDiff {
  readonly #noted: RecordChange[] = []
  readonly #context: WriteContext
  readonly #sheet: ImportedSheet

  constructor(context: WriteContext, sheet: ImportedSheet) {
    this.#context = context
    this.#sheet = sheet
  }

  /** Keeps each record as it is stored now. A record that is split in two passes this on to both. */
  async see(model: SheetModel, records: readonly ImportRecord[]): Promise<void> {
    const stored = records.filter(({ key }) => key !== undefined)
    const seen = await this.#look(
      model,
      stored.map(({ key }) => key),
    )
    const { model: table } = model.reader.plan
    for (const record of stored) record.before = seen.get(keyText(table, record.key))
  }

  /** @param isRepeatedToo whether a record's further rows count as unchanged */
  async wrote(model: SheetModel, records: readonly ImportRecord[], isRepeatedToo: boolean): Promise<void> {
    const now = await this.#look(
      model,
      records.map(({ writtenKey }) => writtenKey),
    )
    for (const record of records) {
      const after = now.get(keyText(model.reader.plan.model, record.writtenKey))
      const change = changeOf(model.reader.sight, snapshotBefore(record), after)
      this.#noted.push({ model, rows: record.rows, change, isRepeatedToo })
    }
  }

  unchanged(model: SheetModel, { rows }: ImportRecord): void {
    this.#noted.push({ model, rows, change: UNCHANGED, isRepeatedToo: true })
  }

  deleted(model: SheetModel, record: ImportRecord): void {
    const change = changeOf(model.reader.sight, snapshotBefore(record), undefined)
    this.#noted.push({ model, rows: record.rows, change, isRepeatedToo: false })
  }

  /** A change belongs to the record's first row that did not fail: others may have failed at another model. */
  changesOf(isWritten: (row: ImportRow) => boolean): readonly RowChange[] {
    return this.#noted.flatMap(({ model, rows, change, isRepeatedToo }) => {
      const isLast = model === this.#sheet.models.at(-1)
      const written = rows.filter(isWritten)
      return (isRepeatedToo ? written : written.slice(0, 1)).map((row, at) => {
        const { action, changes } = at === 0 ? change : UNCHANGED
        return { row, isLast, change: { row: row.number, model: model.reader.plan.key, action, changes } }
      })
    })
  }

  async #look({ reader }: SheetModel, keys: readonly unknown[]): Promise<ReadonlyMap<string, Snapshot>> {
    return keys.length === 0 ? new Map() : snapshots(this.#context, reader, keys)
  }
}

/** A record whose key is gone was deleted by another transaction, and is created again. */
function snapshotBefore({ key, before }: ImportRecord): Snapshot | undefined {
  return key === undefined ? undefined : before
}

interface RecordChange {
  readonly model: SheetModel
  readonly rows: readonly ImportRow[]
  readonly change: Pick<ImportChange, 'action' | 'changes'>
  readonly isRepeatedToo: boolean
}

const UNCHANGED = { action: 'unchanged', changes: {} } as const
