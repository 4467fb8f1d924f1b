import { quoteName } from '../../model/drizzle.ts'
import { checkDialect, type Database } from '../connection/database.ts'
import type { RawRow, Result, Statement } from '../connection/driver.ts'
import type { Projection } from '../projection.ts'
import type { QuerySet } from '../queryset.ts'
import { columnName, tableName } from '../select.ts'
import { Bound } from '../sql-value.ts'
import { expected, guardedColumns, isStill } from './guard.ts'
import { givesNumbers } from './pass-numbers.ts'
import { readsOfWritten } from './reads-of-written.ts'
import type { Guard, Values } from './write.ts'
import { renderConditions, type WriteConditions } from './write-conditions.ts'
import { assignments, written } from './write-row.ts'

// Writes one row with one statement, which also checks it and returns the row to show. If it writes nothing, it does
// not report the reason. The caller then takes the path of several statements, which does.

export interface CheckedWrite extends WriteConditions {
  readonly values: Values
  readonly guard?: Guard | undefined
}

/** Checks and inserts a row by one statement, and returns it; `undefined` if no row was stored (see `isReadOfWritten`). */
export async function insertChecked(
  database: Database,
  projection: Projection,
  write: CheckedWrite,
): Promise<RawRow | undefined> {
  const { model } = projection
  checkDialect(database, model)
  if (givesNumbers(database, model, [write.values])) return undefined
  const { dialect } = database
  const bound = new Bound(dialect)
  const { set, shape } = written(bound, model, write.values, 'createValue')
  const where = renderConditions(bound, model, write).join(' and ')
  const statement = database.statement(`insert checked ${projection.id}${shape}; ${where}`, () =>
    dialect.writes.insert({
      table: tableName(model),
      columns: set.map(([column]) => quoteName(column.name)),
      values: () => set.map(([, place]) => place),
      ...(where !== '' && { where: () => where }),
      returning: readsOfWritten(projection),
    }),
  )
  return (await unlessRefused(database, statement, bound.values))?.rows[0]
}

export async function updateChecked(
  queryset: QuerySet,
  key: unknown,
  projection: Projection,
  write: CheckedWrite,
): Promise<RawRow | undefined> {
  const { database, model } = queryset
  checkDialect(database, model)
  const { dialect } = database
  const bound = new Bound(dialect)
  const { set, shape } = written(bound, model, write.values, 'updateValue', key)
  const terms = [...renderRow(bound, queryset, key, write.guard), ...renderConditions(bound, model, write, { key })]
  const where = terms.join(' and ')
  const statement = database.statement(`update checked ${projection.id}${shape}; ${where}`, () =>
    dialect.writes.update({
      table: tableName(model),
      set: () => assignments(model, set),
      where: () => where,
      returning: readsOfWritten(projection),
    }),
  )
  return (await unlessRefused(database, statement, bound.values))?.rows[0]
}

export async function deleteChecked(queryset: QuerySet, key: unknown, guard?: Guard): Promise<boolean> {
  const { database, model } = queryset
  checkDialect(database, model)
  const { dialect } = database
  const bound = new Bound(dialect)
  const where = renderRow(bound, queryset, key, guard).join(' and ')
  const statement = database.statement(`delete checked ${model.id}; ${where}`, () =>
    dialect.writes.delete({ table: tableName(model), where: () => where, returning: [] }),
  )
  const result = await unlessRefused(database, statement, bound.values)
  return result !== undefined && result.changes > 0
}

function renderRow(bound: Bound, queryset: QuerySet, key: unknown, guard?: Guard): readonly string[] {
  const { model } = queryset
  const { primaryKey } = model
  const terms = [`${columnName(model, primaryKey)} = ${bound.add(bound.dialect.encode(primaryKey, key))}`]
  const scope = bound.condition(queryset)
  if (scope !== undefined) terms.push(scope)
  for (const column of guardedColumns(model, [{ key, guard }])) {
    terms.push(isStill(model, column, bound.add(bound.dialect.encode(column, expected(guard, column)))))
  }
  return terms
}

/** Statements that the database has refused as unsupported. */
const unsupported = new WeakSet<Statement>()

/** `undefined` if the database refuses. A lost connection throws instead: the row may be stored. */
export async function unlessRefused(
  database: Database,
  statement: Statement,
  values: readonly unknown[],
): Promise<Result | undefined> {
  if (unsupported.has(statement)) return undefined
  const { dialect } = database
  try {
    return await database.run(statement, values)
  } catch (error) {
    const fault = dialect.fault(error)
    if (!fault && dialect.isUnsupported?.(error)) unsupported.add(statement)
    else if (!fault || fault.kind === 'unavailable') throw error
    return undefined
  }
}
