import type { TableInfo } from '../model/model-info.ts'
import { readsOfWritten } from './reads-of-written.ts'
import { hasKey, type KeyedTable } from './row-order.ts'
import { columnName } from './select.ts'
import type { Returning } from './write.ts'

/** What a statement that writes returns. */
export interface Returned {
  /** Tells statements apart that return other things of the same table. */
  readonly id: string
  /** As SQL. */
  readonly texts: readonly string[]
}

export const NOTHING_RETURNED: Returned = { id: '', texts: [] }

/** For each table, by what a plan calls it; of a projection, by itself. */
const known = { keys: new WeakMap<object, Returned>(), rows: new WeakMap<object, Returned>() }

/** What a plan wants returned; worked out once. */
export function returnedBy(model: TableInfo, returning: Returning | undefined): Returned {
  if (returning === undefined) return NOTHING_RETURNED
  const [map, owner] = typeof returning === 'object' ? [known.rows, returning] : [known[returning], model]
  let returned = map.get(owner)
  if (!returned) {
    returned = makeReturned(model, returning)
    map.set(owner, returned)
  }
  return returned
}

function makeReturned(model: TableInfo, returning: Returning): Returned {
  if (typeof returning === 'object') return { id: String(returning.id), texts: readsOfWritten(returning) }
  const columns = returning === 'keys' && hasKey(model) ? [model.primaryKey] : model.columns
  return { id: returning, texts: columns.map(column => columnName(model, column)) }
}

/** Where a key stands in what is returned. */
export function keyPlace(model: KeyedTable, returning: Returning): number {
  if (returning === 'keys') return 0
  const { columns } = returning === 'rows' ? model : returning
  return columns.indexOf(model.primaryKey)
}
