import { type Message, message } from '../../core/messages/message.ts'
import { TabularError } from '../errors.ts'
import { type ReadCell, SheetNumber } from './file.ts'
import type { FoundRow } from './found-row.ts'
import type { ReadLimits } from './limits.ts'

/** Few messages between threads, and little memory. */
const MOST_ROWS = 500
const HEAVY = 1024 * 1024
const CELL_WEIGHT = 16

/**
 * Collects the rows of a sheet in batches, without blank rows.
 *
 * A workbook stores each text once for all its cells. Here each cell counts, so that a small file cannot become very
 * large in memory.
 */
export class RowBatches {
  readonly #limits: ReadLimits
  #full: FoundRow[][] = []
  #rows: FoundRow[] = []
  #weight = 0
  #characters = 0
  #count = 0

  constructor(limits: ReadLimits) {
    this.#limits = limits
  }

  get count(): number {
    return this.#count
  }

  /**
   * Adds a row.
   * @param at the positions of the cells, if empty ones are left out
   * @param warning about the row
   * @throws TabularError `too_large` for a row beyond the limits
   */
  add(row: number, cells: readonly ReadCell[], at?: readonly number[], warning?: Message): void {
    const { maxRows, maxColumns, maxCellLength, maxRecordBytes, maxInflatedBytes } = this.#limits
    if (row > maxRows) throw new TabularError('too_large', message('too_large.rows', { max: maxRows }))
    if (cells.length > maxColumns) tooLarge(row, 'row_columns', maxColumns)
    let characters = 0
    let end = 0
    for (let i = 0; i < cells.length; i++) {
      const cell = cells[i] as ReadCell
      if (cell === null) continue
      if (typeof cell === 'string') {
        if (cell.length > maxCellLength) tooLarge(row, 'cell', maxCellLength)
        characters += cell.length
        if (cell.trim() === '') continue
      } else if (cell instanceof SheetNumber) characters += cell.shown?.length ?? 0
      end = Math.max(end, (at ? (at[i] as number) : i) + 1)
    }
    if (end === 0) return
    this.#characters += characters
    if (characters > maxRecordBytes) tooLarge(row, 'row', maxRecordBytes)
    if (this.#characters > maxInflatedBytes) tooLarge(row, 'all', maxInflatedBytes)
    this.#weight += characters + cells.length * CELL_WEIGHT
    this.#rows.push({ row, cells, at, end, warning })
    this.#count++
    if (this.#rows.length < MOST_ROWS && this.#weight < HEAVY) return
    this.#full.push(this.#rows)
    this.#rows = []
    this.#weight = 0
  }

  takeFull(): FoundRow[][] {
    return this.#full.splice(0)
  }

  takeAll(): FoundRow[][] {
    const batches = this.#rows.length > 0 ? [...this.#full, this.#rows] : this.#full
    this.#full = []
    this.#rows = []
    this.#weight = 0
    return batches
  }
}

function tooLarge(row: number, what: 'row_columns' | 'cell' | 'row' | 'all', max: number): never {
  throw new TabularError('too_large', message(`too_large.${what}`, { row, max }))
}
