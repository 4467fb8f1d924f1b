import { and } from 'drizzle-orm'
import { Conflict, type FieldErrors, NON_FIELD_ERRORS, NotFound, ValidationError } from '../../core/errors.ts'
import { parseJson } from '../../core/json/parse-json.ts'
import { message } from '../../core/messages/message.ts'
import { queryValue } from '../../core/request.ts'
import { readContextOf } from '../../kinds/kind.ts'
import { kindOf } from '../../kinds/kinds.ts'
import { timestamp } from '../../kinds/timestamp.ts'
import type { HistoryAction } from '../../model/tables/history-tables.ts'
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
  entryModel,
  type HistoryEntry,
  type HistoryView,
  type RecordHistory,
  recordHistoryOf,
} from './entries.ts'
import { type ShownValues, shownValues } from './shown-values.ts'
import { statesAt, type WalkedStates, type WantedLinks } from './states.ts'
import { translationOf, valueToday } from './translation.ts'
import { findEntry, firstEntry, visibleEntries } from './visible-entries.ts'

export const HISTORY_PAGES = new StandardPageNumberPagination()

/** A page of the entries of a record, newest first. */
export async function historyPage(view: HistoryView): Promise<ListPage> {
  const of = await recordHistoryOf(view)
  const shown = shownValues(view, of.history)
  const children = childHistories(view.getSerializer(), view.user)
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

/**
 * @throws ValidationError for a parameter that names no entry of the record; Conflict if the entries do not say what has
 *   changed
 */
export async function differenceOf(view: HistoryView): Promise<HistoryDifference> {
  const of = await recordHistoryOf(view)
  const shown = shownValues(view, of.history)
  const errors: FieldErrors = {}
  const from = await entryIn(view, of, shown, 'from', errors)
  const to = await entryIn(view, of, shown, 'to', errors)
  if (from === undefined || to === undefined) throw new ValidationError(errors)
  const links = await linksNow(view, of, shown)
  const walked = await statesAt(view.database, of, [{ after: from }, { after: to }], shown.translation, links)
  const [old = {}, now = {}] = certain(walked).map(state => (state ? shown.state(state) : {}))
  const unkept = of.history.model.columns.filter(column => !shown.translation.isKept(column))
  const secret = new Set(shown.wiresOf(unkept.map(({ name }) => name)))
  const changes = [...new Set([...Object.keys(old), ...Object.keys(now)])]
    .map(field => ({ field, before: old[field] ?? null, after: now[field] ?? null }))
    .filter(({ field, before, after }) => !secret.has(field) && JSON.stringify(before) !== JSON.stringify(after))
  return { from, to, changes }
}

/** @throws Conflict for states that are uncertain, with the reason */
export function certain({ states, doubt }: WalkedStates): WalkedStates['states'] {
  if (doubt === undefined) return states
  const text = message(DOUBTS[doubt])
  throw new Conflict({ [NON_FIELD_ERRORS]: [text] }, text)
}

const DOUBTS = {
  names: 'past_state.names',
  erased: 'past_state.erased',
  unrecorded: 'past_state.unrecorded',
} as const

/** The id of the entry that a parameter names. `undefined` with an error. */
async function entryIn(
  view: HistoryView,
  of: RecordHistory,
  shown: ShownValues,
  name: 'from' | 'to',
  errors: FieldErrors,
): Promise<number | undefined> {
  const text = queryValue(view.request, name) ?? ''
  const id = /^\d{1,16}$/.test(text) ? Number(text) : undefined
  const entry = id === undefined ? undefined : await findEntry(of, shown, id)
  if (!entry) errors[name] = [text === '' ? message('required') : message('does_not_exist.entry', { entry: text })]
  return entry?.id
}

/** The links of the record that the reader sees. */
async function linksNow(view: HistoryView, { record }: RecordHistory, { links }: ShownValues): Promise<WantedLinks> {
  const lists = view.getSerializer().fields.filter(field => field.kind === 'many')
  const wanted = lists.filter(({ wire, relation }) => links.has(wire) && hasJoinTable(relation))
  return record ? currentLinks(view, record, wanted) : new Map(wanted.map(({ wire }) => [wire, undefined]))
}

/** Whether the record was soft-deleted, and the resource hides such records. */
function isHiddenState({ config, definition }: HistoryView, state: Readonly<Record<string, unknown>>): boolean {
  const isActive = definition.model.byKey.get('isActive')
  return config.softDelete === true && isActive !== undefined && state[isActive.name] === false
}

/**
 * The record as it was at the time in `?at=`: its own columns, with the ids of related records. `expand` shows those as
 * they are now, since only their ids belong to this record's history.
 *
 * @throws NotFound if there was no such record, or its history begins later; ValidationError for a malformed time;
 *   Conflict if the entries do not say what the record was
 */
export async function recordAt(view: HistoryView): Promise<Record<string, unknown>> {
  const text = queryValue(view.request, 'at') ?? ''
  const time = timestamp.readText({ kind: 'timestamp' }, text, readContextOf(view.settings))
  if (typeof time !== 'string') {
    throw new ValidationError({ at: [message('invalid_parameter', { expected: message('expected.datetime') })] })
  }
  const of = await recordHistoryOf(view)
  const { history } = of
  const translation = translationOf(history)
  const fields = view
    .getSerializer()
    .fields.filter(isReadable)
    .filter(field => field.kind === 'stored')
    .filter(({ column }) => translation.isKept(column))
  const chosen = chosenPastFields(view, fields).filter(field => field.kind === 'stored')
  const start = (await firstEntry(of, shownValues(view, history)))?.at
  if (start === undefined || time < start) throw beforeHistory(start ?? 'now')
  const [state] = certain(await statesAt(view.database, of, [{ at: time }], translation, new Map()))
  if (!state) throw beforeHistory(start)
  const { columns } = state
  if (columns === null || isHiddenState(view, columns)) throw new NotFound()
  const values: [string, unknown][] = []
  const errors: FieldErrors = {}
  for (const field of chosen) {
    const value = valueToday(field.column, columns[field.column.name])
    if (value) values.push([field.wire, await pastValue(view, field, value.value)])
    else errors[field.wire] = [message('past_state.other_type')]
  }
  if (Object.keys(errors).length > 0) throw new Conflict(errors, message('past_state.other_type'))
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
