import { ApiError, Conflict } from '../../core/errors.ts'
import type { ValueLine } from '../../kinds/kind.ts'
import { kindOf } from '../../kinds/kinds.ts'
import type { ColumnInfo, ModelInfo, Unique } from '../../model/model-info.ts'
import type { Database } from '../connection/database.ts'
import type { Result } from '../connection/driver.ts'
import { columnsOf } from '../faults.ts'
import { columnName, tableName } from '../select.ts'
import { updateRows } from './update-rows.ts'
import type { RowUpdate, Values } from './write.ts'

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

/** Whether an update sets a column of a unique constraint. */
export function touches({ values }: { readonly values: Values }, { columns }: Pick<Unique, 'columns'>): boolean {
  return columns.some(({ key }) => values[key] !== undefined)
}

/** A row that gets a new value in a column, which can hold another value until then. */
interface RowToPark {
  readonly key: unknown
  readonly column: ColumnInfo
}

/** A row with the value that a column holds for the time being. */
export interface ParkedRow extends RowToPark {
  readonly held: unknown
}

/**
 * Replaces values that rows will give up in some columns: by null if the column may be null, else by a value that no row
 * has. Only columns that the update itself sets are changed. Returns what the rows hold instead.
 */
export async function parkValues(
  database: Database,
  model: ModelInfo,
  updates: readonly RowUpdate[],
  columns: readonly ColumnInfo[],
): Promise<readonly ParkedRow[]> {
  const toPark = updates.flatMap(({ key, values }): RowToPark[] => {
    const column = columnToPark(columns, values)
    return column ? [{ key, column }] : []
  })
  const parked: ParkedRow[] = []
  for (const [column, rows] of Map.groupBy(toPark, row => row.column)) {
    const free = column.nullable ? [] : await freeValues(database, model, column, rows.length)
    if (!free) continue
    const held = free.map(value => (column.ownType ? column.ownType.toRecord(value) : value))
    const emptied = rows.map(({ key }, index) => ({ key, values: { [column.key]: held[index] ?? null } }))
    await updateRows(database, { kind: 'update', model, rows: emptied, fill: false }, [])
    parked.push(...rows.map(({ key }, index) => ({ key, column, held: held[index] ?? null })))
  }
  return parked
}

function columnToPark(columns: readonly ColumnInfo[], values: Values): ColumnInfo | undefined {
  const given = columns.filter(({ key, primaryKey }) => values[key] !== undefined && !primaryKey)
  return given.find(({ nullable }) => nullable) ?? given.find(({ references }) => !references)
}

/**
 * Values that no row has in a column, all different: what rows hold for a moment. `undefined` for a column of which
 * none can be told; null is for the caller.
 */
async function freeValues(
  database: Database,
  model: ModelInfo,
  column: ColumnInfo,
  count: number,
): Promise<readonly unknown[] | undefined> {
  const indexes = Array.from({ length: count }, (_, index) => index)
  const kind = kindOf(column)
  if (kind.spare) return indexes.map(index => kind.spare?.(column, index))
  const line = kind.line?.(column)
  if (!line) return undefined
  const [least, most] = await ends(database, model, column, line)
  const size = BigInt(count)
  const first = most + size <= line.highest ? most + 1n : least - size
  if (first < line.lowest) return undefined
  return indexes.map(index => line.valueAt(first + BigInt(index)))
}

/** The least and the most of a column, as places that lie outside of all values. */
async function ends(
  database: Database,
  model: ModelInfo,
  column: ColumnInfo,
  line: ValueLine,
): Promise<readonly [bigint, bigint]> {
  const name = columnName(model, column)
  const statement = database.statement(
    `ends ${model.id} ${column.name}`,
    () => `select min(${name}), max(${name}) from ${tableName(model)}`,
  )
  const { rows } = await database.run(statement, [])
  const decode = database.dialect.kindDecoder(column)
  const [least = 0n, most = 0n] = (rows[0] ?? []).map(raw => (raw === null ? 0n : line.place(decode(raw))))
  // A fraction is cut off towards zero, so the next whole number is the one that is outside for sure.
  return [least - 1n, most + 1n]
}
