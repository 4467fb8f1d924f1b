import { and, desc, eq, gt, lt, type SQL, sql } from 'drizzle-orm'
import { ConfigError, NotFound } from '../../core/errors.ts'
import { message } from '../../core/messages/message.ts'
import { type History, historyOf } from '../../model/history.ts'
import type { Model } from '../../model/kit.ts'
import { quoteText } from '../../model/kit-columns.ts'
import { type ModelInfo, modelInfo } from '../../model/model-info.ts'
import type { HistoryTable, HistoryValues } from '../../model/tables/history-tables.ts'
import { keyOf, type ModelRecord, recordOf, storedRow } from '../../records/record.ts'
import type { Database } from '../../store/connection/database.ts'
import type { RawRow } from '../../store/connection/driver.ts'
import { currentDb } from '../../store/connection/transaction.ts'
import { ownProjection } from '../../store/projection.ts'
import { QuerySet } from '../../store/queryset.ts'
import { decodeRow } from '../../store/row-set.ts'
import { historyKey } from '../../store/write/record-history.ts'
import type { GenericViewSet } from '../generic-viewset.ts'
import { keyBesideLookup, lookupInPath, noSuchKey, withinScopes } from '../records-in-scope.ts'
import { withDeleted } from '../soft-delete/soft-delete-setting.ts'
import { fixedColumnsOf } from './change.ts'
import { translationOf } from './translation.ts'

/** An entry of a history as it is stored. */
export type HistoryEntry = HistoryTable['$inferSelect']

export interface HistoryView extends GenericViewSet {
  readonly config: GenericViewSet['config'] & { readonly historyOfDeleted?: boolean }
}

/** The history of the record that a path names. */
export interface RecordHistory {
  readonly history: History
  /** `undefined` for a deleted record. */
  readonly record: ModelRecord<Model> | undefined
  /** The current columns in their JSON form; `null` for a deleted record. */
  readonly current: HistoryValues | null
  /** The key of the record, and its text. */
  readonly id: unknown
  readonly key: string
  /** The fixed values of the view by the names of their columns: its tenant. */
  readonly fixed: Readonly<Record<string, unknown>>
  /** The entries of the record that the view may see. */
  readonly condition: SQL | undefined
  /** All entries of the record. Its states follow from them, also from changes that the view may not see. */
  readonly all: SQL | undefined
}

/** @throws ConfigError for a model without a history */
export function requireHistory(subject: string, model: ModelInfo): History {
  const history = historyOf(model.table)
  if (history) return history
  const remedy = `add ...c.HistoryTable(${model.name}) to the models`
  throw new ConfigError(subject, 'HistoryModelMixin', `needs the history of "${model.name}"; ${remedy}`)
}

/** The history of a stored record. */
export async function historyOfRecord(view: HistoryView, record: ModelRecord<Model>): Promise<RecordHistory> {
  const { model, subject } = view.definition
  const history = requireHistory(subject, model)
  const current = jsonRow(model, storedRow(record))
  const of = { history, record, current, ...entriesOf(view, history, keyOf(record)) }
  if (!hidesDeleted(view, await view.getQueryset(), of.fixed)) return of
  const isOwn = gt(history.table.id, await endOfOthers(view.database, history, of.key))
  return { ...of, all: and(of.all, isOwn), condition: and(of.condition, isOwn) }
}

/** Whether a deleted record may have been one that the view could not see: scope and permissions need its row. */
function hidesDeleted(view: HistoryView, queryset: QuerySet, fixed: RecordHistory['fixed']): boolean {
  const isScoped = !queryset.isUnconditional || view.hasObjectPermissions
  return isScoped && Object.keys(fixed).length === 0 && !view.config.historyOfDeleted
}

/** Entries that are asked at once whether they are deletes. */
const RANGE = 10_000

/**
 * The id of the last delete of a record with this key, or 0: the history of the present record begins after it. A key
 * that clients choose may be that of another record, which was deleted. An undo of the delete brings the same record
 * back; it is a job, and an action of the resource that is called undo is none.
 */
async function endOfOthers(database: Database, { table }: History, key: string): Promise<number> {
  for (let last: number | undefined; ; ) {
    const older = last === undefined ? undefined : lt(table.id, last)
    const deleted = sql`case when ${table.action} = 'delete' then ${table.id} end as deleted`
    const range = sql`select ${table.id} as id, ${deleted} from ${table} where ${and(eq(table.record, key), older)}`
    const part = sql`${range} order by ${table.id} desc limit ${sql.raw(String(RANGE))}`
    const [row = []] = await ask(database, sql`select max(deleted), min(id), count(*) from (${part}) as part`)
    const [found, first, count] = row.map(value => (value === null ? undefined : Number(value)))
    if (found !== undefined && !(await isUndone(database, table, key, found))) return found
    if (found === undefined && (count ?? 0) < RANGE) return 0
    last = found ?? first
  }
}

