import { ApiError, Conflict } from '../core/errors.ts'
import type { ColumnInfo, ModelInfo } from '../model/model-info.ts'
import type { Database } from './database.ts'
import type { Result } from './driver.ts'
import { columnsOf } from './fault-columns.ts'
import { part, touches } from './part.ts'
import type { RowUpdate } from './write.ts'

/** A unique constraint at which an update has failed. */
interface Contested {
  readonly columns: readonly ColumnInfo[]
  readonly refusal: Conflict
}

/**
 * Runs `write`, which makes `updates` by one statement, also where one of them takes a unique value that another gives up.
 *
 * Databases look at each row at once, in an order of their own. So where one finds a value taken, the rows that are
 * given new values in these columns part with the old ones first, and then all is done again: a few statements for
 * each constraint, however many rows there are. Who hands nothing over pays for a savepoint.
 */
export async function handingOver(
  database: Database,
  model: ModelInfo,
  updates: readonly RowUpdate[],
  write: () => Promise<Result>,
): Promise<Result> {
  if (!mayHandOver(model, updates)) return write()
  const parted: Contested[] = []
  for (;;) {
    try {
      return await database.transaction(async () => {
        await partAll(database, model, updates, parted)
        const result = await write()
        // A row that missed its guard would be left without what it has parted with.
        const [first] = parted
        if (first && result.changes < updates.length) throw first.refusal
        return result
      })
    } catch (error) {
      const next = contested(database, model, error, parted)
      if (!next) throw error
      parted.push(next)
    }
  }
}

async function partAll(
  database: Database,
  model: ModelInfo,
  updates: readonly RowUpdate[],
  contested: readonly Contested[],
): Promise<void> {
  for (const { columns, refusal } of contested) {
    try {
      await part(database, model, updates, columns)
    } catch (error) {
      // A check or a foreign key lets the rows hold nothing else: then it is as it would be without all this.
      throw error instanceof ApiError ? refusal : error
    }
  }
}

function mayHandOver({ uniques, otherUniques }: ModelInfo, updates: readonly RowUpdate[]): boolean {
  return (
    updates.length > 1 && [...uniques, ...otherUniques].some(unique => updates.some(update => touches(update, unique)))
  )
}

/** What an update failed at, if that is a constraint for which nobody has parted with anything yet. */
function contested(
  database: Database,
  model: ModelInfo,
  error: unknown,
  parted: readonly Contested[],
): Contested | undefined {
  if (!(error instanceof Conflict)) return undefined
  const fault = database.dialect.fault(error.cause)
  if (fault?.kind !== 'unique') return undefined
  const columns = columnsOf(fault, model)
  const isSame = (known: Contested) =>
    known.columns.length === columns.length && known.columns.every(column => columns.includes(column))
  return columns.length === 0 || parted.some(isSame) ? undefined : { columns, refusal: error }
}
