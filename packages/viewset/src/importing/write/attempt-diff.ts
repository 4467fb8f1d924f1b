import type { ImportChange } from '../diff.ts'
import type { ImportRow } from '../read/import-row.ts'
import type { ImportedSheet, SheetModel } from '../read/sheet-layout.ts'
import { changeOf, type RowChange } from './diff-collector.ts'
import type { ImportRecord } from './import-record.ts'
import { type Snapshot, snapshots } from './snapshots.ts'
import type { WriteContext } from './write-context.ts'

/** What one attempt changes: records are looked at before and after, so that it is what the database has made of them. */
export class AttemptDiff {
  readonly changes: RowChange[] = []
  readonly #context: WriteContext
  readonly #sheet: ImportedSheet
  readonly #before = new Map<ImportRecord, Snapshot | undefined>()

  constructor(context: WriteContext, sheet: ImportedSheet) {
    this.#context = context
    this.#sheet = sheet
  }

  /** Looks at the stored records that are about to be written or deleted. */
  async see(model: SheetModel, records: readonly ImportRecord[]): Promise<void> {
    const stored = records.filter(({ key }) => key !== undefined)
    const seen = await this.#look(
      model,
      stored.map(({ key }) => key),
    )
    for (const record of records) this.#before.set(record, seen.get(String(record.key)))
  }

  /** Takes note of what has become of records; `isRepeatedToo` if further rows of each found it as they say. */
  async wrote(model: SheetModel, records: readonly ImportRecord[], isRepeatedToo: boolean): Promise<void> {
    const now = await this.#look(
      model,
      records.map(({ writtenKey }) => writtenKey),
    )
    for (const record of records) {
      const change = changeOf(model.reader.sight, this.#before.get(record), now.get(String(record.writtenKey)))
      const [first, ...repeated] = record.rows
      if (first) this.#add(model, first, change)
      if (isRepeatedToo) for (const row of repeated) this.#add(model, row, UNCHANGED)
    }
  }

  unchanged(model: SheetModel, { rows }: ImportRecord): void {
    for (const row of rows) this.#add(model, row, UNCHANGED)
  }

  deleted(model: SheetModel, record: ImportRecord): void {
    const [first] = record.rows
    if (first) this.#add(model, first, changeOf(model.reader.sight, this.#before.get(record), undefined))
  }

  #add(model: SheetModel, row: ImportRow, change: Pick<ImportChange, 'action' | 'changes'>): void {
    const isLast = model === this.#sheet.models.at(-1)
    this.changes.push({ row, isLast, change: { row: row.number, model: model.reader.plan.key, ...change } })
  }

  async #look({ reader }: SheetModel, keys: readonly unknown[]): Promise<ReadonlyMap<string, Snapshot>> {
    return keys.length === 0 ? new Map() : snapshots(this.#context, reader, keys)
  }
}

const UNCHANGED = { action: 'unchanged', changes: {} } as const
