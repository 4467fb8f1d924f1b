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

interface Contested {
  readonly columns: readonly ColumnInfo[]
  readonly refusal: Conflict
}

/**
 * Runs `write`, which makes `updates` with one statement, and lets an update take a unique value that another one gives
 * up.
 *
 * A database checks each row when it writes it, in any order. If it rejects a taken value, the rows with new values in
 * these columns are parked first and the statement runs again. That costs a few statements for each constraint, however
 * many rows there are. Without an exchange, the cost is a savepoint.
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
        // A row that failed its guard would keep the parked value.
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
      // A check or a foreign key allows no other value in these rows, so the original error stands.
      throw error instanceof ApiError ? refusal : error
    }
  }
}

function mayExchange({ uniques, otherUniques }: ModelInfo, updates: readonly RowUpdate[]): boolean {
  return (
    updates.length > 1 && [...uniques, ...otherUniques].some(unique => updates.some(update => touches(update, unique)))
  )
}

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

export function touches({ values }: { readonly values: Values }, { columns }: Pick<Unique, 'columns'>): boolean {
  return columns.some(({ key }) => values[key] !== undefined)
}

interface RowToPark {
  readonly key: unknown
  readonly column: ColumnInfo
}

export interface ParkedRow extends RowToPark {
  readonly held: unknown
}

/**
 * Replaces values that rows will give up: by null if the column is nullable, else by an unused value. Changes only
 * columns that the update sets. Returns the temporary values.
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

/** Distinct unused values of a column. `undefined` if none can be found; null is the caller's choice. */
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

/** One place before the least and one after the greatest value of a column. */
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
  // Fractions are truncated towards zero, so the next whole number is certainly outside.
  return [least - 1n, most + 1n]
}
