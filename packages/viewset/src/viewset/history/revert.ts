import { type FieldErrors, ValidationError } from '../../core/errors.ts'
import { message, type Text } from '../../core/messages/message.ts'
import { shownValue } from '../../core/text.ts'
import type { Model } from '../../model/kit.ts'
import type { ModelRecord } from '../../records/record.ts'
import { isReadable, isWritable, type ManyField, type SerializerField } from '../../serializer/fields.ts'
import type { Values } from '../../store/write/write.ts'
import { currentLinks } from './current-links.ts'
import { entriesAfter, findEntry, type HistoryView, historyOfRecord } from './entries.ts'
import { shownValues } from './shown-values.ts'
import { type HistoryState, stateBefore } from './states.ts'

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
 * @throws ValidationError for an unknown entry or field, and for a field that cannot be brought back
 */
export async function revertedInput(view: HistoryView, record: ModelRecord<Model>): Promise<Record<string, unknown>> {
  const { entry, fields } = readWanted(view.request.body)
  const of = await historyOfRecord(view, record)
  const found = await findEntry(of, entry)
  if (!found) throw refusal({ entry: [message('does_not_exist.entry', { entry })] })
  const { history } = of
  const shown = shownValues(view, history)
  const { redact = [] } = history.options
  const candidates = view.getSerializer().fields.filter(field => isReadable(field) && isRevertible(field))
  const strangers = (fields ?? []).filter(name => {
    const field = candidates.find(({ wire }) => wire === name)
    return !field || (field.kind === 'stored' && redact.includes(field.column.key))
  })
  if (strangers.length > 0)
    throw refusal(Object.fromEntries(strangers.map(name => [name, [message('not_revertible')]])))
  const current = { ...of.current, ...(await currentLinks(view, record, candidates.filter(isList))) }
  const newer = await entriesAfter(of, entry)
  // The state after a deletion is none. Then the record was stored again since, so it has no fields to bring back.
  const state: HistoryState = stateBefore(current, newer, shown.links)
  if (state === null) throw refusal({ entry: [message('does_not_exist.state', { entry })] })
  const input: Record<string, unknown> = {}
  for (const field of candidates) {
    if (fields && !fields.includes(field.wire)) continue
    const name = field.kind === 'stored' ? field.column.name : field.wire
    if (field.kind === 'stored' && redact.includes(field.column.key)) continue
    if (!(name in state) || isSame(state[name], current[name])) continue
    input[field.wire] = state[name]
  }
  return input
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
  if (field.kind === 'many') return field.write === 'id'
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
