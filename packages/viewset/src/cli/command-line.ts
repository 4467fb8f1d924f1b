import { ConfigError } from '../core/errors.ts'
import { CliError } from './cli-error.ts'
import { run } from './run.ts'

try {
  const { text, exitCode } = await run(process.argv.slice(2), process.cwd())
  process.exitCode = exitCode
  if (text !== '') process.stdout.write(`${text.trimEnd()}\n`)
} catch (error) {
  // The message of a configuration error is enough. Other errors need their stack.
  const isOwn = error instanceof CliError || error instanceof ConfigError
  process.stderr.write(`${isOwn ? error.message.trimEnd() : error instanceof Error ? error.stack : error}\n`)
  process.exitCode = error instanceof CliError ? error.exitCode : 1
}
// The configuration may have opened a database, which would keep the process running.
process.stdout.write('', () => process.exit())
