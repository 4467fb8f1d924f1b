import { and, gt } from 'drizzle-orm'
import { NotFound, ValidationError } from '../../core/errors.ts'
import { parseJson } from '../../core/json/parse-json.ts'
import { message } from '../../core/messages/message.ts'
import { queryValue } from '../../core/request.ts'
import { readContextOf } from '../../kinds/kind.ts'
import { kindOf } from '../../kinds/kinds.ts'
import { timestamp } from '../../kinds/timestamp.ts'
import type { HistoryAction, HistoryValues } from '../../model/tables/history-tables.ts'
import { PageList } from '../../query/page-list.ts'
import { StandardPageNumberPagination } from '../../query/window-pagination.ts'
import { isReadable, type StoredField } from '../../serializer/fields.ts'
import { relatedOf } from '../../serializer/output/representation.ts'
import { ownProjection } from '../../store/projection.ts'
import { QuerySet } from '../../store/queryset.ts'
import { decodeRow } from '../../store/row-set.ts'
import { hasJoinTable } from '../../store/to-many.ts'
import { ListPage } from '../answer/reply.ts'
import { chosenPastFields } from '../reading/chosen-fields.ts'
import { type FamilyEntries, familyEntries, type PlacedEntry } from './child-entries.ts'
import { childHistories } from './children.ts'
import { currentLinks } from './current-links.ts'
import {
  beforeHistory,
  entriesAfter,
  entriesWhere,
  entryModel,
  findEntry,
  firstEntry,
  type HistoryEntry,
  type HistoryView,
  type RecordHistory,
  recordHistoryOf,
} from './entries.ts'
import { type ShownValues, shownValues, visibleEntries } from './shown-values.ts'
import { type HistoryState, stateBefore } from './states.ts'

export const HISTORY_PAGES = new StandardPageNumberPagination()

/** A page of the entries of a record, newest first. */
export async function historyPage(view: HistoryView): Promise<ListPage> {
  const of = await recordHistoryOf(view)
  const shown = shownValues(view, of.history)
  const children = childHistories(view.getSerializer())
  if (children.length > 0) return familyPage(view, familyEntries(view.database, of, shown, children))
  const { database, request, settings } = view
  const model = entryModel(of.history.table)
  const entries = new QuerySet(database, model)
    .filter(and(of.condition, visibleEntries(of.history, shown)))
    .orderBy([{ by: model.primaryKey, descending: true }])
  const list = new PageList(entries, settings, ownProjection(model))
  const { rows, firstIndex: _, ...links } = await HISTORY_PAGES.paginate(list, request)
  const items = rows.map(row => {
    return entryData({ entry: decodeRow(database.dialect, model, row) as HistoryEntry, shown, path: null })
  })
  return new ListPage([JSON.stringify(items)], links)
}

async function familyPage({ request }: HistoryView, entries: FamilyEntries): Promise<ListPage> {
  const window = HISTORY_PAGES.window(request)
  const count = await entries.count()
  HISTORY_PAGES.checkWindow(window, count)
  const items = (await entries.window(window)).map(entryData)
  const links = HISTORY_PAGES.links(request, window, window.offset + window.limit < count)
  return new ListPage([JSON.stringify(items)], { count, ...links })
}

/** An entry in an answer. Values have the names of the JSON. */
export interface HistoryEntryData<Values = Readonly<Record<string, unknown>>> {
  /** The number of the entry, for a difference and a revert; `null` for an entry of a child, which has neither here. */
  readonly id: number | null
  /** The place of a child in its parent, such as `lines.7`; `null` for an entry of the record itself. */
  readonly path: string | null
  readonly action: HistoryAction
  /** The resource's action in snake_case, such as `bulk_update`; null for a change by other code. */
  readonly source: string | null
  readonly at: string
  readonly user: string | null
  readonly reason: string | null
  readonly request_id: string | null
  readonly job: string | null
  readonly before: Values | null
  readonly after: Values | null
  /** Fields that have changed, and whose values are not kept. */
  readonly redacted?: readonly string[]
}

function entryData({ entry, shown, path }: PlacedEntry): HistoryEntryData {
  const { id, action, source, at, user, reason, requestId, job, before, after } = entry
  const redacted = shown.redacted(entry)
  return {
    id: path === null ? id : null,
    path,
    action,
    source,
    at,
    user,
    reason,
    request_id: requestId,
    job,
    before: shown.values(before),
    after: shown.values(after),
    ...(redacted.length > 0 && { redacted }),
  }
}

/** What has changed between the states after two entries. */
export interface HistoryDifference {
  readonly from: number
  readonly to: number
  readonly changes: readonly { readonly field: string; readonly before: unknown; readonly after: unknown }[]
}

