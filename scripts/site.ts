// npm run docs, npm run docs:dev: writes the reference, then builds the site of docs/ into site/dist, or shows it while
// you write. The tool of the site is installed into site/ if it is missing or out of date. It is not a dependency of
// the repository, so `npm ci` stays quick.
import { execFileSync } from 'node:child_process'
import { statSync } from 'node:fs'
import { join } from 'node:path'
import { writeReference } from './reference.ts'

const site = join(import.meta.dirname, '../site')

/** The time of the last write, or 0 for a missing file. */
function writtenAt(path: string): number {
  return statSync(join(site, path), { throwIfNoEntry: false })?.mtimeMs ?? 0
}

function npm(...parameters: readonly string[]): void {
  execFileSync('npm', parameters, { cwd: site, stdio: 'inherit' })
}

// The second file is npm's own record of an installation.
if (writtenAt('package-lock.json') > writtenAt('node_modules/.package-lock.json')) npm('ci', '--no-audit', '--no-fund')
await writeReference()
const [command = 'build', ...options] = process.argv.slice(2)
npm('run', '--silent', command, '--', ...options)
