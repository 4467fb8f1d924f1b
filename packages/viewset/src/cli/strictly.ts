import { ApiError, ConfigError } from '../core/errors.ts'
import { TabularError } from '../tabular/errors.ts'
import { CliError } from './cli-error.ts'

/** The usual exit status after Ctrl+C. */
export const INTERRUPTED = 130

/**
 * Runs a command for which exit status 1 means "done in part". So every failure has exit status 2. Errors that the user
 * can solve are printed without a stack.
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

function causesOf({ status, cause }: ApiError): readonly string[] {
  return status >= 500 && cause instanceof Error ? [cause.message] : []
}
