import { CellProblem } from '../../kinds/cells.ts'
import type { ReadRow } from '../../tabular/read/file.ts'
import type { ImportHooks } from '../import-hooks.ts'
import type { ImportValues } from '../options.ts'
import type { ModelPlan } from '../plan/plan.ts'
import { changesOf, withChangedCells } from '../read/cell-values.ts'
import { plainCell } from '../read/cells.ts'
import type { ChosenSheet, ColumnMatches } from '../read/choose-sheets.ts'
import { fixedColumns } from '../read/fixed-columns.ts'
import type { ImportRow } from '../read/import-row.ts'
import { isNeeded } from '../read/model-reader.ts'
import { type RowReading, readRows } from '../read/read-rows.ts'
import { type ImportedSheet, importedSheet } from '../read/sheet-layout.ts'
import { shownProblem } from '../row-problems.ts'
import type { PreviewRow } from './import-preview.ts'

export const PREVIEW_ROWS = 20
const LONGEST_TEXT = 200

export interface RowsContext {
  readonly values: ImportValues | undefined
  readonly hooks: (plan: ModelPlan) => ImportHooks
  readonly reading: RowReading
}

export async function previewRows(
  chosen: ChosenSheet,
  matches: ColumnMatches,
  { values, hooks, reading }: RowsContext,
): Promise<readonly PreviewRow[]> {
  const clear = new Map([...matches.found].map(([column, at]) => [column, at.length === 1 ? at : []]))
  const mayFeed = reading.prepareRow !== undefined
  const sheet = importedSheet(chosen, { ...matches, found: clear }, isNeeded(chosen.readers), mayFeed)
  const first = await firstRows(chosen)
  const changes = changesOf(chosen.sheet, values ?? {})
  const wanted = first
    .map(row => withChangedCells(row, changes))
    .map(({ cells, ...row }) => ({ ...row, cells: sheet.columns.map(at => cells[at] ?? null) }))
  const read = await readRows(sheet, wanted, reading, fixedColumns(sheet, hooks))
  return read.map((row, index) => ({
    row: row.number,
    cells: chosen.sheet.header.map((_, at) => shorten(plainCell(first[index]?.cells[at]))),
    values: valuesOf(sheet, row),
    problems: row.errors.map(shownProblem),
    ...(row.warnings.length > 0 && { warnings: row.warnings.map(shownProblem) }),
  }))
}

async function firstRows({ sheet }: ChosenSheet): Promise<readonly ReadRow[]> {
  const first: ReadRow[] = []
  for await (const rows of sheet.rows()) {
    first.push(...rows.slice(0, PREVIEW_ROWS - first.length))
    if (first.length === PREVIEW_ROWS) break
  }
  return first
}

function valuesOf({ models }: ImportedSheet, { cells }: ImportRow): Readonly<Record<string, unknown>> {
  const values = models.flatMap(({ columns }, model) =>
    columns.map(({ field }, at) => [field, shownValue(cells[model]?.[at])] as const),
  )
  return Object.fromEntries(values.filter(([, value]) => value !== undefined))
}

function shownValue(value: unknown): unknown {
  if (value instanceof CellProblem) return undefined
  if (typeof value === 'bigint') return Number.isSafeInteger(Number(value)) ? Number(value) : String(value)
  if (typeof value !== 'object' || value === null) return shorten(value)
  const json = JSON.stringify(value)
  return json.length > LONGEST_TEXT ? shorten(json) : value
}

function shorten<T>(value: T): T | string {
  if (typeof value !== 'string' || value.length <= LONGEST_TEXT) return value
  return `${value.slice(0, LONGEST_TEXT).toWellFormed()}...`
}
