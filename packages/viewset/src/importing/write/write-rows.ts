import { CellProblem } from '../../kinds/cells.ts'
import type { Database } from '../../store/database.ts'
import { hasFailed, type ImportRow, rowError } from '../read/import-row.ts'
import type { ImportedSheet } from '../read/sheet-layout.ts'
import { Attempt } from './attempt.ts'
import type { WriteContext } from './write-context.ts'

/** Times that rows are written anew without those that failed, before they are written in two halves. */
const MOST_ATTEMPTS = 6

/** Rows that the database says were stored. */
export interface Stored {
  readonly created: number
  readonly updated: number
}

const NOTHING: Stored = { created: 0, updated: 0 }

/** Undoes an attempt. */
class Undo extends Error {}

/**
 * Writes rows, all models of each or none, with the result of writing one after the other. Errors are left in the rows.
 */
export async function writeRows(
  database: Database,
  context: WriteContext,
  sheet: ImportedSheet,
  rows: readonly ImportRow[],
): Promise<Stored> {
  await resolveUntouched(context, sheet, rows)
  return writeOrHalve(database, context, sheet, rows)
}

async function writeOrHalve(
  database: Database,
  context: WriteContext,
  sheet: ImportedSheet,
  rows: readonly ImportRow[],
): Promise<Stored> {
  for (let tried = 0; tried < MOST_ATTEMPTS; tried++) {
    const left = rows.filter(row => !hasFailed(row))
    if (left.length === 0) return NOTHING
    const attempt = new Attempt(context, sheet, left)
    let undone: ImportRow | undefined
    const run = async () => {
      undone = await attempt.run()
      if (undone) throw new Undo()
    }
    try {
      // With a single model, nothing of a row that fails is written, so there is nothing to undo.
      await (sheet.models.length === 1 ? run() : database.transaction(run))
    } catch (error) {
      if (!(error instanceof Undo)) throw error
    }
    // A later row may have failed because of the row that is undone, so it is tried again.
    const last = undone?.number ?? Number.POSITIVE_INFINITY
    for (const [row, errors] of attempt.failures.errors) {
      if (row.number <= last || !attempt.failures.retryable.has(row)) row.errors.push(...errors)
    }
    if (!undone) return attempt
  }
  const half = rows.length >> 1
  const first = await writeOrHalve(database, context, sheet, rows.slice(0, half))
  const second = await writeOrHalve(database, context, sheet, rows.slice(half))
  return { created: first.created + second.created, updated: first.updated + second.updated }
}

/** Finds the foreign keys to models that the import leaves alone, once for all rows. */
async function resolveUntouched(
  { lookups }: WriteContext,
  sheet: ImportedSheet,
  rows: readonly ImportRow[],
): Promise<void> {
  for (const [index, model] of sheet.models.entries()) {
    for (const [at, { plan, field }] of model.columns.entries()) {
      const { lookup } = plan
      if (!lookup || !lookups.isUntouched(lookup)) continue
      const values = new Set<unknown>()
      for (const { cells } of rows) {
        const value = cells[index]![at]
        if (isGiven(value)) values.add(value)
      }
      const found = await lookups.resolve(lookup, values)
      for (const row of rows) {
        const { cells, errors } = row
        const value = cells[index]![at]
        if (!isGiven(value)) continue
        const key = found.get(value)
        cells[index]![at] = key
        if (key instanceof CellProblem) errors.push(rowError(model, row, field, key.message))
      }
    }
  }
}

function isGiven(value: unknown): boolean {
  return value !== null && value !== undefined && !(value instanceof CellProblem)
}
