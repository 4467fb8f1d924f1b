import { NON_FIELD_ERRORS } from '../../core/errors.ts'
import { type Message, message } from '../../core/messages/message.ts'
import { hasTotalsWord } from '../../kinds/locale/totals-words.ts'
import type { ReadRow } from '../../tabular/read/file.ts'
import type { TotalsRows } from '../config.ts'
import { isInFile } from '../plan/plan.ts'
import { plainCell } from './cells.ts'
import { hasFailed, type ImportRow, rowError } from './import-row.ts'
import type { OpenRow } from './prepare-rows.ts'
import type { ImportedSheet, SheetColumn } from './sheet-layout.ts'
import { shorten } from './sheet-mapping.ts'

/** The row of a later page of a printed table. A single cell may be a value that is equal to its header. */
function repeatsHeader({ headerTexts }: ImportedSheet, { cells, isWider }: ReadRow): boolean {
  if (isWider) return false
  let equal = 0
  for (let at = 0; at < cells.length; at++) {
    const text = textOf(cells[at])
    if (text === '') continue
    if (text !== headerTexts[at]) return false
    equal++
  }
  return equal > 1
}

/** Why a row is skipped before its cells are read. */
export function skippedRow(sheet: ImportedSheet, row: ReadRow): ImportRow | undefined {
  if (repeatsHeader(sheet, row)) return withWarning(sheet, row, message('repeated_header'))
  return sheet.isExample?.(row) ? withWarning(sheet, row, message('example_row')) : undefined
}

function withWarning({ models }: ImportedSheet, { row: number }: ReadRow, text: Message): ImportRow {
  const cells = models.map(({ columns }) => new Array<unknown>(columns.length))
  const warning = rowError(models.at(-1)!, { number }, NON_FIELD_ERRORS, text)
  return { number, cells, errors: [], warnings: [warning], isSkipped: true }
}

/**
 * Says of a failed row that it looks like a row of totals: it has such a word, and no value by which a record is found.
 * A key that is such a word is no value.
 */
export function nameTotals(
  { models }: ImportedSheet,
  row: ImportRow,
  { cells }: Pick<ReadRow, 'cells'>,
  open: Pick<OpenRow, 'given'> | undefined,
  { fixed, totalsRows }: { readonly fixed: ReadonlySet<SheetColumn>; readonly totalsRows: TotalsRows },
): void {
  if (!hasFailed(row)) return
  const model = models.at(-1)!
  const { reader, columns } = model
  const keys = reader.unique.map(at => columns[at]!).filter(column => isInFile(column.plan) && !fixed.has(column))
  const [first] = keys
  if (!first) return
  const given = keys.map(column => textOf(open ? open.given(column) : cells[column.at ?? -1]))
  if (given.some(text => text !== '' && !hasTotalsWord(text))) return
  const word = cells.map(cell => (typeof cell === 'string' ? cell.trim() : '')).find(hasTotalsWord)
  if (word === undefined) return
  const params = { word: shorten(word), fields: [...new Set(keys.map(({ header, field }) => header ?? field))] }
  const isSkipped = totalsRows === 'skip'
  const problem = rowError(model, row, first.field, message(isSkipped ? 'totals_row.skipped' : 'totals_row', params))
  row.errors.splice(0, row.errors.length, ...(isSkipped ? [] : [problem]))
  if (isSkipped) row.warnings.splice(0, row.warnings.length, problem)
  row.isSkipped = isSkipped
}

function textOf(cell: unknown): string {
  return String(plainCell(cell) ?? '').trim()
}
