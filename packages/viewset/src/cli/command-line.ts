import { ConfigError } from '../core/errors.ts'
import { CliError } from './cli-error.ts'
import { run } from './run.ts'

try {
  const { text, exitCode } = await run(process.argv.slice(2), process.cwd())
  process.exitCode = exitCode
  if (text !== '') process.stdout.write(`${text.trimEnd()}\n`)
} catch (error) {
  // What the configuration is wrong about, it says itself; of any other error, the stack tells where it is.
  const isOwn = error instanceof CliError || error instanceof ConfigError
  process.stderr.write(`${isOwn ? error.message.trimEnd() : error instanceof Error ? error.stack : error}\n`)
  process.exitCode = error instanceof CliError ? error.exitCode : 1
}
// A configuration may have opened what would keep the process running, such as a database.
process.stdout.write('', () => process.exit())
