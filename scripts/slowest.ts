// Runs `npm test` and prints its time and its slowest files as the table of CONTRIBUTING.md: `node scripts/slowest.ts`.
import { spawnSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

const ROWS = 10

interface Report {
  readonly testResults: readonly { readonly name: string; readonly startTime: number; readonly endTime: number }[]
}

const root = join(import.meta.dirname, '..')
const folder = mkdtempSync(join(tmpdir(), 'viewset-slowest-'))
const file = join(folder, 'report.json')
const args = ['run', '--reporter=default', '--reporter=json', `--outputFile.json=${file}`]
const start = performance.now()
const { status } = spawnSync(process.execPath, [join(root, 'node_modules/vitest/vitest.mjs'), ...args], {
  cwd: root,
  stdio: 'inherit',
})
const seconds = Math.round((performance.now() - start) / 1000)
const { testResults } = JSON.parse(readFileSync(file, 'utf8')) as Report
rmSync(folder, { recursive: true })

const cells = testResults
  .map(({ name, startTime, endTime }) => ({ name: shortName(name), seconds: Math.round((endTime - startTime) / 1000) }))
  .toSorted((a, b) => b.seconds - a.seconds)
  .slice(0, 2 * ROWS)
  .map(({ name, seconds }) => `${name} | ${seconds}`)
console.log(`\n${Math.floor(seconds / 60)} min ${seconds % 60} s\n\n| File | s | File | s |\n|---|---|---|---|`)
for (let row = 0; row < ROWS; row++) console.log(`| ${cells[row]} | ${cells[row + ROWS]} |`)
process.exitCode = status ?? 1

/** `import/http` for `packages/viewset/test/import/http.test.ts`. */
function shortName(path: string): string {
  return path.replace(/^.*\/test\//, '').replace(/\.test\.ts$/, '')
}
