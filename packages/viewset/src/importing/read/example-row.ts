import { isDeepStrictEqual } from 'node:util'
import { CellProblem } from '../../kinds/cells.ts'
import type { ReadContext } from '../../kinds/kind.ts'
import type { ReadCell, ReadFile, ReadSheet } from '../../tabular/read/file.ts'
import { headerKey } from '../plan/headers.ts'
import { EXAMPLE_OF_GUIDE, isGuideSheet } from '../template/template.ts'
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
  const sheets = file.sheets.map((sheet): ReadSheet => {
    const example = bySheet.get(headerKey(sheet.name))
    return example ? { ...sheet, example } : sheet
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

/** Whether the cells of a row are still those of the template's example. */
export type IsExample = (cells: readonly ReadCell[]) => boolean

interface PlacedColumn extends ColumnReader {
  /** The position of its cells; `undefined` if the sheet lacks it. */
  readonly at: number | undefined
  readonly header: string | undefined
}

export function exampleTest(
  example: ExampleTexts | undefined,
  columns: readonly PlacedColumn[],
): IsExample | undefined {
  if (!example) return undefined
  const found = columns.filter(({ at, header }) => at !== undefined && header)
  const expected = found.flatMap(column => {
    const text = example.get(headerKey(column.header ?? ''))
    return text === undefined ? [] : [{ column, text }]
  })
  if (expected.every(({ text }) => text === '')) return undefined
  return cells => expected.every(({ column, text }) => isEqual(column, cells[column.at ?? -1] ?? null, text))
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
