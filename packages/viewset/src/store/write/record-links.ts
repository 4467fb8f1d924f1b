import { bigintJson } from '../../core/json/json-of.ts'
import { kindValue } from '../../model/column-kind.ts'
import type { RowSetColumn } from '../../model/dialect/dialect.ts'
import { ROWS } from '../../model/dialect/write-text.ts'
import { quoteName } from '../../model/drizzle.ts'
import type { History } from '../../model/history.ts'
import type { ColumnInfo } from '../../model/model-info.ts'
import type { Database } from '../connection/database.ts'
import { tableName } from '../select.ts'
import { Bound } from '../sql-value.ts'
import {
  asType,
  type Entry,
  entriesOfTransaction,
  historyKey,
  insertEntries,
  noteStored,
  type StoredEntry,
} from './record-history.ts'
import { runWrite } from './run-write.ts'
import type { Values } from './write.ts'

/** Changed links of a record. */
export interface ChangedLinks {
  readonly history: History
  /** The key of the record. */
  readonly record: string
  /** The values of the record. */
  readonly owner: Values
  /** By the names of the relations. */
  readonly fields: Readonly<
    Record<string, { readonly removed: readonly unknown[]; readonly added: readonly unknown[] }>
  >
}

/** The id of a link in entries. */
export function linkId(key: ColumnInfo, held: unknown): unknown {
  const value = kindValue(key, held)
  return typeof value === 'bigint' ? JSON.parse(bigintJson(value)) : value
}

/**
 * Links count as a field of the record that lists them: the removed ids before, the added ids after. If the request has
 * changed columns of the record as well, both are one entry.
 */
export async function recordLinks(database: Database, changes: readonly ChangedLinks[]): Promise<void> {
  for (const [history, group] of Map.groupBy(changes, ({ history }) => history)) {
    const known = entriesOfTransaction(history)
    const joined = group.flatMap(change => {
      const entry = known?.get(change.record)
      // A second change of a relation is an entry of its own.
      const isFirst = entry && !Object.keys(change.fields).some(name => entry.links.has(name))
      return isFirst ? [[change, entry] as const] : []
    })
    const found = await joinLinks(database, history, joined)
    // A savepoint may have undone the write of the record, and its entry.
    const others = group.filter(({ record }) => !found.has(record))
    const entries = others.map(change => entryOfLinks(history, change))
    const stored = await insertEntries(database, history, entries, true)
    noteStored(history, [
      ...joined
        .filter(([{ record }]) => found.has(record))
        .map(([{ fields }, entry]) => ({ ...entry, links: new Set([...entry.links, ...Object.keys(fields)]) })),
      ...others.map(({ record, fields }) => ({ id: stored.get(record), record, links: new Set(Object.keys(fields)) })),
    ])
  }
}

function entryOfLinks({ options: { parent } }: History, change: ChangedLinks): Entry {
  const { record, owner } = change
  const of = parent === undefined ? null : (owner[parent] ?? null)
  return {
    record,
    action: 'update',
    parent: of === null ? null : historyKey(of),
    before: linksJson(change, 'removed'),
    after: linksJson(change, 'added'),
  }
}

function linksJson({ fields }: ChangedLinks, side: 'removed' | 'added'): string {
  return JSON.stringify(Object.fromEntries(Object.entries(fields).map(([name, ids]) => [name, ids[side]])))
}

/** Adds changed links to entries. Returns the records whose entries are there. */
async function joinLinks(
  database: Database,
  { info }: History,
  joined: readonly (readonly [ChangedLinks, StoredEntry])[],
): Promise<ReadonlySet<string>> {
  if (joined.length === 0) return new Set()
  const { dialect } = database
  const columnOf = (key: string) => info.byKey.get(key) as ColumnInfo
  const named = (key: string) => quoteName(columnOf(key).name)
  const bound = new Bound(dialect)
  const texts = ['_record', '_before', '_after'].map((name): RowSetColumn => ({ name, kind: 'text', sqlType: 'text' }))
  const cells = joined.map(([change, { id, record }]) => {
    return [id, record, linksJson(change, 'removed'), linksJson(change, 'added')]
  })
  const table = tableName(info)
  // SQLite gives the number of an entry that a savepoint has undone again.
  const isEntry = ['id', 'record'].map(key => `${table}.${named(key)} = ${ROWS}."_${key}"`)
  const text = dialect.writes.update({
    table,
    // The value before a new record stays null.
    set: () =>
      ['before', 'after'].map(key => {
        const links = asType(`${ROWS}."_${key}"`, columnOf(key))
        return [named(key), dialect.joinedJson(`${table}.${named(key)}`, links)] as const
      }),
    rows: () => bound.rows([{ ...columnOf('id'), name: '_id' }, ...texts], cells, true),
    where: () => isEntry.join(' and '),
    returning: [named('record')],
  })
  const statement = database.statement(text, () => text)
  const { rows } = await runWrite(database, info, statement, bound.values)
  return new Set(rows.map(([record]) => String(record)))
}
