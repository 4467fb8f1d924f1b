import { Conflict, NON_FIELD_ERRORS, ValidationError } from '../core/errors.ts'
import type { Database } from '../store/database.ts'
import { insertRows, updateRows } from '../store/write-many.ts'
import type { StageModel } from './layout.ts'
import type { Unit } from './units.ts'

/** Times that others may get between the match of records and their writing. */
const ATTEMPTS = 3

export interface UnitWriter {
  readonly database: Database
  readonly model: StageModel
  /** Looks again for the records that units are about; returns those that can be written. */
  match(units: readonly Unit[]): Promise<Unit[]>
  /** Takes note of what the database would not store; whether another record stands in the way. */
  fail(unit: Unit, field: string, message: string, isConflict: boolean): void
  written(unit: Unit, outcome: 'created' | 'updated'): void
}

/** The database has not stored as many records as it was given, and says nothing more. */
class NotStored extends Error {}

/**
 * Writes units with a statement for those that are new and one for the others. What the database refuses is found by
 * halving, in order, so that everything else is stored and each refusal has its row.
 */
export async function writeUnits(writer: UnitWriter, units: readonly Unit[], attempt = 1): Promise<void> {
  if (units.length === 0) return
  try {
    await writer.database.transaction(() => store(writer, units))
  } catch (error) {
    if (!isAboutRows(error)) throw error
    if (!(error instanceof ValidationError) && attempt < ATTEMPTS) {
      // Somebody else may have stored or deleted one of the records since they were looked for.
      const before = units.map(({ key }) => String(key))
      const matched = await writer.match(units)
      const isStale = matched.length < units.length || units.some(({ key }, index) => String(key) !== before[index])
      if (isStale) return writeUnits(writer, matched, attempt + 1)
    }
    const [first] = units
    if (first && units.length === 1) return blame(writer, first, error)
    const half = units.length >> 1
    await writeUnits(writer, units.slice(0, half))
    return writeUnits(writer, units.slice(half))
  }
  for (const unit of units) writer.written(unit, unit.key === undefined ? 'created' : 'updated')
}

async function store({ database, model }: UnitWriter, units: readonly Unit[]): Promise<void> {
  const table = model.reader.plan.model
  const added = units.filter(({ key }) => key === undefined)
  const inserted = await insertRows(
    database,
    table,
    added.map(({ values }) => values),
  )
  const changed = units.flatMap(({ key, values }) => (key === undefined ? [] : [{ key, values }]))
  const updated = await updateRows(database, table, changed)
  if (inserted.changes !== added.length || updated.changes !== changed.length) throw new NotStored()
}

/** An error of single rows; others, such as a lost connection, end the import. */
function isAboutRows(error: unknown): boolean {
  return error instanceof Conflict || error instanceof ValidationError || error instanceof NotStored
}

function blame(writer: UnitWriter, unit: Unit, error: unknown): void {
  const errors = error instanceof Conflict || error instanceof ValidationError ? (error.errors ?? {}) : {}
  const told = Object.entries(errors).flatMap(([field, messages]) => messages.map(message => ({ field, message })))
  if (told.length === 0) writer.fail(unit, NON_FIELD_ERRORS, 'The database did not store this row.', false)
  for (const { field, message } of told) writer.fail(unit, field, message, error instanceof Conflict)
}
