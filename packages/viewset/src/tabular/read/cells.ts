import type { ReadCell } from './file.ts'

/** Whether a row has nothing that a person would see. */
export function isBlank(cells: readonly ReadCell[]): boolean {
  return cells.every(cell => cell === null || (typeof cell === 'string' && cell.trim() === ''))
}
