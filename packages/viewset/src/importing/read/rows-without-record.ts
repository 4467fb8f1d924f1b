import { NON_FIELD_ERRORS } from '../../core/errors.ts'
import { type Message, message } from '../../core/messages/message.ts'
import { hasTotalsWord, isNumberText, isTotalsLabel } from '../../kinds/locale/totals-words.ts'
import type { ReadRow } from '../../tabular/read/file.ts'
import type { TotalsRows } from '../config.ts'
import { isInFile } from '../plan/plan.ts'
import type { ImportRowProblem } from '../result.ts'
import { plainCell, withoutFormat } from './cells.ts'
import { hasFailed, type ImportRow, isDeletion, rowError } from './import-row.ts'
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

interface TotalsReading {
  readonly fixed: ReadonlySet<SheetColumn>
  readonly totalsRows: TotalsRows
}

/** Fails, skips or warns of a row that looks like a row of totals. */
export function nameTotals(
  sheet: ImportedSheet,
  row: ImportRow,
  read: Pick<ReadRow, 'cells'>,
  open: Pick<OpenRow, 'given'> | undefined,
  { fixed, totalsRows }: TotalsReading,
): void {
  const label = totalsLabel(read.cells)
  if (label === undefined && !hasFailed(row)) return
  const isSkipped = totalsRows === 'skip'
  const keys = keysOf(sheet, fixed)
  const given = keys.map(column => textOf(open ? open.given(column) : read.cells[column.at ?? -1]))
  const word = hasFailed(row) ? wordOfFailed(read, given) : undefined
  const [first] = keys
  if (first && word !== undefined) {
    const params = { word: shorten(word), fields: [...new Set(keys.map(({ header, field }) => header ?? field))] }
    const text = message(isSkipped ? 'totals_row.skipped' : 'totals_row', params)
    const problem = rowError(sheet.models.at(-1)!, row, first.field, text)
    row.errors.splice(0, row.errors.length, ...(isSkipped ? [] : [problem]))
    if (isSkipped) skip(row, problem)
    return
  }
  const isKey = given.some(isTotalsLabel) || given.every(text => text === '')
  if (label === undefined || !isKey || deletes(sheet, row)) return
  const problem = labelProblem(sheet, row, label, isSkipped ? 'totals_row.label' : 'totals_row.stored')
  if (isSkipped) skip(row, problem)
  else if (!hasFailed(row)) row.warnings.push(problem)
}

function skip(row: ImportRow, warning: ImportRowProblem): void {
  row.errors.length = 0
  row.warnings.splice(0, row.warnings.length, warning)
  row.isSkipped = true
}

/** The columns by which the rows of the file find their records. */
function keysOf({ models }: ImportedSheet, fixed: ReadonlySet<SheetColumn>): readonly SheetColumn[] {
  const { reader, columns } = models.at(-1)!
  return reader.unique.map(at => columns[at]!).filter(column => isInFile(column.plan) && !fixed.has(column))
}

/** A row that failed looks like totals if it has such a word, and no value by which a record is found but such a word. */
function wordOfFailed({ cells }: Pick<ReadRow, 'cells'>, given: readonly string[]): string | undefined {
  if (given.some(text => text !== '' && !hasTotalsWord(text))) return undefined
  return cells.map(cell => (typeof cell === 'string' ? cell.trim() : '')).find(hasTotalsWord)
}

interface TotalsLabel {
  readonly text: string
  /** The position of its cell. */
  readonly at: number
}

/**
 * The only text of a row whose other cells are numbers or empty, if it is a label of totals. A row without a number has no
 * total. Most rows end at their first text.
 */
function totalsLabel(cells: ReadRow['cells']): TotalsLabel | undefined {
  let label: TotalsLabel | undefined
  let hasNumber = false
  for (let at = 0; at < cells.length; at++) {
    const cell = withoutFormat(cells[at], false)
    if (cell === null || cell === undefined) continue
    if (typeof cell !== 'number' && typeof cell !== 'string') return undefined
    const text = typeof cell === 'string' ? cell.trim() : ''
    const isNumber = typeof cell === 'number' || isNumberText(text)
    hasNumber ||= isNumber
    if (isNumber || text === '') continue
    if (label || !isTotalsLabel(text)) return undefined
    label = { text, at }
  }
  return hasNumber ? label : undefined
}

function labelProblem(
  { models }: ImportedSheet,
  row: ImportRow,
  { text, at }: TotalsLabel,
  name: 'totals_row.label' | 'totals_row.stored',
): ImportRowProblem {
  const model = models.findLast(({ columns }) => columns.some(column => column.at === at))
  const column = model?.columns.find(one => one.at === at)
  const field = column?.field ?? NON_FIELD_ERRORS
  return rowError(model ?? models.at(-1)!, row, field, message(name, { word: shorten(text) }))
}

function deletes({ models }: ImportedSheet, { cells }: ImportRow): boolean {
  return isDeletion(models.at(-1)!.reader, cells.at(-1) ?? [])
}

function textOf(cell: unknown): string {
  return String(plainCell(cell) ?? '').trim()
}
