import { ApiError, Conflict, NON_FIELD_ERRORS, ValidationError } from '../../core/errors.ts'
import type { Model } from '../../model/kit.ts'
import { OUTSIDE, outsideOf } from '../../records/check-scope.ts'
import { recordOf } from '../../records/record.ts'
import { insertRecords, updateRecords } from '../../records/write-many.ts'
import { withoutFixed } from '../../serializer/fixed-values.ts'
import type { Database } from '../../store/database.ts'
import type { QuerySet } from '../../store/queryset.ts'
import type { ImportHooks } from '../import-hooks.ts'
import type { StageModel } from '../read/layout.ts'
import type { Refusal } from './claims.ts'
import type { Unit } from './units.ts'

/** Times that others may get between the match of records and their writing. */
const ATTEMPTS = 3

export interface UnitWriter {
  readonly database: Database
  readonly model: StageModel
  readonly hooks: ImportHooks
  /** The records of the model that the import may update. */
  readonly visible: QuerySet
  /** Looks again for the records that units are about; returns those that can be written. */
  match(units: readonly Unit[]): Promise<Unit[]>
  /** Takes note of a unit whose unique value another record has. */
  refuse(refusal: Refusal): void
  /** Takes note of what the database would not store; whether another record stands in the way. */
  fail(unit: Unit, field: string, message: string, isConflict: boolean): void
  written(unit: Unit, outcome: 'created' | 'updated'): void
}

/** Units whose records would not be among those that their writer may see. */
class Outside extends Error {
  readonly units: ReadonlySet<Unit>

  constructor(units: readonly Unit[]) {
    super(OUTSIDE)
    this.units = new Set(units)
  }
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
    if (error instanceof Outside) {
      for (const unit of error.units) writer.fail(unit, NON_FIELD_ERRORS, OUTSIDE, false)
      return writeUnits(
        writer,
        units.filter(unit => !error.units.has(unit)),
        attempt,
      )
    }
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

/** Writes units with a statement for those that are new and one for the others; `false` if one of them is refused. */
export async function writeAtOnce(writer: UnitWriter, units: readonly Unit[]): Promise<boolean> {
  try {
    await writer.database.transaction(() => store(writer, units))
  } catch (error) {
    if (error instanceof Outside || isAboutRows(error)) return false
    throw error
  }
  for (const unit of units) writer.written(unit, unit.key === undefined ? 'created' : 'updated')
  return true
}

async function store(writer: UnitWriter, units: readonly Unit[]): Promise<void> {
  const added = units.filter(({ key }) => key === undefined)
  const changed = units.filter(({ key }) => key !== undefined)
  const { checkScope = 'never' } = writer.hooks
  const created = await insert(writer, added)
  if (checkScope !== 'never') await refuseOutside(writer, added, created)
  const updated = await update(writer, changed)
  if (checkScope === 'always') await refuseOutside(writer, changed, updated)
}

/** Stores new records; returns their keys. */
async function insert({ database, model, hooks }: UnitWriter, units: readonly Unit[]): Promise<readonly unknown[]> {
  // A hook may change what it gets, and a try that is undone must leave nothing behind.
  const values = units.map(unit => ({ ...unit.values }))
  const { keys } = await (hooks.create ?? (list => insertRecords(database, model.reader.plan.model, list)))(values)
  if (keys.length !== units.length) throw new NotStored()
  return keys
}

/** Writes to stored records; returns their keys. */
async function update({ database, model, hooks }: UnitWriter, units: readonly Unit[]): Promise<readonly unknown[]> {
  const { fixedValues = {} } = hooks
  const table = model.reader.plan.model
  const changes = units.map(({ key, row, values }) => ({ key, row, values: withoutFixed(values, fixedValues) }))
  const { keys } = hooks.update
    ? await hooks.update(
        changes.flatMap(({ row, values }) =>
          row ? [{ record: recordOf<Model>(database, table, row), values: { ...values } }] : [],
        ),
      )
    : await updateRecords(database, table, changes)
  if (keys.length !== units.length) throw new NotStored()
  return keys
}

async function refuseOutside({ visible }: UnitWriter, units: readonly Unit[], keys: readonly unknown[]): Promise<void> {
  const outside = await outsideOf(visible, () => keys)
  if (outside.length > 0) throw new Outside(outside.map(index => units[index] as Unit))
}

/** An error of single rows; others, such as a lost connection, end the import. */
function isAboutRows(error: unknown): boolean {
  return (error instanceof ApiError && error.status < 500) || error instanceof NotStored
}

function blame(writer: UnitWriter, unit: Unit, error: unknown): void {
  const errors = error instanceof ApiError ? (error.errors ?? { [NON_FIELD_ERRORS]: [error.message] }) : {}
  const told = Object.entries(errors).flatMap(([field, messages]) => messages.map(message => ({ field, message })))
  if (told.length === 0) writer.fail(unit, NON_FIELD_ERRORS, 'The database did not store this row.', false)
  for (const { field, message } of told) writer.fail(unit, field, message, error instanceof Conflict)
}
