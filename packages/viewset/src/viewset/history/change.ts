import { type Change, currentContext, runInContext } from '../../core/context.ts'
import { ValidationError } from '../../core/errors.ts'
import { message } from '../../core/messages/message.ts'
import { wireName } from '../../core/wire-names.ts'
import type { JsonSchema } from '../../kinds/json-schema.ts'
import type { GenericViewSet } from '../generic-viewset.ts'
import { fixedValuesOf } from '../write/fixed-values.ts'

export const REASON_HEADER = 'X-Change-Reason'
/** Characters of a reason. */
const LONGEST_REASON = 500

export const REASON: JsonSchema = {
  type: 'string',
  maxLength: LONGEST_REASON,
  description: 'Why the client changes the record, for its history. Other characters than ASCII are percent-encoded.',
}

/** What the history of the records says of a request. @throws ValidationError for a reason that is too long */
export function changeOf(view: GenericViewSet, job: string | null = null): Change {
  const { action, isCustom, request } = view
  return {
    source: action === 'importFile' && !isCustom ? 'import' : wireName(action),
    reason: readReason(request.headers[REASON_HEADER.toLowerCase()]),
    requestId: job === null ? request.id : null,
    job,
    fixed: () => fixedColumnsOf(view),
  }
}

/** Headers are bytes, which clients write as UTF-8 or encode as in an address. */
function readReason(header: string | readonly string[] | undefined): string | null {
  if (header === undefined) return null
  const sent = String(header)
  const reason = decoded(Buffer.from(sent, 'latin1').toString('utf8'))
  if (reason.length <= LONGEST_REASON) return reason === '' ? null : reason
  throw new ValidationError({ [REASON_HEADER]: [message('max_length', { max: LONGEST_REASON })] })
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text).trim()
  } catch {
    return text.trim()
  }
}

/** The fixed values of a view by the names of their columns. */
export function fixedColumnsOf(view: GenericViewSet): Readonly<Record<string, unknown>> {
  const { byKey } = view.definition.model
  const values = Object.entries(fixedValuesOf(view))
  return Object.fromEntries(values.map(([key, value]) => [byKey.get(key)?.name ?? key, String(value)]))
}

/** The same as text, by which rows of one tenant are found. */
export function fixedTextOf(view: GenericViewSet): string {
  return JSON.stringify(Object.entries(fixedColumnsOf(view)).toSorted(([a], [b]) => (a < b ? -1 : 1)))
}

/**
 * Gives the changes in `fn` a reason, which their history keeps: in a script, a job or a hook.
 *
 * @example
 * await withChangeReason('Prices of 2027', () => raisePrices())
 */
export function withChangeReason<T>(reason: string, fn: () => T): T {
  const { change } = currentContext()
  const inCode: Change = { source: null, reason: null, requestId: null, job: null }
  return runInContext({ change: { ...(change ?? inCode), reason } }, fn)
}

/**
 * Makes the changes in `fn` without entries in histories, for the first load of much data: an entry takes 350 to 650
 * bytes. What has no entry cannot be read, reverted or undone later.
 *
 * @example
 * await withoutHistory(() => loadPrices())
 */
export function withoutHistory<T>(fn: () => T): T {
  return runInContext({ recordsHistory: false }, fn)
}
