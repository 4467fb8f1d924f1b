import type { Database } from '../../store/database.ts'
import { CellProblem } from '../read/cells.ts'
import type { Stage } from '../read/layout.ts'
import { hasFailed, type RowDraft, rowError } from '../read/row-draft.ts'
import { Attempt, type ImportScope } from './attempt.ts'

/** Times that rows are written anew without those that failed, before they are written in two halves. */
const ROUNDS = 6

/** Rows that the database says were stored. */
export interface Stored {
  readonly created: number
  readonly updated: number
}

const NOTHING: Stored = { created: 0, updated: 0 }

/** Undoes an attempt. */
class Undo extends Error {}

/**
 * Writes rows, all models of each or none. Errors are left in the drafts; what is written is as if row had followed row.
 */
export async function writeRows(
  database: Database,
  scope: ImportScope,
  stage: Stage,
  drafts: readonly RowDraft[],
): Promise<Stored> {
  await resolveSteady(scope, stage, drafts)
  return writeDrafts(database, scope, stage, drafts)
}

async function writeDrafts(
  database: Database,
  scope: ImportScope,
  stage: Stage,
  drafts: readonly RowDraft[],
): Promise<Stored> {
  for (let round = 1; round <= ROUNDS; round++) {
    const alive = drafts.filter(draft => !hasFailed(draft))
    if (alive.length === 0) return NOTHING
    const attempt = new Attempt(scope, stage, alive)
    let undone: RowDraft | undefined
    const run = async () => {
      undone = await attempt.run()
      if (undone) throw new Undo()
    }
    try {
      // Of a single model, nothing is written of a row that fails: there is never anything to undo.
      await (stage.models.length === 1 ? run() : database.transaction(run))
    } catch (error) {
      if (!(error instanceof Undo)) throw error
    }
    // A row behind the one that is undone may have failed because of it: it gets another chance.
    const last = undone?.row ?? Number.POSITIVE_INFINITY
    for (const [draft, errors] of attempt.failures) {
      if (draft.row <= last || !attempt.doubtful.has(draft)) draft.errors.push(...errors)
    }
    if (!undone) return attempt
  }
  const half = drafts.length >> 1
  const first = await writeDrafts(database, scope, stage, drafts.slice(0, half))
  const second = await writeDrafts(database, scope, stage, drafts.slice(half))
  return { created: first.created + second.created, updated: first.updated + second.updated }
}

/** Finds the foreign keys to models that the import leaves alone, once for all rows. */
async function resolveSteady({ lookups }: ImportScope, stage: Stage, drafts: readonly RowDraft[]): Promise<void> {
  for (const [index, model] of stage.models.entries()) {
    for (const [at, { plan, field }] of model.columns.entries()) {
      const { lookup } = plan
      if (!lookup || !lookups.isSteady(lookup)) continue
      const values = new Set<unknown>()
      for (const { cells } of drafts) {
        const value = cells[index]![at]
        if (isGiven(value)) values.add(value)
      }
      const found = await lookups.resolve(lookup, values)
      for (const { row, cells, errors } of drafts) {
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
