// npm run docs, npm run docs:dev: writes the reference, then builds the site of docs/ into site/dist, or shows it while it is
// written. Its tool is no dependency of the repository, whose `npm ci` stays quick: it is installed into site/ when it is
// missing or out of date.
import { execFileSync } from 'node:child_process'
import { statSync } from 'node:fs'
import { join } from 'node:path'
import { writeReference } from './reference.ts'

const site = join(import.meta.dirname, '../site')

/** When a file was written, or 0 where there is none. */
function writtenAt(path: string): number {
  return statSync(join(site, path), { throwIfNoEntry: false })?.mtimeMs ?? 0
}

function npm(...parameters: readonly string[]): void {
  execFileSync('npm', parameters, { cwd: site, stdio: 'inherit' })
}

// The second is npm's own note of what it has installed.
if (writtenAt('package-lock.json') > writtenAt('node_modules/.package-lock.json')) npm('ci', '--no-audit', '--no-fund')
await writeReference()
const [command = 'build', ...options] = process.argv.slice(2)
npm('run', '--silent', command, '--', ...options)
