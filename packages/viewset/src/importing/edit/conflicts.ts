import { type Message, message } from '../../core/messages/message.ts'
import { shownValue } from '../../core/text.ts'
import { CellProblem } from '../../kinds/cells.ts'
import type { ReadContext } from '../../kinds/kind.ts'
import { has, kindOf } from '../../kinds/kinds.ts'
import type { ImportRowError } from '../../model/row-error.ts'
import type { ReadCell } from '../../tabular/read/file.ts'
import type { PlainCell } from '../../tabular/table.ts'
import { readCell } from '../read/read-rows.ts'
import type { SheetColumn } from '../read/sheet-layout.ts'
import { isEqual } from '../write/comparable.ts'
import { editCell, isEmptyCell } from './edit-cells.ts'
import type { EditedCell } from './edited-rows.ts'

/** A cell that was changed in the file and in the database: as it was exported, in the file, and in the database. */
type Conflict = NonNullable<ImportRowError['conflict']>
type ConflictingCell = Conflict['base']

export function conflictOf({ column, before, cell }: EditedCell, stored: unknown, context: ReadContext): Conflict {
  return {
    base: alike(column, before, context),
    yours: alike(column, cell, context),
    theirs: plainCell(editCell(column.plan, stored, context)),
  }
}

export function conflictMessage({ base, yours, theirs }: Conflict): Message {
  return message('conflict.edited', { before: shownCell(base), now: shownCell(theirs), yours: shownCell(yours) })
}

/** Whether the value of a cell is the stored one. */
export function isSameValue(
  { plan: { column, lookup, links } }: SheetColumn,
  value: unknown,
  stored: unknown,
): boolean {
  if (links)
    return isEqual([...(value as readonly unknown[])].map(String).sort(), [...(stored as unknown[])].map(String).sort())
  if (value === null || stored === null || value === undefined) return (value ?? null) === stored
  const by = lookup?.by ?? column
  return has(by, 'mutable') ? isEqual(value, stored) : kindOf(by).identity(value) === kindOf(by).identity(stored)
}

/** A cell of a file in the form of the stored value, so that a person compares `90.50` with `90.50`. */
function alike(column: SheetColumn, cell: ReadCell, context: ReadContext): ConflictingCell {
  const { links, lookup, column: stored } = column.plan
  if (links || lookup || isEmptyCell(cell)) return plainCell(cell)
  const value = readCell({ ...column, transform: undefined }, cell, context, () => '')
  if (value instanceof CellProblem) return plainCell(cell)
  return plainCell(editCell(column.plan, kindOf(stored).asStored?.(value, stored) ?? value, context))
}

function plainCell(cell: PlainCell): ConflictingCell {
  if (cell === null || typeof cell === 'string' || typeof cell === 'number' || typeof cell === 'boolean') return cell
  return String(cell)
}

function shownCell(cell: ConflictingCell): string {
  return shownValue(cell === null ? '' : String(cell))
}
