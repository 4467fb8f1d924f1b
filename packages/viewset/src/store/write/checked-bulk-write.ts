import { ROWS } from '../../model/dialect/write-text.ts'
import type { ColumnInfo, ModelInfo } from '../../model/model-info.ts'
import { checkDialect, type Database } from '../connection/database.ts'
import type { RawRow } from '../connection/driver.ts'
import type { Projection } from '../projection.ts'
import type { QuerySet } from '../queryset.ts'
import { hasKey, insertedKeys, madeKeys, writtenInOrder } from '../row-order.ts'
import { givenKeys, type RowColumns, rowColumns } from '../row-set.ts'
import { columnName, joinRelations, tableName } from '../select.ts'
import { Bound } from '../sql-value.ts'
import { unlessRefused } from './checked-write.ts'
import { columnsOfAllGuards, expected, guardColumns, guardPlace } from './guard.ts'
import { insertPieces, withMadeValues } from './insert-rows.ts'
import { givesNumbers } from './pass-numbers.ts'
import { readsOfWritten } from './reads-of-written.ts'
import { updatePieces } from './update-rows.ts'
import type { RowUpdate, Values, WrittenRow } from './write.ts'

// Writes many rows with one statement, which also checks them and returns the rows to show. See `checked-write.ts`. If
// it writes nothing, it does not report the reason.

export interface ReferringColumn {
  readonly column: ColumnInfo
  readonly queryset: QuerySet
  readonly target: ColumnInfo
}

export interface CheckedBulkWrite<T> {
  readonly rows: readonly T[]
  readonly references: readonly ReferringColumn[]
}

/** Models with a default function that has returned SQL. Their next rows take the other path at once. */
const withSqlDefaults = new WeakSet<ModelInfo>()

/** Inserts rows if all their references exist. `undefined` if no row was stored (see `isReadOfWritten`). */
export async function insertAllChecked(
  database: Database,
  projection: Projection,
  { rows, references }: CheckedBulkWrite<Values>,
): Promise<readonly RawRow[] | undefined> {
  const { model } = projection
  const { all } = database.dialect.writes
  if (!all || !hasKey(model) || withSqlDefaults.has(model) || givesNumbers(database, model, rows)) return undefined
  checkDialect(database, model)
  const keys = await madeKeys(database, model, rows.length)
  const { key } = model.primaryKey
  const keyed = withMadeValues(model, keys ? rows.map((row, index) => ({ ...row, [key]: keys[index] })) : rows)
  const given = givenKeys(keyed)
  if (given.sql.size > 0) {
    withSqlDefaults.add(model)
    return undefined
  }
  const { bound, row, ...pieces } = insertPieces(database, model, { rows: keyed, given, sql: {} })
  const text = all.insert({
    table: tableName(model),
    ...pieces,
    conditions: () => references.map(reference => allThere(bound, row, reference)),
    reads: readsBy(projection),
  })
  const written = await run(database, text, bound)
  const at = projection.columns.indexOf(model.primaryKey)
  return written && writtenInOrder(database, model, written, at, insertedKeys(database, model, keyed, written, at))
}

/** Updates rows of a set if all of them and all their references exist, as {@link insertAllChecked}. */
export async function updateAllChecked(
  queryset: QuerySet,
  projection: Projection,
  { rows: updates, references }: CheckedBulkWrite<RowUpdate>,
): Promise<readonly RawRow[] | undefined> {
  const { database, model } = queryset
  const { all } = database.dialect.writes
  const guarded = columnsOfAllGuards(model, updates)
  if (!all || !guarded || !hasKey(model)) return undefined
  checkDialect(database, model)
  const { primaryKey } = model
  const { bound, row, rows, set } = updatePieces(database, { model, rows: updates })
  const text = all.update({
    ...keyed(queryset, bound, row, guarded),
    rows,
    set,
    conditions: () => references.map(reference => allThere(bound, row, reference)),
    reads: readsBy(projection),
  })
  const written = await run(database, text, bound)
  const keys = updates.map(({ key }) => key)
  return written && writtenInOrder(database, model, written, projection.columns.indexOf(primaryKey), keys)
}

/** Deletes rows of a set if all of them exist and meet their guards. Returns their number, or 0. */
export async function deleteAllChecked(queryset: QuerySet, deleted: readonly WrittenRow[]): Promise<number> {
  const { database, model } = queryset
  const { dialect } = database
  const { all } = dialect.writes
  const guarded = columnsOfAllGuards(model, deleted)
  if (!all || !guarded || !hasKey(model)) return 0
  checkDialect(database, model)
  const { primaryKey } = model
  const bound = new Bound(dialect)
  const row = rowColumns([primaryKey])
  const cells = deleted.map(({ key, guard }) => [
    dialect.encode(primaryKey, key),
    ...guarded.map(column => dialect.encode(column, expected(guard, column))),
  ])
  const text = all.delete({
    ...keyed(queryset, bound, row, guarded),
    rows: () => bound.rows([...row.columns, ...guardColumns(guarded)], cells),
  })
  const statement = database.statement(text, () => text)
  return (await unlessRefused(database, statement, bound.values))?.changes ?? 0
}

function keyed(queryset: QuerySet, bound: Bound, row: RowColumns, guarded: readonly ColumnInfo[]) {
  const { model } = queryset
  const { primaryKey } = model
  return {
    table: tableName(model),
    key: { column: columnName(model, primaryKey), row: row.of(primaryKey) },
    guards: guarded.map((column, index) => ({ column: columnName(model, column), row: guardPlace(index) })),
    scope: () => bound.condition(queryset),
  }
}

async function run(database: Database, text: string, { values }: Bound): Promise<readonly RawRow[] | undefined> {
  const statement = database.statement(text, () => text)
  const rows = (await unlessRefused(database, statement, values))?.rows
  return rows?.length === 0 ? undefined : rows
}

function readsBy(projection: Projection) {
  const { model, columns, relations } = projection
  const needed = new Set([...columns, ...relations.map(({ foreignKey }) => foreignKey)])
  return {
    columns: [...needed].map(column => columnName(model, column)),
    select: (name: string) => {
      const { selected, joins } = joinRelations(projection, name, { expressions: [], tables: [] })
      return `select ${selected.join(', ')} from ${name}${joins}`
    },
    returning: () => readsOfWritten(projection),
  }
}

function allThere(bound: Bound, row: RowColumns, { column, queryset, target }: ReferringColumn): string {
  const { model } = queryset
  const value = row.of(column)
  const equal = `${columnName(model, target)} = ${value}`
  const scope = bound.condition(queryset)
  const matches = scope === undefined ? equal : `${equal} and ${scope}`
  const isThere = `exists (select 1 from ${tableName(model)} where ${matches})`
  return `not exists (select 1 from ${ROWS} where ${value} is not null and not ${isThere})`
}
