import type { SheetRemarks } from './file.ts'

interface Area {
  readonly firstRow: number
  readonly lastRow: number
  readonly firstColumn: number
  readonly lastColumn: number
}

/** Real workbooks have some thousand. */
const MOST_AREAS = 100_000

/** How a spreadsheet program shows a sheet, as far as its cells do not say it. Rows count from 1, columns from 0. */
export class SheetView {
  readonly #hiddenRows: number[] = []
  readonly #hiddenColumns: (readonly [first: number, last: number])[] = []
  readonly #merged: Area[] = []
  #lastRow = 0

  /** Call it for each row with content. */
  addRow(row: number, isHidden: boolean): void {
    if (isHidden) this.#hiddenRows.push(row)
    this.#lastRow = Math.max(this.#lastRow, row)
  }

  hideColumns(first: number, last: number): void {
    this.#hiddenColumns.push([first, last])
  }

  merge(area: Area): void {
    if (this.#merged.length < MOST_AREAS) this.#merged.push(area)
  }

  /** What concerns the rows below a header, in some columns. */
  remarks(header: number, columns: readonly number[]): SheetRemarks {
    const merged = this.#merged.map(area => this.#emptyIn(area, header, columns)).filter(cells => cells > 0)
    return {
      hiddenRows: this.#hiddenRows.filter(row => row > header).length,
      hiddenColumns: columns.filter(at => this.#hiddenColumns.some(([first, last]) => first <= at && at <= last)),
      mergedAreas: merged.length,
      mergedCells: merged.reduce((sum, cells) => sum + cells, 0),
    }
  }

  /** The number of cells that are empty because another one of their area has the value. */
  #emptyIn({ firstRow, lastRow, firstColumn, lastColumn }: Area, header: number, columns: readonly number[]): number {
    const rows = Math.min(lastRow, this.#lastRow) - Math.max(firstRow, header + 1) + 1
    const covered = columns.filter(at => firstColumn <= at && at <= lastColumn)
    const hasFirst = firstRow > header && covered.includes(firstColumn)
    return Math.max(rows, 0) * covered.length - (hasFirst && rows > 0 ? 1 : 0)
  }
}
