import type { RowLock } from '../model/dialect/dialect.ts'
import type { ModelInfo } from '../model/model-info.ts'
import type { Database } from './database.ts'
import type { Projection } from './projection.ts'
import { renderProjection } from './render-projection.ts'
import { columnName, compileSelect } from './select.ts'

/** What rows are looked for in. */
interface RowsOf {
  readonly database: Database
  readonly model: ModelInfo
  condition(offset: number): { readonly text: string | undefined; readonly values: readonly unknown[] }
}

/** A statement that is known by its shape, and made where nobody has asked for it yet. */
interface ShapedStatement {
  readonly shape: string
  compile(): string
  readonly values: readonly unknown[]
}

/** A `select` of the rows of a set that have these primary keys. With `lock`, they are locked in the order of their keys. */
export function selectKeys(
  set: RowsOf,
  projection: Projection,
  keys: readonly unknown[],
  lock?: RowLock,
): ShapedStatement {
  const { database, model } = set
  const { dialect } = database
  const { primaryKey } = model
  const rendered = renderProjection(database, projection)
  const keysAt = rendered.values.length + 1
  const scope = set.condition(keysAt)
  const wanted = dialect.rowSet(
    [primaryKey],
    keys.map(key => [dialect.encode(primaryKey, key)]),
  )
  return {
    shape: `keys ${projection.id} ${lock ?? ''} ${scope.text ?? ''} ${rendered.tables.join()}`,
    compile: () => {
      const isWanted = `${columnName(model, primaryKey)} in (${dialect.selectRowSet([primaryKey], keysAt)})`
      const where = scope.text === undefined ? isWanted : `${isWanted} and ${scope.text}`
      const order = lock ? [{ expression: primaryKey, descending: false }] : []
      const select = compileSelect(dialect, { projection, where, order, limitAt: undefined, rendered })
      return select + (lock ? dialect.lockRows(lock, model.name) : '')
    },
    values: [...rendered.values, wanted, ...scope.values],
  }
}