/** Whether the next entry after a delete is that of an undo. */
async function isUndone(database: Database, table: History['table'], key: string, deleted: number): Promise<boolean> {
  const byUndo = sql`case when ${table.source} = 'undo' and ${table.job} is not null then 1 else 0 end`
  const next = and(eq(table.record, key), gt(table.id, deleted))
  const [row] = await ask(database, sql`select ${byUndo} from ${table} where ${next} order by ${table.id} limit 1`)
  return Number(row?.[0] ?? 0) === 1
}

export async function ask(database: Database, select: SQL): Promise<readonly RawRow[]> {
  const { text, values } = database.dialect.render(select, 0)
  const statement = database.statement(text, () => text)
  return (await database.run(statement, values)).rows
}

/**
 * Finds the record that the path names, or its history if it is deleted.
 *
 * @throws NotFound if the view may see neither
 */
export async function recordHistoryOf(view: HistoryView): Promise<RecordHistory> {
  const { definition } = view
  const { model, lookup } = definition
  const history = requireHistory(definition.subject, model)
  const value = lookupInPath(view)
  // The history of a deleted record stays at its primary key.
  const id = keyBesideLookup(view)
  if (value === undefined && id === undefined) throw new NotFound(noSuchKey(view))
  const queryset = await view.getQueryset()
  const own = ownProjection(model)
  const row = value === undefined || !lookup ? undefined : await queryset.find(own, lookup, value)
  if (row) return historyOfRow(view, row)
  if (id === undefined) throw new NotFound()
  return withDeleted(view, () => historyOfDeleted(view, history, id))
}

async function historyOfRow(view: HistoryView, row: RawRow): Promise<RecordHistory> {
  const record = recordOf<Model>(view.database, view.definition.model, row)
  await view.checkObjectPermissions(record)
  return historyOfRecord(view, record)
}

async function historyOfDeleted(view: HistoryView, history: History, id: unknown): Promise<RecordHistory> {
  const { database, definition, config } = view
  const { model } = definition
  const queryset = await view.getQueryset()
  const columns = ownProjection(model)
  const isDeleted = (row: RawRow) => decodeRow(database.dialect, model, row).isActive === false
  // The row is still there, so the scope and the permissions can be asked about it.
  const row = config.softDelete ? await queryset.find(columns, model.primaryKey, id) : undefined
  if (row && isDeleted(row)) return historyOfRow(view, row)
  const { fixed, ...own } = entriesOf(view, history, id)
  if (hidesDeleted(view, queryset, fixed)) throw new NotFound()
  const all = withinScopes(view, new QuerySet(database, model))
  const stored = await new QuerySet(database, model).find(columns, model.primaryKey, id)
  // A record that is hidden for another reason than its deletion has no history here.
  const inScope = stored && (await all.missing([id])).length === 0
  const isSoftDeleted = inScope && model.softDeletable && isDeleted(stored)
  if (stored && !(isSoftDeleted && config.historyOfDeleted)) throw new NotFound()
  const [any] = await entriesWhere(history, own.condition, 1)
  if (!any) throw new NotFound()
  return { history, record: undefined, current: stored ? jsonRow(model, stored) : null, fixed, ...own }
}

/** The entries of a record that the view may see: those of its tenant. */
function entriesOf(
  view: HistoryView,
  history: History,
  id: unknown,
): Pick<RecordHistory, 'id' | 'key' | 'fixed' | 'condition' | 'all'> {
  const fixed = fixedColumnsOf(view)
  const ofTenant = Object.entries(fixed).map(
    ([name, value]) => sql`${fixedValue(history.table, name, [history])} = ${value}`,
  )
  const key = historyKey(id)
  const all = eq(history.table.record, key)
  return { id, key, fixed, all, condition: and(all, ...ofTenant) }
}

/** A fixed value of entries, under any of the names that its column has had in the histories. */
export function fixedValue(table: History['table'], name: string, histories: readonly History[]): SQL {
  const names = new Set(histories.flatMap(history => translationOf(history).namesOf(name)))
  const values = [...names].map(stored => sql`${table.fixed} ->> ${sql.raw(quoteText(stored))}`)
  return values.length === 1 ? sql.join(values) : sql`coalesce(${sql.join(values, sql`, `)})`
}

/** The entries that meet a condition, newest first. */
export function entriesWhere({ table }: History, condition: SQL | undefined, limit?: number): Promise<HistoryEntry[]> {
  const all = currentDb().select().from(table).where(condition).orderBy(desc(table.id))
  return limit === undefined ? all : all.limit(limit)
}

/** The model of the entries, for a list in pages. */
export function entryModel(table: HistoryTable): ModelInfo {
  return modelInfo(table)
}

/** The columns of a row in their JSON form. */
export function jsonRow({ dialect, columns }: ModelInfo, row: RawRow): HistoryValues {
  const values = columns.map((column, at) => {
    const raw = row[at]
    const json = raw === null || raw === undefined ? 'null' : dialect.jsonWriter(column)(raw as never)
    return `${JSON.stringify(column.name)}:${json}`
  })
  return JSON.parse(`{${values.join()}}`)
}

/** The error for a time or an entry before the first one. */
export function beforeHistory(start: string): NotFound {
  return new NotFound(message('not_found.before_history', { start }))
}
