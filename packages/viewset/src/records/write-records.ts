import { Conflict, underPath } from '../core/errors.ts'
import { message } from '../core/messages/message.ts'
import type { Model } from '../model/kit.ts'
import type { ModelInfo } from '../model/model-info.ts'
import { signals } from '../model/signals.ts'
import type { Database } from '../store/connection/database.ts'
import type { RawRow } from '../store/connection/driver.ts'
import { inTransaction } from '../store/connection/session.ts'
import type { QuerySet } from '../store/queryset.ts'
import { keyPlace, keyText, storedKeyTexts } from '../store/row-order.ts'
import { decodeRow } from '../store/row-set.ts'
import { deletionValues } from '../store/soft-deletion.ts'
import { parkTakenValues, restoreParked } from '../store/write/exchange-in-turn.ts'
import { executeWrite } from '../store/write/execute-write.ts'
import { placed } from '../store/write/refused-rows.ts'
import type { RowUpdate, Values, WriteResult } from '../store/write/write.ts'
import { hasNested, withoutParts } from './drafts.ts'
import { type OwnedParts, type PlaceAt, type RecordWriters, writeParts } from './nested-lists.ts'
import { atomic, databaseOf, keyOf, type ModelRecord, recordOf, saveValues } from './record.ts'
import { RecordList } from './record-list.ts'
import { resolveManyNested, resolveNested } from './resolve-nested.ts'

export interface WriteManyOptions {
  readonly rows?: boolean
  readonly place?: PlaceAt
}

/**
 * One INSERT, without signals; with a `preSave` handler, one for each record. Drafts and to-many relations need a
 * transaction of the caller.
 */
export async function insertRecords(
  database: Database,
  model: ModelInfo,
  given: readonly Values[],
  options: WriteManyOptions = {},
): Promise<RecordList> {
  if (signals.preSave.isHeard(model.table)) {
    return writeEach(database, model, given, true, options, values => createRecordIn(database, model, values))
  }
  const { values, parts } = await resolved(database, given)
  const returning = returned(options, parts)
  const result = await placed(options.place, () =>
    executeWrite(database, { kind: 'insert', model, rows: values, returning }),
  )
  // A trigger can skip a row. Then the parts cannot be assigned to their records.
  if (parts.length > 0 && result.keys.length < given.length) throw new Conflict({}, message('not_stored.record'))
  return withParts(database, model, result, { returning, keys: result.keys, parts, isNew: true, ...options })
}

/** Like {@link insertRecords}: one UPDATE, without signals, in the order of `updates`. */
export async function updateRecords(
  database: Database,
  model: ModelInfo,
  updates: readonly RowUpdate[],
  options: WriteManyOptions = {},
): Promise<RecordList> {
  if (signals.preSave.isHeard(model.table)) {
    return saveEach(database, model, await loadedChanges(database, model, updates), options)
  }
  const { values, parts } = await resolved(
    database,
    updates.map(update => update.values),
  )
  const returning = returned(options, parts)
  const keys = updates.map(({ key }) => key)
  const rows = updates.map((update, i) => ({ ...update, values: values[i] as Values }))
  const result = await placed(options.place, () => executeWrite(database, { kind: 'update', model, rows, returning }))
  return withParts(database, model, result, { returning, keys, parts, isNew: false, ...options })
}

interface RecordChange extends RowUpdate {
  readonly record: ModelRecord<Model>
}

async function loadedChanges(
  database: Database,
  model: ModelInfo,
  updates: readonly RowUpdate[],
): Promise<readonly RecordChange[]> {
  const keys = updates.map(({ key }) => key)
  const records = await new RecordList(database, model, keys).records()
  const known = new Map(records.map(record => [keyText(model, keyOf(record)), record]))
  return updates.flatMap(({ key, values }) => {
    const record = known.get(keyText(model, key))
    return record ? [{ key, values, record }] : []
  })
}

/** Saves each record with its signals. A record may take a unique value that a later one releases. */
export async function saveEach(
  database: Database,
  model: ModelInfo,
  changes: readonly RecordChange[],
  options: WriteManyOptions = {},
): Promise<RecordList> {
  const loans = await parkTakenValues(database, model, changes)
  const given = changes.map(({ values }) => values)
  const save = (values: Values, at: number) => updateRecord((changes[at] as RecordChange).record, values)
  return writeEach(database, model, given, false, options, save, () => restoreParked(database, model, loans))
}

/** Writes records one by one, and what belongs to them then at once: children of two records may exchange values. */
async function writeEach(
  database: Database,
  model: ModelInfo,
  given: readonly Values[],
  isNew: boolean,
  { place }: WriteManyOptions,
  write: (values: Values, index: number) => Promise<ModelRecord<Model>>,
  afterwards?: () => Promise<void>,
): Promise<RecordList> {
  const written: ModelRecord<Model>[] = []
  const owned: OwnedParts[] = []
  for (const [index, whole] of given.entries()) {
    const { values, parts } = withoutParts(whole)
    const path = place?.(index)
    const owner = await (path === undefined ? write(values, index) : underPath(path, () => write(values, index)))
    if (parts.length > 0) owned.push({ owner, parts, isNew, path: path ?? String(index) })
    written.push(owner)
  }
  await afterwards?.()
  await writeParts(database, owned, writersIn(database))
  return RecordList.of(database, model, written)
}

