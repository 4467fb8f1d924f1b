import { execFile } from 'node:child_process'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { createTestDatabase, type TestDatabase } from 'viewset/testing'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { storeTowns, towns } from '../support/scanned-towns.ts'

const run = promisify(execFile)
const packageRoot = join(import.meta.dirname, '../..')
const esbuild = join(packageRoot, '../../node_modules/.bin/esbuild')
const OUTSIDE = ['better-sqlite3', 'drizzle-orm', 'pg', 'zod'].flatMap(name => [
  `--external:${name}`,
  `--external:${name}/*`,
])

/** A script as somebody writes one: it ends when it has closed its database. */
const SCRIPT = `
import { sqlite } from 'viewset/sqlite'
const database = sqlite(process.argv[2])
let threads = 0
process.on('worker', () => threads++)
const text = "select count(*) from towns where instr(casefold(name), casefold('nowhere')) > 0"
const { rows } = await database.driver.run({ text }, [])
await database.close()
console.log(Number(rows[0][0]), threads)
`

let stored: TestDatabase
let folder: string
beforeAll(async () => {
  stored = await createTestDatabase({ schema: { towns } })
  await storeTowns(stored.database, 5_000)
  // Inside of the package, where the packages beside it are found.
  folder = await mkdtemp(join(packageRoot, '.threads-'))
  await writeFile(join(folder, 'script.mjs'), SCRIPT)
})
afterAll(async () => {
  await stored.drop()
  await rm(folder, { recursive: true, force: true })
})

const start = (file: string) => run(process.execPath, ['--conditions=viewset-source', file, stored.url])

async function bundle(name: string, ...entries: readonly string[]): Promise<string> {
  const outdir = join(folder, name)
  const options = ['--bundle', '--platform=node', '--format=esm', '--conditions=viewset-source', ...OUTSIDE]
  await run(esbuild, [join(folder, 'script.mjs'), ...entries, ...options, '--entry-names=[name]', `--outdir=${outdir}`])
  await writeFile(join(outdir, 'package.json'), '{"type":"module"}')
  return join(outdir, 'script.js')
}

test('a script reads in a thread, and ends', async () => {
  const { stdout, stderr } = await start(join(folder, 'script.mjs'))
  expect([stdout, stderr]).toEqual(['0 1\n', ''])
})

test('a bundle without the module of the threads reads in the process, and a warning says so', async () => {
  const { stdout, stderr } = await start(await bundle('alone'))
  expect(stdout).toBe('0 0\n')
  expect(stderr).toContain('[VIEWSET_SQLITE_THREADS]')
})

test('a bundle with the module as a second entry reads in a thread', async () => {
  const reader = join(packageRoot, 'src/store/dialect/sqlite-reader.ts')
  const { stdout, stderr } = await start(await bundle('both', reader))
  expect([stdout, stderr]).toEqual(['0 1\n', ''])
})