/** @throws ValidationError for a parameter that names no entry of the record */
export async function differenceOf(view: HistoryView): Promise<HistoryDifference> {
  const of = await recordHistoryOf(view)
  const shown = shownValues(view, of.history)
  const [from, to] = await Promise.all([entryIn(view, of, 'from'), entryIn(view, of, 'to')])
  const current = await currentState(view, of)
  const [before, after] = await Promise.all([from, to].map(id => stateAfter({ ...of, current }, id, shown)))
  const [old, now] = [shown.values(inOrder(before, shown)) ?? {}, shown.values(inOrder(after, shown)) ?? {}]
  const { redact = [] } = of.history.options
  const secret = new Set(of.history.model.columns.filter(({ key }) => redact.includes(key)).map(({ wire }) => wire))
  const changes = [...new Set([...Object.keys(old), ...Object.keys(now)])]
    .filter(field => !secret.has(field) && JSON.stringify(old[field]) !== JSON.stringify(now[field]))
    .map(field => ({ field, before: old[field] ?? null, after: now[field] ?? null }))
  return { from, to, changes }
}

async function entryIn(view: HistoryView, of: RecordHistory, name: 'from' | 'to'): Promise<number> {
  const text = queryValue(view.request, name)
  if (text === undefined || text === '') throw new ValidationError({ [name]: [message('required')] })
  const id = /^\d{1,16}$/.test(text) ? Number(text) : undefined
  const entry = id === undefined ? undefined : await findEntry(of, id)
  if (entry) return entry.id
  throw new ValidationError({ [name]: [message('does_not_exist.entry', { entry: text })] })
}

/** Links have no order. */
function inOrder(state: HistoryState | undefined, { links }: ShownValues): HistoryState {
  if (!state) return null
  const values = Object.entries(state).map(([name, value]) => {
    return [name, links.has(name) && Array.isArray(value) ? value.toSorted() : value] as const
  })
  return Object.fromEntries(values)
}

/** The columns of the record and the ids of its links. */
async function currentState(view: HistoryView, { record, current }: RecordHistory): Promise<HistoryState> {
  if (!record) return current
  const lists = view
    .getSerializer()
    .fields.filter(isReadable)
    .filter(field => field.kind === 'many')
    .filter(({ relation }) => hasJoinTable(relation))
  return { ...current, ...(await currentLinks(view, record, lists)) }
}

async function stateAfter(of: RecordHistory, id: number, shown: ShownValues): Promise<HistoryState> {
  return stateBefore(of.current, await entriesAfter(of, id), shown.links)
}

/** Whether the record was soft-deleted, and the resource hides such records. */
function isHiddenState({ config, definition }: HistoryView, state: HistoryValues): boolean {
  const isActive = definition.model.byKey.get('isActive')
  return config.softDelete === true && isActive !== undefined && state[isActive.name] === false
}

/**
 * The record as it was at the time in `?at=`: its own columns, with the ids of related records. `expand` shows those as
 * they are now, since only their ids belong to this record's history.
 *
 * @throws NotFound if there was no such record, or its history begins later; ValidationError for a malformed time
 */
export async function recordAt(view: HistoryView): Promise<Record<string, unknown>> {
  const text = queryValue(view.request, 'at') ?? ''
  const time = timestamp.readText({ kind: 'timestamp' }, text, readContextOf(view.settings))
  if (typeof time !== 'string') {
    throw new ValidationError({ at: [message('invalid_parameter', { expected: message('expected.datetime') })] })
  }
  const of = await recordHistoryOf(view)
  const { history, all, current } = of
  const shown = shownValues(view, history)
  const first = await firstEntry(of)
  const start = first?.at
  if (start === undefined || time < start) throw beforeHistory(start ?? 'now')
  const newer = await entriesWhere(history, and(all, gt(history.table.at, time)))
  const state = stateBefore(current, newer, shown.links)
  if (state === null || isHiddenState(view, state)) throw new NotFound()
  const { redact = [] } = history.options
  const fields = view
    .getSerializer()
    .fields.filter(isReadable)
    .filter(field => field.kind === 'stored')
    .filter(({ column }) => !redact.includes(column.key))
  const chosen = chosenPastFields(view, fields).filter(field => field.kind === 'stored')
  const values: [string, unknown][] = []
  for (const field of chosen) values.push([field.wire, await pastValue(view, field, state[field.column.name] ?? null)])
  return Object.fromEntries(values)
}

/** The value of a past record, or the related record of an expanded field as it is now. Without it, the id stays. */
async function pastValue({ database }: HistoryView, { nested }: StoredField, value: unknown): Promise<unknown> {
  if (!nested?.serializer || value === null) return value
  const { target, model, serializer, scope, scopeReads } = nested
  const key = kindOf(target).readKey(target, String(value))
  const { recorded } = serializer
  const related = new QuerySet(database, model).filter(scopeReads ? scope?.() : undefined)
  const row = key === undefined ? undefined : await related.find(recorded.projection, target, key)
  if (!row) return value
  const lists = recorded.loadRelated ? await relatedOf(recorded, database, [row]) : undefined
  return parseJson(`${recorded.open(row, lists)}}`)
}