/** Returns the database's count of them. */
export async function setDeleted(
  database: Database,
  model: ModelInfo,
  keys: readonly unknown[],
  deleted: boolean,
): Promise<number> {
  const shared = deletionValues(deleted)
  const rows = keys.map(key => ({ key, values: {} }))
  return (await executeWrite(database, { kind: 'update', model, rows, shared })).changes
}

export async function deleteRecords(database: Database, model: ModelInfo, keys: readonly unknown[]): Promise<number> {
  const rows = keys.map(key => ({ key }))
  return (await executeWrite(database, { kind: 'delete', model, rows })).changes
}

function returned({ rows = false }: WriteManyOptions, parts: readonly IndexedParts[]): 'rows' | 'keys' {
  return rows || parts.length > 0 ? 'rows' : 'keys'
}

interface IndexedParts {
  readonly index: number
  readonly parts: OwnedParts['parts']
}

async function resolved(
  database: Database,
  list: readonly Values[],
): Promise<{ readonly values: readonly Values[]; readonly parts: readonly IndexedParts[] }> {
  if (!list.some(hasNested)) return { values: list, parts: [] }
  const all = await resolveManyNested(database, list, writersIn(database))
  return {
    values: all.map(({ values }) => values),
    parts: all.flatMap(({ parts }, index) => (parts.length > 0 ? [{ index, parts }] : [])),
  }
}

function writersIn(database: Database): RecordWriters {
  return {
    create: (model, values) => createRecordIn(database, model, values),
    insertMany: (model, values, place) => insertRecords(database, model, values, { rows: true, place }),
    updateMany: (model, updates, place) => updateRecords(database, model, updates, { place }),
  }
}

interface WrittenParts extends WriteManyOptions {
  readonly returning: 'rows' | 'keys'
  /** The keys of the records, in the order of the request. */
  readonly keys: readonly unknown[]
  readonly parts: readonly IndexedParts[]
  readonly isNew: boolean
}

async function withParts(
  database: Database,
  model: ModelInfo,
  { rows, keys: written }: WriteResult,
  { returning, keys, parts, isNew, place }: WrittenParts,
): Promise<RecordList> {
  if (parts.length > 0) {
    const texts = storedKeyTexts(database, model, rows, keyPlace(model, model.columns))
    const owners = new Map(rows.map((row, index) => [texts[index], decodeRow(database.dialect, model, row)]))
    const owned = parts.flatMap(({ index, parts }) => {
      const owner = owners.get(keyText(model, keys[index]))
      return owner ? [{ owner, parts, isNew, path: place?.(index) ?? String(index) }] : []
    })
    await writeParts(database, owned, writersIn(database))
  }
  return new RecordList(database, model, written, returning === 'rows' ? rows : undefined)
}

/** When written records have to be in the queryset of the resource. */
export type CheckScope = 'create' | 'always' | 'never'

export const OUTSIDE_OF_QUERYSET = message('out_of_scope')

export async function outsideOf(queryset: QuerySet, keys: () => readonly unknown[]): Promise<readonly number[]> {
  return queryset.isUnconditional ? [] : queryset.missing(keys())
}

export async function createRecordIn<M extends Model>(
  database: Database,
  model: ModelInfo,
  given: Values,
): Promise<ModelRecord<M>> {
  if (hasNested(given)) return writeNested(database, given, true, values => createRecordIn<M>(database, model, values))
  return atomic(database, model, ['preSave', 'postSave'], async () => {
    const values = { ...given }
    await signals.preSave.send(model.table, { created: true, record: null, values })
    const { rows } = await executeWrite(database, { kind: 'insert', model, rows: [values], returning: 'rows' })
    const record = recordOf<M>(database, model, rows[0] as RawRow)
    await signals.postSave.send(model.table, { created: true, record })
    return record
  })
}

export async function updateRecord<M extends Model>(record: ModelRecord<M>, values: Values): Promise<ModelRecord<M>> {
  if (!hasNested(values)) return saveValues(record, values)
  return writeNested(databaseOf(record), values, false, resolved => saveValues(record, resolved))
}

function writeNested<R extends Values>(
  database: Database,
  given: Values,
  isNew: boolean,
  write: (values: Values) => Promise<R>,
): Promise<R> {
  return inTransaction(database, async () => {
    const writers = writersIn(database)
    const { values, parts } = await resolveNested(database, given, writers)
    const owner = await write(values)
    await writeParts(database, [{ owner, parts, isNew, path: '' }], writers)
    return owner
  })
}
