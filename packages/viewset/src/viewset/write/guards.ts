import {
  ApiError,
  ConfigError,
  errorsUnder,
  type FieldErrors,
  NON_FIELD_ERRORS,
  PreconditionFailed,
} from '../../core/errors.ts'
import { message, type Text } from '../../core/messages/message.ts'
import type { ApiRequest } from '../../core/request.ts'
import { suggestion } from '../../core/suggestion.ts'
import type { ModelInfo } from '../../model/model-info.ts'
import { readJsonValue } from '../../serializer/column-schema.ts'
import type { Database } from '../../store/connection/database.ts'
import { holdsGuard } from '../../store/write/guard.ts'
import type { Guard, Values } from '../../store/write/write.ts'
import { isSafe } from '../permissions.ts'
import type { WantedChange } from '../seams.ts'
import { checkPreconditions, hasPreconditions, preconditionsOf, unknownTags } from '../version/preconditions.ts'
import { readTagField, readTags } from '../version/tags.ts'
import { type HeadersView, recordHeaders } from './record-headers.ts'

// A guard is a condition of the one statement. If something watches the write, a lock protects the comparison.

/** Whether the request changes no record: a custom action that writes may be a GET. */
export function isReadOnly({ method, writes }: Pick<GuardedView, 'method' | 'writes'>): boolean {
  return isSafe(method) && !writes
}

/** The guards of one record: a list for each mixin, of which one must be met. */
export type RecordGuards = readonly (readonly Guard[])[]

interface GuardedView extends HeadersView {
  readonly request: HeadersView['request'] & Pick<ApiRequest, 'headers'>
  readonly database: Database
  readonly method: string
  readonly writes: boolean
}

const NONE: RecordGuards = []

export function hasGuards({ definition }: HeadersView): boolean {
  return definition.guards.length > 0
}

/** In the place of a guard: code compares the preconditions of the request, and not the one statement. */
const BY_CODE: readonly Guard[] = []

/** The guards of the record that the path names. @throws ApiError of a guard, such as 428 */
export function guardsOfPath(view: GuardedView): RecordGuards {
  if (isReadOnly(view)) return NONE
  const guards = hasGuards(view) ? guardsOf(view, { input: view.request.body, index: undefined, isStored: true }) : NONE
  return hasPreconditions(view) && preconditionsOf(view).length > 0 ? [...guards, BY_CODE] : guards
}

/** The statuses that a bulk answer reports for each item. */
const OF_ITEMS = new Set([400, 409, 412, 428])

/** The guards of each item of a bulk request. @throws ApiError with the errors of all items that a guard refuses */
export function guardsOfItems(
  view: GuardedView,
  items: readonly unknown[],
  isStored: (index: number) => boolean = () => true,
): readonly RecordGuards[] {
  if (!hasGuards(view)) return []
  const refused: { readonly index: number; readonly error: ApiError }[] = []
  const all = items.map((input, index) => {
    try {
      return guardsOf(view, { input, index, isStored: isStored(index) })
    } catch (error) {
      if (!(error instanceof ApiError && OF_ITEMS.has(error.status))) throw error
      refused.push({ index, error })
      return NONE
    }
  })
  const [first] = refused
  // Most requests guard nothing.
  if (!first) return all.every(guards => guards.length === 0) ? [] : all
  const { status, code, text } = first.error
  const errors = Object.assign({}, ...refused.map(({ index, error }) => errorsOfItem(index, error)))
  throw new ApiError(status, code, text, { errors })
}

/** Whether one statement can compare the guards: none names alternatives, and no two are about one field. */
export function isOneGuard(guards: RecordGuards): boolean {
  const fields = guards.flatMap(alternatives => alternatives.flatMap(Object.keys))
  return guards.every(alternatives => alternatives.length === 1) && new Set(fields).size === fields.length
}

/** Guards of which {@link isOneGuard} is true, as one. */
export function asOneGuard(guards: RecordGuards): Guard | undefined {
  return guards.length === 0 ? undefined : Object.assign({}, ...guards.flat())
}

/** Compares a record with its guards. @throws PreconditionFailed with the headers of the record as it is */
export async function checkGuards(view: GuardedView, guards: RecordGuards, record: Values): Promise<void> {
  const ofValues = guards.filter(alternatives => alternatives !== BY_CODE)
  if (!(await isMet(view, ofValues, record))) {
    const { headers, body } = view.request
    const wanted = headers['if-match'] === undefined ? readTagField(body) : readTags(headers['if-match'], 'If-Match')
    throw new PreconditionFailed(unknownTags(view.definition, wanted), { headers: recordHeaders(view, record) })
  }
  if (ofValues.length < guards.length) checkPreconditions(view, record, () => recordHeaders(view, record))
}

/** A record that an item names, `undefined` if there is none, and the item's guards. */
export interface GuardedItem {
  readonly guards: RecordGuards
  readonly record: Values | undefined
  /** The item as it was sent. */
  readonly input: unknown
}

/** Compares the records of items with their guards. @throws PreconditionFailed with an error for each that differs */
export async function checkGuardsOfItems(view: GuardedView, items: readonly GuardedItem[]): Promise<void> {
  const errors: FieldErrors = {}
  let first: Text | undefined
  for (const [index, { guards, record, input }] of items.entries()) {
    if (guards.length === 0 || (record && (await isMet(view, guards, record)))) continue
    const text = unknownTags(view.definition, readTagField(input)) ?? message('precondition_failed')
    first ??= text
    Object.assign(errors, errorsUnder(String(index), { [NON_FIELD_ERRORS]: [text] }))
  }
  if (first !== undefined) throw new PreconditionFailed(first, { errors })
}

async function isMet({ database, definition }: GuardedView, guards: RecordGuards, record: Values): Promise<boolean> {
  for (const alternatives of guards) {
    let isOneMet = false
    for (const guard of alternatives) isOneMet ||= await holdsGuard(database, definition.model, record, guard)
    if (!isOneMet) return false
  }
  return true
}

function guardsOf(view: GuardedView, change: WantedChange): RecordGuards {
  const { guards, model, subject } = view.definition
  return guards.flatMap(({ mixin, guard }): RecordGuards => {
    // TypeScript cannot check this: each guard expects a view with its own mixin, and this view has it.
    const wanted = guard(change, view as never)
    if (wanted === undefined) return NONE
    const refuse = (problem: string) => {
      throw new ConfigError(subject, `guard of ${mixin}`, problem)
    }
    const alternatives = (Array.isArray(wanted) ? wanted : [wanted]) as readonly Guard[]
    return [alternatives.flatMap(alternative => readGuard(model, alternative, refuse))]
  })
}

type Refuse = (problem: string) => never

/** A guard with values as records have them; none if a column cannot hold its value, since no record meets that guard. */
function readGuard(model: ModelInfo, guard: Guard, refuse: Refuse): readonly Guard[] {
  const values: Record<string, unknown> = {}
  for (const [field, value] of Object.entries(guard)) {
    const column = model.byKey.get(field)
    if (!column) return refuse(`unknown field "${field}"${suggestion(field, model.byKey.keys())}`)
    if (value === undefined) return refuse(`"${field}" has no value; return undefined if each record may be changed`)
    const read = value === null || typeof value === 'bigint' ? { value } : readJsonValue(column, value)
    if (!('value' in read)) return []
    values[field] = read.value
  }
  return [values]
}

function errorsOfItem(index: number, { fieldErrors, text }: ApiError): FieldErrors {
  return errorsUnder(String(index), fieldErrors ?? { [NON_FIELD_ERRORS]: [text] })
}
