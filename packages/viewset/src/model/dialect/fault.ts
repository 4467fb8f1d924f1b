import type { DrizzleQueryError } from 'drizzle-orm'
import { ApiError } from '../../core/errors.ts'

/** What a database error means, in one vocabulary for all databases. */
export interface DatabaseFault {
  readonly kind:
    | 'unique'
    | 'foreignKey'
    | 'restricted'
    | 'notNull'
    | 'check'
    | 'badValue'
    /** The transaction lost against another one and may be run again as a whole. */
    | 'retry'
    | 'unavailable'
  /** Names of the columns concerned, in the database, where the driver tells them. */
  readonly columns?: readonly string[]
  /** Name of the constraint concerned, or its expression, where the driver tells it. */
  readonly constraint?: string
  /** A value that is of no use to its type, where the driver tells no column. */
  readonly unreadable?: { readonly text: string; readonly type?: string | undefined }
}

/** The error of a driver; what a handler does through Drizzle fails with it inside of Drizzle's. */
export function driverError(thrown: unknown): Error | undefined {
  const error = isQueryError(thrown) ? thrown.cause : thrown
  return error instanceof Error && !(error instanceof ApiError) ? error : undefined
}

/** By its looks, since an application may have a copy of Drizzle of its own, and Drizzle marks all classes but this one. */
function isQueryError(thrown: unknown): thrown is DrizzleQueryError {
  return (
    thrown instanceof Error && 'query' in thrown && 'params' in thrown && thrown.message.startsWith('Failed query: ')
  )
}
