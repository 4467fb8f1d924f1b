import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createTestDatabase } from 'viewset/testing'
import { afterAll, beforeAll, describe, expect, inject, test } from 'vitest'
// Declares what the tests' set-up provides.
import type {} from '../../../viewset/test/support/global-setup.ts'
import { everyProject, installed, output, start } from '../support/projects.ts'

const root = join(import.meta.dirname, '../../../..')
const VERSION = '0.1.0'

/** As a newcomer has it: the packages as they are published, an empty folder, and the registry. */
let folder: string
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'create-viewset-packed-'))
  for (const name of ['viewset', 'viewset-tools', 'create-viewset']) {
    await output(root, installed, 'npm', 'run', 'build', '--workspace', name)
    await output(root, installed, 'npm', 'pack', '--workspace', name, '--pack-destination', folder)
  }
  await writeFile(join(folder, 'package.json'), '{ "private": true }')
  await output(folder, installed, 'npm', 'install', '--no-save', join(folder, `create-viewset-${VERSION}.tgz`))
})
afterAll(() => rm(folder, { recursive: true, force: true }))

/** Without the example, frameworks differ in nothing that they do not differ in with it; but Next has another page. */
const projects = everyProject.filter(({ name, example }) => example || /^fastify-|^next-sqlite-/.test(name))

/** How a project is started, and how it ends when it is told to: with an exit code, or by the signal. */
const SERVER: readonly { from: string; command: readonly string[]; ends: number | string }[] = [
  { from: 'its sources', command: ['start.js'], ends: 0 },
  { from: 'what is built', command: ['dist/main.js'], ends: 0 },
]
/** Nest sends itself the signal again, once all is closed. */
const NEST = SERVER.map(way => ({ ...way, ends: 'SIGTERM' }))
const next = (command: string) => ['node_modules/next/dist/bin/next', command, '-H', '127.0.0.1']
const NEXT: typeof SERVER = [
  { from: 'its sources', command: next('dev'), ends: 0 },
  { from: 'what is built', command: next('start'), ends: 143 },
]

describe.each(projects)('$name', ({ name, framework, database, example }) => {
  const project = () => join(folder, name)
  const own = { database: undefined as Awaited<ReturnType<typeof createTestDatabase>> | undefined }
  let variables = installed
  const npm = (...args: readonly string[]) => output(project(), variables, 'npm', ...args)

  beforeAll(async () => {
    if (database === 'sqlite') return
    own.database = await createTestDatabase({ postgres: inject('postgresUrl') })
    variables = { ...installed, DATABASE_URL: own.database.url }
  })
  afterAll(() => own.database?.drop())

  test('is written, and installs', async () => {
    const options = ['--framework', framework, '--database', database, example ? '--example' : '--no-example']
    const printed = await output(folder, installed, 'npx', 'create-viewset', name, ...options, '--no-install')
    expect(printed).toContain(`${name} is written, with ${framework} and ${database}.`)
    const manifest = join(project(), 'package.json')
    const written = await readFile(manifest, 'utf8')
    const withPacked = written.replace(/"(viewset(?:-tools)?)": "[^"]+/g, (_, packed) => {
      return `"${packed}": "file:${join(folder, `${packed}-${VERSION}.tgz`)}`
    })
    await writeFile(manifest, withPacked)
    expect(await npm('install', '--no-audit', '--no-fund', '--loglevel=error')).toMatch(/added \d+ packages/)
  })

  test('compiles, passes its tests and has no migration to write', async () => {
    expect(await npm('run', 'typecheck', '--silent')).toBe('')
    expect(await npm('test')).toContain(`\nℹ pass ${example ? 3 : 1}\nℹ fail 0\n`)
    expect(await npm('run', 'migrations')).toContain('No schema changes')
    expect(JSON.parse(await npm('run', 'openapi', '--silent')).info.title).toBe(name)
    if (example) {
      const drafted = await output(
        project(),
        variables,
        'npx',
        'viewset',
        'add',
        'resource',
        'books',
        '--out',
        'drafts',
      )
      expect(drafted).toContain("import { BookViewSet } from '../drafts/books.ts'")
    }
  })

  const ways = framework === 'next' ? NEXT : framework === 'nest' ? NEST : SERVER
  test.each(ways)('answers from $from', async ({ from, command, ends }) => {
    if (from === 'what is built') {
      const printed = await npm('run', 'build', '--silent')
      expect(printed).toMatch(framework === 'next' ? /✓ Compiled successfully/ : /^$/)
    }
    const { address, stop } = await start(project(), variables, command)
    const answers = await Promise.all(
      [`/api/${example ? 'books/' : ''}`, '/health', '/', '/ready'].map(path => fetch(address + path)),
    )
    const [books, health, page, ready] = await Promise.all(answers.map(answer => answer.text()))
    expect(await stop()).toBe(ends)
    expect(JSON.parse(books ?? '')).toMatchObject({ success: true, data: [] })
    expect(health).toBe('{"status":"ok"}')
    expect(ready).toBe('{"status":"ready"}')
    const shown = example ? /<h1>0(<!-- -->)? books<\/h1>/ : `<h1>${name}</h1>`
    expect(page).toMatch(framework === 'next' ? shown : /not found|cannot get|nothing at this/i)
  })
})
