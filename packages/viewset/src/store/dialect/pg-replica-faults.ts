import { driverError } from '../../model/dialect/fault.ts'
import { pgFault } from '../../model/dialect/pg-faults.ts'

/** A limit that we have set ourselves: the primary has the same one. */
const OWN_LIMIT = '57014'
/** The statement writes. */
const READ_ONLY = '25006'
/** What the server is short of for this statement alone. */
const SHORTAGES = new Set(['53200', '53400'])

/** Whether a statement has failed for where it was sent, and not for what it says. */
export function isOfReplica(thrown: unknown): boolean {
  const kind = pgFault(thrown)?.kind
  // A conflict with what the server has to repeat has the codes of a lost transaction.
  return (kind === 'unavailable' || kind === 'retry') && codeOf(thrown) !== OWN_LIMIT
}

/** Whether the next statement would fail as well. */
export function mayBeGone(thrown: unknown): boolean {
  const code = codeOf(thrown)
  return pgFault(thrown)?.kind === 'unavailable' && code !== READ_ONLY && !SHORTAGES.has(code)
}

function codeOf(thrown: unknown): string {
  const error = driverError(thrown)
  return String(error && Reflect.get(error, 'code'))
}
