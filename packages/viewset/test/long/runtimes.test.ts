import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { PackedProjects, run, startProgram } from '../support/packed-project.ts'
import { runtimes } from '../support/runtime-programs.ts'
import { useBooks } from '../support/use-books.ts'

const API_KEY = 'a-key-of-a-test'
const ROWS = 40_000

describe('viewset/fetch on SQLite, with better-sqlite3', () => {
  let projects: PackedProjects
  let folder: string
  beforeAll(async () => {
    projects = await PackedProjects.create()
    folder = await projects.copy('examples/nest')
    await run(folder, 'npm', 'ci', '--no-audit', '--no-fund')
  }, 10 * 60_000)
  afterAll(() => projects?.remove())

  test.for(runtimes)(
    'is served by $name',
    async ({ name, packaged, command: [program, ...parameters], program: text }, { skip }) => {
      const tools = join(projects.folder, program)
      await mkdir(tools)
      await writeFile(join(tools, 'package.json'), JSON.stringify({ private: true, allowScripts: { [program]: true } }))
      const binary = join(tools, 'node_modules/.bin', program)
      const isThere = await run(tools, 'npm', 'install', '--ignore-scripts=false', packaged)
        .then(() => run(tools, binary, '--version'))
        .then(
          () => true,
          () => false,
        )
      if (!isThere) skip(`${packaged} does not install here`)

      await writeFile(join(folder, 'src/serve.js'), text)
      const { address, stop } = await startProgram(folder, [binary, ...parameters, 'src/serve.js'], {
        API_KEY,
        DATABASE_PATH: join('data', `${name}.db`),
      })
      try {
        await useBooks(address, API_KEY)
        await importMany(address)
        await leaveInTheMiddle(address)
      } finally {
        // 0 is what it says when nothing is left under way.
        expect(await stop()).toBe(0)
      }
    },
  )
})

async function importMany(address: string): Promise<void> {
  const rows = Array.from({ length: ROWS }, (_, n) => `n${n},${'x'.repeat(190)}${n},Somebody,1.00\n`)
  const body = new FormData()
  body.set('append_data', 'true')
  body.set('file', new File(['isbn,title,author,price\n', ...rows], 'many.csv'))
  const response = await fetch(`${address}/api/books/import-from-file/`, {
    method: 'POST',
    headers: { 'x-api-key': API_KEY },
    body,
  })
  expect([response.status, await response.json()]).toMatchObject([201, { data: { created: ROWS, failed: 0 } }])
}

/** Takes the beginning of a large download, and goes. */
async function leaveInTheMiddle(address: string): Promise<void> {
  const client = new AbortController()
  const response = await fetch(`${address}/api/books/?paginated=false`, { signal: client.signal })
  const first = await response.body?.getReader().read()
  expect([response.status, Buffer.from(first?.value ?? []).toString('utf8', 0, 15)]).toEqual([200, '{"success":true'])
  client.abort()
}
