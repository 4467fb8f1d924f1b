import { CellProblem } from '../../kinds/cells.ts'
import type { ReadCell, ReadRow } from '../../tabular/read/file.ts'
import type { ImportHooks } from '../import-hooks.ts'
import type { ImportValues } from '../options.ts'
import type { ModelPlan } from '../plan/plan.ts'
import { changesOf, refuseSensitive, withChangedCells } from '../read/cell-values.ts'
import { plainCell } from '../read/cells.ts'
import type { ChosenSheet, ColumnMatches } from '../read/choose-sheets.ts'
import { fixedColumns } from '../read/fixed-columns.ts'
import type { ImportRow } from '../read/import-row.ts'
import { isNeeded } from '../read/model-reader.ts'
import { type RowReading, readRows } from '../read/read-rows.ts'
import { type ImportedSheet, importedSheet } from '../read/sheet-layout.ts'
import { shownProblem } from '../row-problems.ts'
import { UnmatchedTexts } from '../unmatched/unmatched-texts.ts'
import type { ForeignKeyLookups } from '../write/write-context.ts'
import { resolveUntouched } from '../write/write-rows.ts'
import type { PreviewSheet } from './import-preview.ts'

const LISTED_ROWS = 20
/** Rows whose texts are looked up, if no function of the application sees them. */
export const PREVIEW_ROWS = 1_000
const LONGEST_TEXT = 200

export interface RowsContext {
  readonly values: ImportValues | undefined
  readonly hooks: (plan: ModelPlan) => ImportHooks
  readonly reading: RowReading
  /** Finds records; `undefined` without a database. */
  readonly lookups: ForeignKeyLookups | undefined
}

export async function previewRows(
  chosen: ChosenSheet,
  matches: ColumnMatches,
  { values, hooks, reading, lookups }: RowsContext,
): Promise<Pick<PreviewSheet, 'rows' | 'unmatched'>> {
  const clear = new Map([...matches.found].map(([column, at]) => [column, at.length === 1 ? at : []]))
  const mayFeed = reading.prepareRow !== undefined
  const sheet = importedSheet(chosen, { ...matches, found: clear }, isNeeded(chosen.readers), mayFeed)
  const first = await firstRows(chosen, sheet.isOpen ? LISTED_ROWS : PREVIEW_ROWS)
  if (values) refuseSensitive(chosen.sheet, sheet, values)
  const changes = changesOf(chosen.sheet, values ?? {})
  const wanted = first
    .map(row => withChangedCells(row, changes))
    .map(({ cells, sent, ...row }) => {
      const wantedOf = (all: readonly ReadCell[]) => sheet.columns.map(at => all[at] ?? null)
      return { ...row, cells: wantedOf(cells), sent: wantedOf(sent) }
    })
  const read = await readRows(sheet, wanted, reading, fixedColumns(sheet, hooks))
  const rows = read.slice(0, LISTED_ROWS).map((row, index) => ({
    row: row.number,
    cells: chosen.sheet.header.map((_, at) => shorten(plainCell(first[index]?.cells[at]))),
    values: valuesOf(sheet, row),
    problems: row.errors.map(shownProblem),
    ...(row.warnings.length > 0 && { warnings: row.warnings.map(shownProblem) }),
  }))
  if (lookups) await resolveUntouched({ lookups }, sheet, read)
  const texts = new UnmatchedTexts()
  texts.add(sheet, wanted, read)
  const unmatched = await texts.listed(lookups)
  return { rows, ...(unmatched && { unmatched }) }
}

async function firstRows({ sheet }: ChosenSheet, most: number): Promise<readonly ReadRow[]> {
  const first: ReadRow[] = []
  for await (const rows of sheet.rows()) {
    first.push(...rows.slice(0, most - first.length))
    if (first.length === most) break
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
