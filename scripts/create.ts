// Writes a project that uses the packages of this clone: npm run create -- ../my-api
// It takes the options of `npm create viewset`, and needs no package of ours on the registry.
import { execFileSync } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { CliError } from '../packages/create-viewset/src/cli-error.ts'
import { run } from '../packages/create-viewset/src/run.ts'

const root = join(import.meta.dirname, '..')
const { stdin: input, stdout: output } = process
const folder = mkdtempSync(join(tmpdir(), 'viewset-create-'))

/** What an npm command prints. Its errors are printed at once. */
function npm(...args: readonly string[]): string {
  return execFileSync('npm', args, { cwd: root, encoding: 'utf8', stdio: ['ignore', 'pipe', 'inherit'] })
}

/** The repository brings its own Node; a project runs with the one that runs npm. */
function checkNode(): void {
  const node = process.env.npm_node_execpath
  if (node === undefined) return
  const version = execFileSync(node, ['--version'], { encoding: 'utf8' }).trim()
  const [major = 0, minor = 0] = version.slice(1).split('.').map(Number)
  if (major > 22 || (major === 22 && minor >= 18)) return
  throw new CliError(`A project needs Node 22.18 or newer, and yours is ${version}. Install Node 24 first.`)
}

try {
  checkNode()
  console.log('Packing viewset, which takes a minute.')
  const packed = ['viewset', 'viewset-tools'].map(name => {
    npm('run', 'build', '--silent', '--workspace', name)
    return join(folder, npm('pack', '--silent', '--workspace', name, '--pack-destination', folder).trim())
  })
  await run(process.argv.slice(2), {
    // Where npm was called: paths are as the person who calls it sees them.
    cwd: process.env.INIT_CWD ?? process.cwd(),
    terminal: input.isTTY && output.isTTY ? { input, output } : undefined,
    print: text => console.log(text),
    packed,
  })
} catch (error) {
  if (!(error instanceof CliError)) throw error
  console.error(error.message)
  process.exitCode = error.exitCode
} finally {
  rmSync(folder, { recursive: true, force: true })
}
