import type { Message } from '../../core/messages/message.ts'
import { type HeaderRow, MOST_TOP_ROWS, type ReadCell, type ReadRow, SheetMoment } from './file.ts'
import type { SheetView } from './sheet-view.ts'

/** A row with the cells that its file has. A thousand empty cells between two others cost no memory. */
export interface FoundRow {
  readonly row: number
  readonly cells: readonly ReadCell[]
  /** The positions of the cells, if only the non-empty ones are listed. Of two at one position, the later counts. */
  readonly at?: readonly number[] | undefined
  readonly end: number
  /** About the text of the row. Rows of workbooks have none. */
  readonly warning?: Message | undefined
}

function allCells({ cells, at }: FoundRow): readonly ReadCell[] {
  if (!at) return cells
  const all: ReadCell[] = new Array(Math.max(-1, ...at) + 1).fill(null)
  for (const [index, position] of at.entries()) all[position] = cells[index] as ReadCell
  return all
}

/** Makes rows of a sheet whose header has `width` cells, with only `columns` in their order if given. */
export function rowMaker(width: number, columns: readonly number[] | undefined): (found: FoundRow) => ReadRow {
  const cellsOf = columns === undefined ? allCells : cellPicker(columns)
  return found => {
    const { row, end, warning } = found
    const made = { row, cells: cellsOf(found), isWider: end > width }
    return warning ? { ...made, warning } : made
  }
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

function headerOf(row: FoundRow): string[] {
  return allCells(row).map(cell => (cell instanceof SheetMoment ? cell.text : String(cell ?? '').trim()))
}

/** A row as a possible header. */
export function topRow(row: FoundRow): HeaderRow {
  return { row: row.row, texts: headerOf(row) }
}

/** The first rows of a sheet. */
export async function topOf(batches: AsyncIterable<FoundRow[]>): Promise<readonly HeaderRow[]> {
  const top: HeaderRow[] = []
  for await (const rows of batches) {
    top.push(...rows.slice(0, MOST_TOP_ROWS - top.length).map(topRow))
    if (top.length === MOST_TOP_ROWS) break
  }
  return top
}

export function momentCell(text: string): ReadCell {
  return /^\d{4}-/.test(text) ? new SheetMoment(text) : text
}

export interface SheetSource {
  readonly name: string
  readonly isHidden: boolean
  rows(): AsyncIterable<FoundRow[]>
  /** Complete when the last `rows` have been read. Only the beginning of a sheet has none. */
  view?(): SheetView | undefined
}
