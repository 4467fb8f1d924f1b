import type { SheetRemarks } from './file.ts'

interface Area {
  readonly firstRow: number
  readonly lastRow: number
  readonly firstColumn: number
  readonly lastColumn: number
}

/** Those of Excel. */
const COLUMNS = 16_384
/** Real workbooks have some thousand. */
const MOST_AREAS = 100_000

/** How a spreadsheet program shows a sheet, as far as its cells do not say it. Rows count from 1, columns from 0. */
export class SheetView {
  readonly #hiddenRows: number[] = []
  readonly #hiddenColumns = new Uint8Array(COLUMNS)
  readonly #merged: Area[] = []
  #lastRow = 0

  /** Call it for each row with content. */
  addRow(row: number, isHidden: boolean): void {
    if (isHidden) this.#hiddenRows.push(row)
    this.#lastRow = Math.max(this.#lastRow, row)
  }

  hideColumns(first: number, last: number): void {
    this.#hiddenColumns.fill(1, Math.max(first, 0), last + 1)
  }

  merge(area: Area): void {
    if (this.#merged.length < MOST_AREAS) this.#merged.push(area)
  }

  /** What concerns the rows below a header, in some columns. */
  remarks(header: number, columns: readonly number[]): SheetRemarks {
    const wanted = new Uint8Array(COLUMNS)
    for (const at of columns) wanted[at] = 1
    const before = countsBefore(wanted)
    const merged = this.#merged.map(area => this.#emptyIn(area, header, before)).filter(cells => cells > 0)
    return {
      hiddenRows: this.#hiddenRows.filter(row => row > header).length,
      hiddenColumns: columns.filter(at => this.#hiddenColumns[at] === 1),
      mergedAreas: merged.length,
      mergedCells: merged.reduce((sum, cells) => sum + cells, 0),
    }
  }

  /** The number of cells that are empty because another one of their area has the value. */
  #emptyIn(area: Area, header: number, before: Uint32Array): number {
    const [first, end] = [Math.min(area.firstColumn, COLUMNS), Math.min(area.lastColumn + 1, COLUMNS)]
    if (end <= first) return 0
    const rows = Math.max(Math.min(area.lastRow, this.#lastRow) - Math.max(area.firstRow, header + 1) + 1, 0)
    const hasFirst = area.firstRow > header && before[first + 1]! > before[first]!
    return rows * (before[end]! - before[first]!) - (hasFirst && rows > 0 ? 1 : 0)
  }
}

/** The number of wanted columns before each, and before the end. */
function countsBefore(wanted: Uint8Array): Uint32Array {
  const counts = new Uint32Array(wanted.length + 1)
  for (let at = 0; at < wanted.length; at++) counts[at + 1] = counts[at]! + wanted[at]!
  return counts
}
