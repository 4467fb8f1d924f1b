import type { ReadCell, ReadRow } from '../../tabular/read/file.ts'
import { plainCell } from '../read/cells.ts'
import { hasFailed, type ImportRow } from '../read/import-row.ts'
import type { ImportedSheet } from '../read/sheet-layout.ts'
import { shorten } from '../read/sheet-mapping.ts'
import type { ImportRowProblem } from '../result.ts'

/** The errors of rows that failed and the warnings of others, with the cells of the file. */
export function problemsOfRows(
  sheet: ImportedSheet,
  read: readonly ReadRow[],
  rows: readonly ImportRow[],
): readonly ImportRowProblem[] {
  const positionOf = positionsIn(sheet)
  return rows.flatMap((row, index) => {
    const { errors, warnings } = row
    const cells = read[index]?.cells ?? []
    const problems = hasFailed(row) ? errors : warnings.map(warning => ({ ...warning, isWarning: true as const }))
    return problems.map(problem => {
      const value = exampleOf(cells[positionOf(problem)])
      return value === undefined ? problem : { ...problem, value }
    })
  })
}

/** Without write-only and sensitive columns, which no report shows. */
function positionsIn({ models, headers }: ImportedSheet): (problem: ImportRowProblem) => number {
  const known = new Map<string, number>()
  for (const { reader, columns } of models) {
    for (const { field, at, plan, isSensitive } of columns) {
      known.set(`${reader.plan.key}\n${field}`, isSensitive || reader.sight.secret.has(plan) ? -1 : (at ?? -1))
    }
  }
  return ({ model, field, column }) =>
    known.get(`${model}\n${field}`) ?? (column === undefined ? -1 : headers.indexOf(column))
}

function exampleOf(cell: ReadCell | undefined): string | number | boolean | undefined {
  const value = plainCell(cell)
  if (typeof value !== 'string') return value ?? undefined
  const text = value.trim()
  return text === '' ? undefined : shorten(text)
}
