import type { ColumnInfo, ModelInfo, Unique } from '../model/model-info.ts'
import type { Database } from './database.ts'
import { freeValues } from './free-values.ts'
import { updateRows } from './update-rows.ts'
import type { RowUpdate, Values } from './write.ts'

/** Whether an update sets a column of a unique constraint. */
export function touches({ values }: { readonly values: Values }, { columns }: Pick<Unique, 'columns'>): boolean {
  return columns.some(({ key }) => values[key] !== undefined)
}

/** A row that is given a new value in a column, where it can hold another one until then. */
interface Parting {
  readonly key: unknown
  readonly column: ColumnInfo
}

/** A row that holds something else in a column for the time being. */
export interface Parted extends Parting {
  readonly held: unknown
}

/**
 * Takes from rows what they will give up in some columns: null where that may be, else a value that nobody has. Only a
 * column that the update itself sets will do. Returns what they hold instead.
 */
export async function part(
  database: Database,
  model: ModelInfo,
  updates: readonly RowUpdate[],
  columns: readonly ColumnInfo[],
): Promise<readonly Parted[]> {
  const partings = updates.flatMap(({ key, values }): Parting[] => {
    const column = columnToPart(columns, values)
    return column ? [{ key, column }] : []
  })
  const parted: Parted[] = []
  for (const [column, rows] of Map.groupBy(partings, parting => parting.column)) {
    const free = column.nullable ? [] : await freeValues(database, model, column, rows.length)
    if (!free) continue
    const held = free.map(value => (column.ownType ? column.ownType.toRecord(value) : value))
    const emptied = rows.map(({ key }, index) => ({ key, values: { [column.key]: held[index] ?? null } }))
    await updateRows(database, { kind: 'update', model, rows: emptied, fill: false }, [])
    parted.push(...rows.map(({ key }, index) => ({ key, column, held: held[index] ?? null })))
  }
  return parted
}

function columnToPart(columns: readonly ColumnInfo[], values: Values): ColumnInfo | undefined {
  const given = columns.filter(({ key, primaryKey }) => values[key] !== undefined && !primaryKey)
  return given.find(({ nullable }) => nullable) ?? given.find(({ references }) => !references)
}
