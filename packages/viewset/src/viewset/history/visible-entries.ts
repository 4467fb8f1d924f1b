import { and, eq, isNull, or, type SQL, sql } from 'drizzle-orm'
import type { History } from '../../model/history.ts'
import type { ColumnInfo } from '../../model/model-info.ts'
import { currentDb } from '../../store/connection/transaction.ts'
import { REDACTED } from '../../store/write/record-history.ts'
import { entriesWhere, type HistoryEntry, type RecordHistory } from './entries.ts'
import type { ShownValues } from './shown-values.ts'

/**
 * The condition of the entries that a reader may see. It leaves out updates of hidden fields only. It keeps a change of
 * `parent`, by which a child arrives.
 */
export function visibleEntries(
  { model, table, options }: History,
  { names, translation, wiresOf }: ShownValues,
  parent?: ColumnInfo,
): SQL | undefined {
  const shown = [...names, ...(parent ? translation.namesOf(parent.name) : [])]
  const { redact = [] } = options
  const redacted = model.columns.flatMap(({ key, name }) =>
    redact.includes(key) && wiresOf([name]).length > 0 ? translation.namesOf(name) : [],
  )
  // Of an erased update, nothing says which fields it changed.
  const seesAll = model.columns.every(({ name }) => wiresOf([name]).length > 0)
  const keys = model.dialect.jsonKeys(sql`${table.before}`)
  const list = model.dialect.jsonText(sql`${table.before}`, REDACTED)
  return or(
    sql`${table.action} <> 'update'`,
    seesAll ? isNull(table.before) : undefined,
    shown.length > 0 ? sql`exists (select 1 from ${keys} where entry.key in ${shown})` : undefined,
    ...redacted.map(name =>
      model.dialect.matchesText(list, JSON.stringify(name), { at: 'anywhere', ignoreCase: false }),
    ),
  )
}

/** The entry of a record with an id; `undefined` if there is none, or the reader does not see it. */
export async function findEntry(
  { history, condition }: RecordHistory,
  shown: ShownValues,
  id: number,
): Promise<HistoryEntry | undefined> {
  const seen = and(condition, visibleEntries(history, shown))
  const [entry] = await entriesWhere(history, and(seen, eq(history.table.id, id)), 1)
  return entry
}

/** The oldest entry of a record that the reader sees. */
export async function firstEntry(
  { history, condition }: RecordHistory,
  shown: ShownValues,
): Promise<HistoryEntry | undefined> {
  const { table } = history
  const seen = and(condition, visibleEntries(history, shown))
  const [entry] = await currentDb().select().from(table).where(seen).orderBy(table.id).limit(1)
  return entry
}
