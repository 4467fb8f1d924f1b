import { fitCell } from '../fit-cell.ts'
import type { Cell, TabularKind } from '../table.ts'

/** A cell as people read it: times without fraction and zone (they are in UTC), `Yes` and `No`, tabs as blanks. */
export function displayText(cell: Cell, kind: TabularKind, onCut: () => void): string {
  if (cell === null) return ''
  if (typeof cell === 'boolean') return cell ? 'Yes' : 'No'
  if (typeof cell !== 'string') return String(cell)
  if (kind === 'timestamp') return cell.replace(/^(\d{4}-\d\d-\d\d)T(\d\d:\d\d:\d\d)(?:\.\d+)?Z$/, '$1 $2')
  const text = fitCell(cell, onCut)
  return /[\t\r]/.test(text) ? text.replace(/\r\n?/g, '\n').replaceAll('\t', '  ') : text
}
