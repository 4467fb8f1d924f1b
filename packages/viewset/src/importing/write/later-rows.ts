import { message } from '../../core/messages/message.ts'
import { CellProblem } from '../../kinds/cells.ts'
import { type ImportRow, isDeletion, isLeft, rowError } from '../read/import-row.ts'
import { failWarned } from '../read/read-rows.ts'
import type { ImportedSheet, SheetModel } from '../read/sheet-layout.ts'
import { takenMessage } from './failures.ts'
import { rowKey } from './row-groups.ts'

/** The first row of a record. */
interface FirstRow {
  readonly row: number
  /** The hash of its cells. */
  readonly cells: number
}

/**
 * Warns of rows that overwrite what the first row of their record says. The keys of the whole file are kept as hashes of
 * 53 bits, at 100 bytes a row: of a million rows, two keys have the same hash once in 18,000 files.
 */
export class LaterRows {
  readonly #first = new Map<number, FirstRow>()

  warn(sheet: ImportedSheet, rows: readonly ImportRow[], failOnWarnings: boolean): void {
    const model = overwritingModel(sheet)
    if (!model) return
    const { unique, plan } = model.reader
    const { field, names } = takenMessage(model, plan.unique.columns)
    for (const row of rows) {
      const cells = row.cells.at(-1)
      if (!isLeft(row) || !cells || isDeletion(model.reader, cells)) continue
      if (unique.some(at => cells[at] instanceof CellProblem) || unique.every(at => (cells[at] ?? null) === null))
        continue
      const key = hash(`${sheet.position} ${rowKey(model, unique, cells, plan.unique.ignoreCase)}`)
      const hashed = hash(JSON.stringify(cells, exact))
      const first = this.#first.get(key)
      // A transaction that is tried again reads its rows again.
      if (!first) this.#first.set(key, { row: row.number, cells: hashed })
      else if (first.row < row.number && first.cells !== hashed) {
        row.warnings.push(rowError(model, row, field, message('later_row', { row: first.row, field: names })))
        if (failOnWarnings) failWarned(row)
      }
    }
  }
}

/** The model that the rows of a sheet are about, if a later row changes the record of an earlier one. */
function overwritingModel({ models }: ImportedSheet): SheetModel | undefined {
  const model = models.at(-1)
  if (!model) return undefined
  const { onDuplicateRow, onExisting, createOnly } = model.reader.plan.policy
  return onDuplicateRow === 'last' && onExisting === 'update' && !createOnly ? model : undefined
}

function exact(_: string, value: unknown): unknown {
  return typeof value === 'bigint' ? `${value}n` : value
}

/** Two hashes by the method of Fowler, Noll and Vo, as one safe integer. */
function hash(text: string): number {
  let low = 0x811c9dc5
  let high = 0x9e3779b9
  for (let at = 0; at < text.length; at++) {
    const unit = text.charCodeAt(at)
    low = Math.imul(low ^ unit, 0x01000193)
    high = Math.imul(high ^ unit, 0x85ebca6b) ^ (high >>> 13)
  }
  return (high >>> 11) * 0x1_0000_0000 + (low >>> 0)
}
