import { isDeepStrictEqual } from 'node:util'
import { CellProblem } from '../../kinds/cells.ts'
import type { ReadContext } from '../../kinds/kind.ts'
import type { ReadCell, ReadFile, ReadRow, ReadSheet } from '../../tabular/read/file.ts'
import { headerKey, ownHeader } from '../plan/headers.ts'
import { EXAMPLE_OF_GUIDE, isGuide, isGuideSheet } from '../template/template.ts'
import { comparable } from '../write/comparable.ts'
import { asCell, plainCell } from './cells.ts'
import type { ColumnReader } from './model-reader.ts'

/** The texts of a template's example, by the keys of its headers. Without a text, the cell is empty. */
export type ExampleTexts = ReadonlyMap<string, string>

const IN_UTC: ReadContext = { timeZone: 'UTC' }

/** The file with the examples of its sheets, as its guide has them. Only a template has a guide. */
export async function withExamples(file: ReadFile): Promise<ReadFile> {
  const guide = file.sheets.find(isGuideSheet)
  if (!guide) return file
  const bySheet = await examplesIn(guide)
  // A person may have renamed the sheet of a template that has one.
  const [only, ...others] = bySheet.values()
  const sheets = file.sheets.map((sheet): ReadSheet => {
    const example = bySheet.get(headerKey(sheet.name)) ?? (others.length === 0 ? only : undefined)
    return example && !isGuide(sheet) ? { ...sheet, example } : sheet
  })
  return { ...file, sheets }
}

async function examplesIn(guide: ReadSheet): Promise<ReadonlyMap<string, ExampleTexts>> {
  const bySheet = new Map<string, Map<string, string>>()
  for await (const rows of guide.rows([...EXAMPLE_OF_GUIDE])) {
    for (const { cells } of rows) {
      const [sheet = '', header = '', text = ''] = cells.map(cell => String(plainCell(cell) ?? ''))
      const known = bySheet.get(headerKey(sheet)) ?? new Map<string, string>()
      bySheet.set(headerKey(sheet), known.set(headerKey(header), text))
    }
  }
  return bySheet
}

/** Whether a row is still the template's example. Its cells are those of the sheet's columns. */
export type IsExample = (row: Pick<ReadRow, 'row' | 'cells'>) => boolean

interface PlacedColumn extends ColumnReader {
  /** The position of its cells; `undefined` if the sheet lacks it. */
  readonly at: number | undefined
  /** The keys of its headers. */
  readonly names: readonly string[]
}

/** Only the first row below the header can be the example: another one with its values is a record. */
export function exampleTest(
  { example, top, headerRow = top[0]?.row ?? 0 }: ReadSheet,
  columns: readonly PlacedColumn[],
): IsExample | undefined {
  if (!example) return undefined
  const first = top.find(({ row }) => row > headerRow)?.row
  const expected = columns.flatMap(column => {
    // A person may have renamed the column, and mapped it. An older template may have another of its headers.
    const key = [headerKey(ownHeader(column.plan, false)), ...column.names].find(name => example.has(name))
    const text = key === undefined ? undefined : example.get(key)
    return text === undefined || column.at === undefined ? [] : [{ column, at: column.at, text }]
  })
  if (expected.every(({ text }) => text === '')) return undefined
  return ({ row, cells }) =>
    row === first && expected.every(({ column, at, text }) => isEqual(column, cells[at] ?? null, text))
}

/** The cell may have a type, and the text is that of its value. */
function isEqual({ read, plan }: PlacedColumn, cell: ReadCell, text: string): boolean {
  if (String(plainCell(cell) ?? '').trim() === text.trim()) return true
  if (cell === null || text === '') return false
  const [value, wanted] = [read(asCell(cell), IN_UTC), read(asCell(text), IN_UTC)]
  if (value instanceof CellProblem || wanted instanceof CellProblem) return false
  if (plan.links || plan.deletes) return isDeepStrictEqual(value, wanted)
  const column = plan.lookup?.by ?? plan.column
  return comparable(value, column, false) === comparable(wanted, column, false)
}
