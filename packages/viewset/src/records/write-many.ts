import { momentOfWrite } from '../core/clock.ts'
import { Conflict } from '../core/errors.ts'
import type { ColumnInfo, ModelInfo } from '../model/model-info.ts'
import type { Database } from '../store/database.ts'
import type { RawRow } from '../store/driver.ts'
import { updateTogether } from '../store/hand-over.ts'
import { insertRows } from '../store/insert-rows.ts'
import type { Values } from '../store/write.ts'
import { type RowUpdate, updateRows } from '../store/write-many.ts'
import { decodeRow } from './decode-row.ts'
import { hasNested, type RelatedSet } from './drafts.ts'
import { RecordList } from './record-list.ts'
import { writeRelatedSets } from './related-sets.ts'
import { resolveManyNested } from './resolve-nested.ts'
import { decodedKeys, inOrder, insertedKeys, withMadeKeys } from './row-order.ts'

/** Whether a write returns the rows that it has written, or only their keys. */
export interface WriteManyOptions {
  readonly rows?: boolean
}

/**
 * Inserts records by one statement, without signals; the list is in the order of `given`. Drafts in it are stored
 * before them and to-many relations behind, set-wise, too; that is for callers in a transaction.
 */
export async function insertRecords(
  database: Database,
  model: ModelInfo,
  given: readonly Values[],
  { rows = false }: WriteManyOptions = {},
): Promise<RecordList> {
  const { values, sets } = await resolved(database, given)
  const whole = rows || sets.length > 0
  const keyed = await withMadeKeys(database, model, values)
  const result = await insertRows(database, model, keyed, returned(model, whole))
  const keys = insertedKeys(database, model, keyed, result.rows, keyIndex(model, whole))
  const list = listOf(database, model, result.rows, whole, keys)
  // A trigger can keep a row from being stored; what belongs to it must not go to another.
  if (sets.length > 0 && list.length < given.length) throw new Conflict({}, 'A record has not been stored.')
  await writeSets(database, model, list, keys, sets, true)
  return list
}

/**
 * Updates records by one statement, without signals; the list is in the order of `updates`. Drafts and to-many
 * relations are written as {@link insertRecords} does.
 */
export async function updateRecords(
  database: Database,
  model: ModelInfo,
  updates: readonly RowUpdate[],
  { rows = false }: WriteManyOptions = {},
): Promise<RecordList> {
  const keys = updates.map(({ key }) => key)
  const { values, sets } = await resolved(
    database,
    updates.map(update => update.values),
  )
  const whole = rows || sets.length > 0
  const own = keys.map((key, i) => ({ key, values: values[i] as Values }))
  const result = await updateTogether(database, model, own, { returning: returned(model, whole) })
  const list = listOf(database, model, result.rows, whole, keys)
  await writeSets(database, model, list, keys, sets, false)
  return list
}

/** Marks records as deleted, or takes that back, by one statement; returns how many the database says there were. */
export async function setDeleted(
  database: Database,
  model: ModelInfo,
  keys: readonly unknown[],
  deleted: boolean,
): Promise<number> {
  const shared = { isActive: !deleted, deletedAt: deleted ? momentOfWrite() : null }
  const updates = keys.map(key => ({ key, values: {} }))
  return (await updateRows(database, model, updates, { shared })).changes
}

function returned(model: ModelInfo, rows: boolean): readonly ColumnInfo[] {
  return rows ? model.columns : [model.primaryKey]
}

function keyIndex(model: ModelInfo, rows: boolean): number {
  return rows ? model.columns.indexOf(model.primaryKey) : 0
}

/** The list of what the database returned, which is the truth, in the order of what was asked. */
function listOf(
  database: Database,
  model: ModelInfo,
  written: readonly RawRow[],
  whole: boolean,
  keys: readonly unknown[],
): RecordList {
  const at = keyIndex(model, whole)
  const ordered = inOrder(written, at, keys)
  const known = ordered.length === keys.length ? keys : decodedKeys(database, model, ordered, at)
  return new RecordList(database, model, known, whole ? ordered : undefined)
}

/** To-many relations of the record at `index` of a write. */
interface IndexedSets {
  readonly index: number
  readonly sets: readonly RelatedSet[]
}

/** Stores the drafts of a write, if there are any; without, nothing is made anew. */
async function resolved(
  database: Database,
  list: readonly Values[],
): Promise<{ readonly values: readonly Values[]; readonly sets: readonly IndexedSets[] }> {
  if (!list.some(hasNested)) return { values: list, sets: [] }
  const all = await resolveManyNested(database, list)
  return {
    values: all.map(({ values }) => values),
    sets: all.flatMap(({ sets }, index) => (sets.length > 0 ? [{ index, sets }] : [])),
  }
}

/** Writes to-many relations behind their records, which have `keys` and whose rows are in `list`. */
async function writeSets(
  database: Database,
  model: ModelInfo,
  list: RecordList,
  keys: readonly unknown[],
  sets: readonly IndexedSets[],
  isNew: boolean,
): Promise<void> {
  if (sets.length === 0) return
  const { key } = model.primaryKey
  const fields = (await list.rows()).map(row => decodeRow(database.dialect, model, row))
  const owners = new Map(fields.map(owner => [String(owner[key]), owner]))
  const owned = sets.flatMap(({ index, sets }) => {
    const owner = owners.get(String(keys[index]))
    return owner ? [{ owner, sets, isNew, index }] : []
  })
  await writeRelatedSets(database, owned)
}
