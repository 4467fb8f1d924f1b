import { ApiError, ConfigError } from '../core/errors.ts'
import { TabularError } from '../tabular/errors.ts'
import { CliError } from './cli-error.ts'

/** The exit status of a command that was stopped by Ctrl+C, as shells have it. */
export const INTERRUPTED = 130

/**
 * Runs a command whose exit status 1 means that it was done in part: whatever keeps it from being done is 2. What people
 * can put right is told without a stack.
 *
 * @throws CliError
 */
export async function strictly<T>(fn: () => Promise<T>): Promise<T> {
  try {
    return await fn()
  } catch (error) {
    if (error instanceof CliError && error.exitCode !== 1) throw error
    throw new CliError(textOf(error), 2, error)
  }
}

function textOf(error: unknown): string {
  if (error instanceof ApiError) {
    const fields = Object.entries(error.errors ?? {}).map(([name, messages]) => `  ${name}: ${messages.join(' ')}`)
    return [error.message, ...fields, ...causesOf(error)].join('\n')
  }
  const isTold = error instanceof CliError || error instanceof ConfigError || error instanceof TabularError
  return error instanceof Error && !isTold ? (error.stack ?? error.message) : String((error as Error).message)
}

/** Logs to the terminal: a command has no other log. */
function causesOf({ status, cause }: ApiError): readonly string[] {
  return status >= 500 && cause instanceof Error ? [cause.message] : []
}
