import { Column, is, type SQL } from 'drizzle-orm'
import { CellProblem } from '../../kinds/cells.ts'
import type { ColumnReader, ModelReader } from '../read/model-reader.ts'
import type { ExampleSource, Examples } from './source.ts'
import { fittingValues, readExample } from './values.ts'

/** Puts other examples in place of those that break a check constraint, as far as any are known that do not. */
export async function fitChecks(
  { plan: { model }, columns }: ModelReader,
  examples: Examples,
  free: readonly ColumnReader[],
  source: ExampleSource,
): Promise<void> {
  const broken = () => source.broken(model, recordOf(columns, examples))
  let left = await broken()
  for (const column of free) {
    if (!left.some(check => names(check, column))) continue
    const before = examples.get(column.plan) ?? null
    for (const value of [...fittingValues(column), before]) {
      examples.set(column.plan, value)
      const still = await broken()
      if (still.length >= left.length) continue
      left = still
      break
    }
  }
}

function recordOf(columns: readonly ColumnReader[], examples: Examples): Readonly<Record<string, unknown>> {
  const values = columns.flatMap(column => {
    const value = column.plan.lookup ? undefined : readExample(column, examples.get(column.plan) ?? null)
    return value instanceof CellProblem ? [] : [[column.plan.column.key, value] as const]
  })
  return Object.fromEntries(values)
}

function names({ queryChunks }: SQL, { plan }: ColumnReader): boolean {
  return queryChunks.some(chunk => is(chunk, Column) && chunk.name === plan.column.name)
}
