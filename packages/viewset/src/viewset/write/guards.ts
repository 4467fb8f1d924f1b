import {
  ApiError,
  CHANGED_SINCE,
  ConfigError,
  errorsUnder,
  type FieldErrors,
  NON_FIELD_ERRORS,
  PreconditionFailed,
} from '../../core/errors.ts'
import type { ApiRequest } from '../../core/request.ts'
import { suggestion } from '../../core/suggestion.ts'
import type { Database } from '../../store/connection/database.ts'
import { meetsGuardNow } from '../../store/write/guard.ts'
import type { Guard, Values } from '../../store/write/write.ts'
import { isSafe } from '../permissions.ts'
import type { WantedChange } from '../seams.ts'
import { type HeadersView, recordHeaders } from './record-headers.ts'

// A guard is a condition of the one statement. If something watches the write, it is compared under the lock of the
// record.

/** The guards of one record: a list for each mixin, of which one must be met. */
export type RecordGuards = readonly (readonly Guard[])[]

interface GuardedView extends HeadersView {
  readonly database: Database
  readonly method: string
  readonly request: Pick<ApiRequest, 'body'>
}

const NONE: RecordGuards = []

export function hasGuards({ definition }: HeadersView): boolean {
  return definition.guards.length > 0
}

export function guardsOfPath(view: GuardedView): RecordGuards {
  if (!hasGuards(view) || isSafe(view.method)) return NONE
  return guardsOf(view, { input: view.request.body, index: undefined })
}

export function guardsOfItems(view: GuardedView, items: readonly unknown[]): readonly RecordGuards[] {
  if (!hasGuards(view)) return []
  const refused: { readonly index: number; readonly error: ApiError }[] = []
  const all = items.map((input, index) => {
    try {
      return guardsOf(view, { input, index })
    } catch (error) {
      if (!(error instanceof ApiError)) throw error
      refused.push({ index, error })
      return NONE
    }
  })
  const [first] = refused
  if (!first) return all
  const { status, code, message } = first.error
  const errors = Object.assign({}, ...refused.map(({ index, error }) => errorsOfItem(index, error)))
  throw new ApiError(status, code, message, { errors })
}

/** Whether a guard has alternatives, which no statement compares. */
export function hasAlternatives(guards: RecordGuards): boolean {
  return guards.some(alternatives => alternatives.length !== 1)
}

export function asOneGuard(guards: RecordGuards): Guard | undefined {
  return guards.length === 0 ? undefined : Object.assign({}, ...guards.flat())
}

/** Compares a record with its guards. @throws PreconditionFailed with the headers of the stored record */
export function checkGuards(view: GuardedView, guards: RecordGuards, record: Values): void {
  if (isMet(view, guards, record)) return
  throw new PreconditionFailed(undefined, { headers: recordHeaders(view, record) })
}

export interface GuardedItem {
  readonly guards: RecordGuards
  readonly record: Values | undefined
}

export function checkGuardsOfItems(view: GuardedView, items: readonly GuardedItem[]): void {
  const errors: FieldErrors = {}
  for (const [index, { guards, record }] of items.entries()) {
    if (guards.length === 0 || (record && isMet(view, guards, record))) continue
    Object.assign(errors, errorsUnder(String(index), { [NON_FIELD_ERRORS]: [CHANGED_SINCE] }))
  }
  if (Object.keys(errors).length > 0) throw new PreconditionFailed(undefined, { errors })
}

function isMet({ database, definition }: GuardedView, guards: RecordGuards, record: Values): boolean {
  const { dialect } = database
  return guards.every(alternatives =>
    alternatives.some(guard => meetsGuardNow(dialect, definition.model, record, guard)),
  )
}

function guardsOf(view: GuardedView, change: WantedChange): RecordGuards {
  const { guards, model, subject } = view.definition
  return guards.flatMap(({ mixin, guard }): RecordGuards => {
    // TypeScript cannot check this: each guard expects a view with its own mixin, and this view has it.
    const wanted = guard(change, view as never)
    if (wanted === undefined) return NONE
    const alternatives = (Array.isArray(wanted) ? wanted : [wanted]) as readonly Guard[]
    const unknown = alternatives.flatMap(Object.keys).find(key => !model.byKey.has(key))
    if (unknown === undefined) return [alternatives]
    throw new ConfigError(
      subject,
      `guard of ${mixin}`,
      `unknown field "${unknown}"${suggestion(unknown, model.byKey.keys())}`,
    )
  })
}

function errorsOfItem(index: number, { errors, message }: ApiError): FieldErrors {
  return errorsUnder(String(index), errors ?? { [NON_FIELD_ERRORS]: [message] })
}
