import { ApiError, Conflict } from '../core/errors.ts'
import type { ColumnInfo, ModelInfo } from '../model/model-info.ts'
import type { Database } from './database.ts'
import type { Result } from './driver.ts'
import { columnsOf } from './fault-columns.ts'
import { parkValues, touches } from './park-values.ts'
import type { RowUpdate } from './write.ts'

/** A unique constraint that has refused an update. */
interface Contested {
  readonly columns: readonly ColumnInfo[]
  readonly refusal: Conflict
}

/**
 * Runs `write`, which makes `updates` by one statement, and lets an update take a unique value that another one gives up.
 *
 * A database checks each row when it writes it, in an order of its own. If it refuses a value as taken, the rows that get
 * new values in these columns are parked first, and the statement runs again. That costs a few statements for each
 * constraint, however many rows there are. An update that exchanges nothing costs a savepoint.
 */
export async function exchangeUniques(
  database: Database,
  model: ModelInfo,
  updates: readonly RowUpdate[],
  write: () => Promise<Result>,
): Promise<Result> {
  if (!mayExchange(model, updates)) return write()
  const parked: Contested[] = []
  for (;;) {
    try {
      return await database.transaction(async () => {
        await parkAll(database, model, updates, parked)
        const result = await write()
        // A row that missed its guard would be left without its value.
        const [first] = parked
        if (first && result.changes < updates.length) throw first.refusal
        return result
      })
    } catch (error) {
      const next = contested(database, model, error, parked)
      if (!next) throw error
      parked.push(next)
    }
  }
}

async function parkAll(
  database: Database,
  model: ModelInfo,
  updates: readonly RowUpdate[],
  contested: readonly Contested[],
): Promise<void> {
  for (const { columns, refusal } of contested) {
    try {
      await parkValues(database, model, updates, columns)
    } catch (error) {
      // A check or a foreign key allows no other value in these rows, so the first refusal stands.
      throw error instanceof ApiError ? refusal : error
    }
  }
}

function mayExchange({ uniques, otherUniques }: ModelInfo, updates: readonly RowUpdate[]): boolean {
  return (
    updates.length > 1 && [...uniques, ...otherUniques].some(unique => updates.some(update => touches(update, unique)))
  )
}

/** The unique constraint that has refused an update, if its values are not parked yet. */
function contested(
  database: Database,
  model: ModelInfo,
  error: unknown,
  parked: readonly Contested[],
): Contested | undefined {
  if (!(error instanceof Conflict)) return undefined
  const fault = database.dialect.fault(error.cause)
  if (fault?.kind !== 'unique') return undefined
  const columns = columnsOf(fault, model)
  const isSame = (known: Contested) =>
    known.columns.length === columns.length && known.columns.every(column => columns.includes(column))
  return columns.length === 0 || parked.some(isSame) ? undefined : { columns, refusal: error }
}
