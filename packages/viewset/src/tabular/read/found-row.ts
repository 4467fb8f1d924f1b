import { type ReadCell, type ReadRow, SheetMoment } from './file.ts'

/**
 * A row as the reader of a format finds it. Between two cells of a workbook a thousand may be empty, which cost nothing
 * in the file: they shall not cost anything here either.
 */
export interface FoundRow {
  readonly row: number
  readonly cells: readonly ReadCell[]
  /** Where the cells stand, if only those are there that are not empty; of two at one place the later counts. */
  readonly at?: readonly number[] | undefined
  /** The position behind the last cell that is not blank. */
  readonly end: number
}

/** The cells of a row from the first to the last. */
function allCells({ cells, at }: FoundRow): readonly ReadCell[] {
  if (!at) return cells
  const all: ReadCell[] = new Array(Math.max(-1, ...at) + 1).fill(null)
  for (const [index, position] of at.entries()) all[position] = cells[index] as ReadCell
  return all
}

/** Makes rows of a sheet whose header has `width` cells; of `columns` only, in their order, where they are given. */
export function rowMaker(width: number, columns: readonly number[] | undefined): (found: FoundRow) => ReadRow {
  const cellsOf = columns === undefined ? allCells : cellPicker(columns)
  return found => ({ row: found.row, cells: cellsOf(found), isWider: found.end > width })
}

function cellPicker(columns: readonly number[]): (found: FoundRow) => readonly ReadCell[] {
  const slots = new Map(columns.map((column, slot) => [column, slot]))
  const isAll = columns.every((column, slot) => column === slot)
  return ({ cells, at }) => {
    if (!at) return isAll && cells.length === columns.length ? cells : columns.map(column => cells[column] ?? null)
    const picked: ReadCell[] = new Array(columns.length).fill(null)
    for (let i = 0; i < at.length; i++) {
      const slot = slots.get(at[i] as number)
      if (slot !== undefined) picked[slot] = cells[i] as ReadCell
    }
    return picked
  }
}

/** The names in a header's cells. */
export function headerOf(row: FoundRow): string[] {
  return allCells(row).map(cell => (cell instanceof SheetMoment ? cell.text : String(cell ?? '').trim()))
}

/** The cell for what a date format shows. A time without a day is text, since it is no moment. */
export function momentCell(text: string): ReadCell {
  return /^\d{4}-/.test(text) ? new SheetMoment(text) : text
}

/** A sheet as its format's reader gives it: from the beginning each time, its header being the first row. */
export interface SheetSource {
  readonly name: string
  rows(): AsyncIterable<FoundRow[]>
}
