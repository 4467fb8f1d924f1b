import { DrizzleQueryError } from 'drizzle-orm'
import { ApiError } from '../../core/errors.ts'

/** The error of a driver; what a handler does through Drizzle fails with it inside of Drizzle's. */
export function driverError(thrown: unknown): Error | undefined {
  const error = thrown instanceof DrizzleQueryError ? thrown.cause : thrown
  return error instanceof Error && !(error instanceof ApiError) ? error : undefined
}
