import { setImmediate as pause } from 'node:timers/promises'
import { message } from '../../core/messages/message.ts'
import { CellProblem } from '../../kinds/cells.ts'
import { type ImportRow, rowError } from '../read/import-row.ts'
import type { RowBatch, RowSource } from '../read/row-source.ts'
import type { ImportedSheet, SheetModel } from '../read/sheet-layout.ts'
import { takenMessage } from './failures.ts'
import { rowKey } from './row-groups.ts'

/** Rows of a file that are read at once. */
const BATCH = 1_000
const NAMED_ROWS = 10

interface Repeated {
  readonly rows: number[]
  count: number
}

/** The rows of a file that have the same key, for models whose rows then fail. Keys are kept for the whole file. */
export class RepeatedRows {
  readonly #first = new Map<string, number>()
  readonly #repeated = new Map<string, Repeated>()

  /** Reads the keys of all rows. The source ends where it began. */
  static async in(
    source: RowSource,
    readAll: (batch: RowBatch) => Promise<readonly ImportRow[]>,
    signal: AbortSignal | undefined,
  ): Promise<RepeatedRows> {
    const found = new RepeatedRows()
    const start = source.position
    await source.rewind(0)
    for (let batch = await source.take(BATCH); batch; batch = await source.take(BATCH)) {
      signal?.throwIfAborted()
      await pause()
      const model = strictModel(batch.sheet)
      if (model) for (const row of await readAll(batch)) found.#note(batch.sheet, model, row)
    }
    await source.rewind(start)
    return found
  }

  refuse(sheet: ImportedSheet, rows: readonly ImportRow[]): void {
    const model = strictModel(sheet)
    if (!model) return
    const { field, names } = takenMessage(model, model.reader.plan.unique.columns)
    for (const row of rows) {
      const key = keyOf(sheet, model, row)
      const repeated = key === undefined ? undefined : this.#repeated.get(key)
      if (!repeated) continue
      const more = repeated.count - repeated.rows.length
      const text = message('repeated_row', { field: names, numbers: repeated.rows.map(String), more })
      row.errors.push(rowError(model, row, field, text))
    }
  }

  #note(sheet: ImportedSheet, model: SheetModel, row: ImportRow): void {
    const key = keyOf(sheet, model, row)
    if (key === undefined) return
    const first = this.#first.get(key)
    if (first === undefined) {
      this.#first.set(key, row.number)
      return
    }
    const repeated = this.#repeated.get(key) ?? { rows: [first], count: 1 }
    this.#repeated.set(key, repeated)
    repeated.count++
    if (repeated.rows.length < NAMED_ROWS) repeated.rows.push(row.number)
  }
}

/** The model that the rows of a sheet are about, if no two rows may have the same key. */
function strictModel({ models }: ImportedSheet): SheetModel | undefined {
  const model = models.at(-1)
  return model?.reader.plan.policy.onDuplicateRow === 'fail' ? model : undefined
}

/** `undefined` for a row that names no record. */
function keyOf(sheet: ImportedSheet, model: SheetModel, row: ImportRow): string | undefined {
  const cells = row.cells.at(-1)
  const { unique, plan } = model.reader
  if (!cells || row.isSkipped || unique.every(at => (cells[at] ?? null) === null)) return undefined
  if (unique.some(at => cells[at] instanceof CellProblem)) return undefined
  return `${sheet.position} ${rowKey(model, unique, cells, plan.unique.ignoreCase)}`
}
