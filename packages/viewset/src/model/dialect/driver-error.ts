import type { DrizzleQueryError } from 'drizzle-orm'
import { ApiError } from '../../core/errors.ts'

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
