import type { ColumnInfo, ModelInfo, Unique } from '../model/model-info.ts'
import type { Database } from './database.ts'
import { freeValues } from './free-values.ts'
import { updateRows } from './update-rows.ts'
import type { RowUpdate, Values } from './write.ts'

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
