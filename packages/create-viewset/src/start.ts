import { CliError } from './cli-error.ts'
import { run } from './run.ts'

export async function main(): Promise<void> {
  const { stdin: input, stdout: output } = process
  const terminal = input.isTTY && output.isTTY ? { input, output } : undefined
  try {
    await run(process.argv.slice(2), { cwd: process.cwd(), terminal, print: text => console.log(text) })
  } catch (error) {
    if (!(error instanceof CliError)) throw error
    console.error(error.message)
    process.exitCode = error.exitCode
  }
}
