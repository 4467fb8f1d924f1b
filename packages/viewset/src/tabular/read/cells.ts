import type { ReadCell, ReadRow } from './file.ts'

/** Whether a row has nothing that a person would see. */
export function isBlank(cells: readonly ReadCell[]): boolean {
  return cells.every(cell => cell === null || (typeof cell === 'string' && cell.trim() === ''))
}

/** The names in a header's cells. */
export function headerOf({ cells }: ReadRow): string[] {
  return cells.map(cell => String(cell ?? '').trim())
}
