import type { DrizzleQueryError } from 'drizzle-orm'
import { ApiError } from '../../core/errors.ts'

/** The meaning of a database error, the same for all databases. */
export interface DatabaseFault {
  readonly kind:
    | 'unique'
    | 'foreignKey'
    | 'restricted'
    | 'notNull'
    | 'check'
    | 'badValue'
    /** The transaction lost a conflict and may run again as a whole. */
    | 'retry'
    | 'unavailable'
  /** Database names of the columns, if the driver reports them. */
  readonly columns?: readonly string[]
  /** Name or expression of the constraint, if the driver reports it. */
  readonly constraint?: string
  /** The message of a trigger, by which it may name a rule. */
  readonly raised?: string
  /** A value that its type rejects, if the driver reports no column. */
  readonly unreadable?: { readonly text: string; readonly type?: string | undefined }
}

/** A statement through Drizzle wraps the driver's error as its cause. */
export function driverError(thrown: unknown): Error | undefined {
  const error = unwrapped(thrown)
  return error instanceof Error && !(error instanceof ApiError) ? error : undefined
}

/** The error for the client, also if it ended a statement through Drizzle: a busy database has one. */
export function apiErrorIn(thrown: unknown): ApiError | undefined {
  const error = unwrapped(thrown)
  return error instanceof ApiError ? error : undefined
}

function unwrapped(thrown: unknown): unknown {
  return isQueryError(thrown) ? thrown.cause : thrown
}

/** Not by class: the application may have its own copy of Drizzle. */
function isQueryError(thrown: unknown): thrown is DrizzleQueryError {
  return (
    thrown instanceof Error && 'query' in thrown && 'params' in thrown && thrown.message.startsWith('Failed query: ')
  )
}
