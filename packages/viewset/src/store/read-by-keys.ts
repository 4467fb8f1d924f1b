import type { RowLock } from '../model/dialect/dialect.ts'
import type { Database } from './database.ts'
import type { RawRow } from './driver.ts'
import type { Projection } from './projection.ts'
import { valueSet } from './row-set.ts'
import { columnName, compileSelect } from './select.ts'

const NOTHING_RENDERED = { expressions: [], tables: [] }

/**
 * Reads rows by their primary keys, whatever sets they are in, with one statement and in the order of the keys. With
 * `lock`, nobody else writes them before the transaction ends. The projection is of the model's own columns.
 */
export async function readByKeys(
  database: Database,
  projection: Projection,
  keys: readonly unknown[],
  lock?: RowLock,
): Promise<readonly RawRow[]> {
  const { dialect } = database
  const { model } = projection
  const { primaryKey } = model
  const statement = database.statement(`by keys ${projection.id} ${lock ?? ''}`, () => {
    const where = `${columnName(model, primaryKey)} in (${dialect.selectRowSet([primaryKey], 1)})`
    const order = [{ expression: primaryKey, descending: false }]
    const rendered = NOTHING_RENDERED
    const select = compileSelect(dialect, { projection, where, order, limitAt: undefined, rendered })
    return select + (lock ? dialect.lockRows(lock, model.name) : '')
  })
  return (await database.run(statement, valueSet(dialect, primaryKey, keys))).rows
}
