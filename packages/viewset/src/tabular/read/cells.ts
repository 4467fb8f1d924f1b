import { type ReadCell, SheetMoment } from './file.ts'
import { allCells, type FoundRow } from './found-row.ts'

/** The names in a header's cells. */
export function headerOf(row: FoundRow): string[] {
  return allCells(row).map(cell => (cell instanceof SheetMoment ? cell.text : String(cell ?? '').trim()))
}

/** The cell for what a date format shows. A time without a day is text, since it is no moment. */
export function momentCell(text: string): ReadCell {
  return /^\d{4}-/.test(text) ? new SheetMoment(text) : text
}
