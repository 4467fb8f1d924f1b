import { ApiError, type FieldErrors, ValidationError } from '../../core/errors.ts'
import { message, type Text } from '../../core/messages/message.ts'
import { shownValue } from '../../core/text.ts'
import type { Model } from '../../model/kit.ts'
import type { ModelRecord } from '../../records/record.ts'
import { isReadable, isWritable, type ManyField, type SerializerField } from '../../serializer/fields.ts'
import { isInTransaction } from '../../store/connection/session.ts'
import { hasJoinTable } from '../../store/to-many.ts'
import type { Values } from '../../store/write/write.ts'
import { currentLinks } from './current-links.ts'
import { type HistoryView, historyOfRecord, type RecordHistory } from './entries.ts'
import { certain } from './read-history.ts'
import { shownValues } from './shown-values.ts'
import { type PastState, statesAt, type WantedLinks } from './states.ts'
import { translationOf, valueToday } from './translation.ts'
import { findEntry } from './visible-entries.ts'

/** The values of a body that the API has made, through the same hook as the body of a client. */
export async function validatedBody(view: HistoryView, body: object, record: ModelRecord<Model>): Promise<Values> {
  const { request } = view
  const withBody = Object.create(request, { body: { value: body, enumerable: true } })
  Object.defineProperty(view, 'request', { value: withBody, configurable: true })
  try {
    return await view.validate({ record, partial: true })
  } finally {
    Object.defineProperty(view, 'request', { value: request, configurable: true })
  }
}

interface Wanted {
  readonly entry: number
  readonly fields: readonly string[] | undefined
}

/**
 * The body of an update that brings back the state after an entry: the fields that differ and that the reader may see
 * and write.
 *
 * @throws ValidationError for an unknown entry or field, and for a field that cannot be brought back; Conflict if the
 *   entries do not say what the record was
 */
export async function revertedInput(
  view: HistoryView,
  record: ModelRecord<Model>,
  found?: FoundState,
): Promise<Record<string, unknown>> {
  const { entry, fields } = readWanted(view.request.body)
  const of = await historyOfRecord(view, record)
  const isThere = (await findEntry(of, shownValues(view, of.history), entry)) !== undefined
  if (!isThere) throw refusal({ entry: [message('does_not_exist.entry', { entry })] })
  const candidates = revertibleFields(view, of)
  const strangers = (fields ?? []).filter(name => !candidates.some(({ wire }) => wire === name))
  if (strangers.length > 0)
    throw refusal(Object.fromEntries(strangers.map(name => [name, [message('not_revertible')]])))
  const links = await currentLinks(view, record, candidates.filter(isList))
  const [state] = found?.key === of.key ? [found.state] : await stateAfter(view, of, entry, links)
  // The state after a deletion is none. Then the record was stored again since, so it has no fields to bring back.
  if (!state?.columns) throw refusal({ entry: [message('does_not_exist.state', { entry })] })
  const wanted = candidates.filter(({ wire }) => !fields || fields.includes(wire))
  return changedFields(wanted, { columns: of.current ?? {}, links, dropped: {} }, state)
}

/** The state of a record after the wanted entry. Later changes of the record do not change it. */
export interface FoundState {
  readonly key: string
  readonly state: PastState | undefined
}

/**
 * The state that a revert wants, as far as it is found before its transaction: a long history would hold the locks.
 * `undefined` for a request that the revert refuses.
 */
export async function stateBeforeLock(view: HistoryView): Promise<FoundState | undefined> {
  if (isInTransaction(view.database)) return undefined
  try {
    const { entry } = readWanted(view.request.body)
    const record = await view.getObject()
    const of = await historyOfRecord(view, record)
    const links = await currentLinks(view, record, revertibleFields(view, of).filter(isList))
    const [state] = await stateAfter(view, of, entry, links)
    return { key: of.key, state }
  } catch (error) {
    if (error instanceof ApiError && error.status < 500) return undefined
    throw error
  }
}

async function stateAfter(view: HistoryView, of: RecordHistory, entry: number, links: WantedLinks) {
  return certain(await statesAt(view.database, of, [{ after: entry }], translationOf(of.history), links))
}

function revertibleFields(view: HistoryView, { history }: RecordHistory): readonly SerializerField[] {
  const translation = translationOf(history)
  const isKept = (field: SerializerField) => field.kind !== 'stored' || translation.isKept(field.column)
  return view.getSerializer().fields.filter(field => isReadable(field) && isRevertible(field) && isKept(field))
}

/** The fields that differ from a state, with the values of the state. @throws ValidationError */
function changedFields(fields: readonly SerializerField[], current: PastState, past: PastState) {
  const input: Record<string, unknown> = {}
  const errors: Record<string, readonly Text[]> = {}
  for (const field of fields) {
    // The column is younger than a record that was deleted then.
    if (field.kind === 'stored' && !(field.column.name in (past.columns ?? {}))) continue
    const [now, then] = [current, past].map(state => valueIn(state, field))
    if (!then) errors[field.wire] = [message('past_state.other_type')]
    else if (!isSame(then.value, now?.value)) input[field.wire] = then.value
  }
  if (Object.keys(errors).length > 0) throw refusal(errors)
  return input
}

/** `undefined` for a value that the field cannot have today. */
function valueIn({ columns, links }: PastState, field: SerializerField): { readonly value: unknown } | undefined {
  if (field.kind !== 'stored') return { value: links.get(field.wire) ?? [] }
  return valueToday(field.column, columns?.[field.column.name])
}

function readWanted(body: unknown): Wanted {
  const { entry, fields } = Object(body) as { readonly entry?: unknown; readonly fields?: unknown }
  const errors: Record<string, readonly Text[]> = {}
  if (entry === undefined) errors.entry = [message('required')]
  else if (!Number.isSafeInteger(entry)) errors.entry = [message('invalid_integer', { value: shownValue(entry) })]
  const isList = Array.isArray(fields) && fields.every(name => typeof name === 'string')
  if (fields !== undefined && !isList) errors.fields = [message('not_a_list.fields')]
  if (Object.keys(errors).length > 0) throw refusal(errors)
  return { entry: entry as number, fields: fields as readonly string[] | undefined }
}

function isList(field: SerializerField): field is ManyField {
  return field.kind === 'many'
}

/** Fields that an update takes in the form in which a history keeps them: values and ids. */
function isRevertible(field: SerializerField): boolean {
  if (!isWritable(field) || field.kind === 'input') return false
  // Children have a history of their own.
  if (field.kind === 'many') return field.write === 'id' && hasJoinTable(field.relation)
  const { relation } = field
  return relation === null || relation.write === 'id' || relation.write === 'flexible'
}

function isSame(a: unknown, b: unknown): boolean {
  if (Array.isArray(a) && Array.isArray(b)) {
    const [some, others] = [a, b].map(list => list.map(item => JSON.stringify(item)).toSorted())
    return String(some) === String(others)
  }
  return JSON.stringify(a) === JSON.stringify(b)
}

function refusal(errors: FieldErrors | Record<string, readonly Text[]>): ValidationError {
  return new ValidationError(errors as FieldErrors)
}
