import { execFile, execFileSync, spawn } from 'node:child_process'
import { on, once } from 'node:events'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { type AddressInfo, createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { createTestDatabase } from 'viewset/testing'
import { describe, expect, inject, test } from 'vitest'
// Declares what the tests' set-up provides.
import type {} from '../../../../packages/viewset/test/support/global-setup.ts'
import { createAtlas } from '../../src/app.ts'
import { openDatabase } from '../../src/database.ts'
import * as pgSchema from '../../src/schema.pg.ts'
import * as sqliteSchema from '../../src/schema.sqlite.ts'
import { listenError } from '../../src/start-error.ts'
import { tokensFrom } from '../../src/users.ts'

const tokens = { admin: 'a', reader: 'r' }

describe('the database', () => {
  test('is SQLite in ATLAS_DATA_DIR, where DATABASE_URL is not set', async () => {
    const directory = mkdtempSync(join(tmpdir(), 'atlas-test-'))
    for (const url of [undefined, '']) {
      const { database, description } = await openDatabase({
        ATLAS_DATA_DIR: join(directory, 'deep/er'),
        DATABASE_URL: url,
      })
      expect(description).toBe(`SQLite in ${join(directory, 'deep/er/atlas.db')}`)
      await database.close()
    }
    rmSync(directory, { recursive: true })
  })

  test('is PostgreSQL at DATABASE_URL, whose password is not told', async () => {
    const { database, description } = await openDatabase({ DATABASE_URL: 'postgres://me:secret@db.example:5433/atlas' })
    expect(description).toBe('PostgreSQL at db.example:5433')
    await database.close()
  })

  test.each(['mysql://localhost/atlas', './data/atlas.db'])('is refused at %s', async url => {
    await expect(openDatabase({ DATABASE_URL: url })).rejects.toThrow(/postgres:\/\//)
  })
})

describe('npm start', () => {
  /** Starts the atlas with some of the environment and waits for its end. */
  async function start(environment: Readonly<Record<string, string>>) {
    const program = execFile(process.execPath, ['--conditions=viewset-source', 'src/main.ts'], {
      cwd: join(import.meta.dirname, '../..'),
      env: { ...process.env, ...environment },
    })
    const output = Promise.all([text(program.stdout!), text(program.stderr!)])
    const [status] = await once(program, 'exit')
    return [status, ...(await output)]
  }

  test.each([
    [{ PORT: 'abc' }, 'PORT=abc is no port: give a number from 0 to 65535.'],
    [{ PORT: '65536' }, 'PORT=65536 is no port: give a number from 0 to 65535.'],
    [
      { DATABASE_URL: 'mysql://localhost/atlas' },
      'DATABASE_URL must be an address such as postgres://me@localhost/atlas. Without it, the atlas uses SQLite.',
    ],
  ])('with %j says why not, in one line, and exits with 1', async (environment, line) => {
    expect(await start(environment)).toEqual([1, '', `${line}\n`])
  })

  test('with a database that is away says so, in one line, and exits with 1', async () => {
    const server = createServer().listen(0, '127.0.0.1')
    await once(server, 'listening')
    const { port } = server.address() as AddressInfo
    await new Promise(resolve => server.close(resolve))
    const line = `The atlas cannot use PostgreSQL at 127.0.0.1:${port}: connect ECONNREFUSED 127.0.0.1:${port}\n`
    expect(await start({ DATABASE_URL: `postgres://me@127.0.0.1:${port}/atlas` })).toEqual([1, '', line])
  })

  test('with a file that is no database says so, in one line, and exits with 1', async () => {
    const directory = mkdtempSync(join(tmpdir(), 'atlas-test-'))
    writeFileSync(join(directory, 'atlas.db'), 'This is a letter and no database.'.repeat(100))
    const line = `The atlas cannot use SQLite in ${directory}/atlas.db: file is not a database\n`
    expect(await start({ ATLAS_DATA_DIR: directory })).toEqual([1, '', line])
    rmSync(directory, { recursive: true })
  })

  test('prints addresses and commands that work, in the folder in which npm runs', async () => {
    const directory = mkdtempSync(join(tmpdir(), 'atlas-test-'))
    const root = join(import.meta.dirname, '../../../..')
    const options = ['--conditions=viewset-source', '--import', 'viewset/fast-drizzle', 'src/main.ts']
    const program = spawn(process.execPath, options, {
      cwd: join(root, 'examples/atlas'),
      env: { ...process.env, INIT_CWD: root, PORT: '0', ATLAS_DATA_DIR: directory, ATLAS_READER_TOKEN: 'r' },
      stdio: ['ignore', 'pipe', 'ignore'],
    })
    const exited = once(program, 'exit')
    try {
      let printed = ''
      for await (const [chunk] of on(program.stdout, 'data', { close: ['close'] })) {
        printed += String(chunk)
        if (printed.endsWith("cities.csv'\n")) break
      }
      const [api = '', page = ''] = printed.match(/http:\S+\/api\/(docs\/)?(?=\s)/g) ?? []
      expect((await fetch(api)).status).toBe(200)
      expect(await (await fetch(page)).text()).toContain('<html')
      const commands = printed.split(/^ {2}(?=curl )/m).slice(1)
      const answers = commands.map(command =>
        JSON.parse(String(execFileSync('bash', ['-c', command], { cwd: root, stdio: 'pipe' }))),
      )
      expect(answers).toMatchObject([
        { success: true, data: [{}, {}, {}] },
        {
          message: '1 of 3 rows would fail. This was a dry run: nothing was stored.',
          data: { processed: 3, failed: 1, created: 1, updated: 1 },
        },
      ])
    } finally {
      program.kill()
      await exited
      rmSync(directory, { recursive: true })
    }
  })

  test.each([
    ['EADDRINUSE', 'Port 3000 is taken. Choose another one: PORT=3001 npm start'],
    ['EACCES', 'Port 3000 is not for everybody. Choose one above 1023: PORT=3000 npm start'],
    ['ENOTFOUND', 'The atlas cannot listen at nowhere, port 3000: getaddrinfo'],
  ])('that cannot listen, %s: %s', (code, line) => {
    expect(listenError(Object.assign(new Error('getaddrinfo'), { code }), 'nowhere', 3000).message).toBe(line)
  })
})

test('tokens come from the environment, else they are new ones', () => {
  expect(tokensFrom({ ATLAS_ADMIN_TOKEN: 'x', ATLAS_READER_TOKEN: 'y' })).toEqual({ admin: 'x', reader: 'y' })
  const first = tokensFrom({})
  const second = tokensFrom({})
  expect(new Set([first.admin, first.reader, second.admin, second.reader]).size).toBe(4)
  expect(first.admin).toMatch(/^[\w-]{32}$/)
})

describe.each([
  ['SQLite', (directory: string) => ({ ATLAS_DATA_DIR: directory })],
  ['PostgreSQL', (_: string, url: string) => ({ DATABASE_URL: url })],
])('a first start on %s that is cut off', (_, environment) => {
  test('leaves no data behind, and the next one loads again', async () => {
    const directory = mkdtempSync(join(tmpdir(), 'atlas-test-'))
    const { url, drop } = await createTestDatabase({ postgres: inject('postgresUrl') })
    for (let start = 1; start <= 2; start++) {
      const atlas = await openDatabase(environment(directory, url))
      let steps = 0
      const starting = createAtlas(atlas, {
        tokens,
        onProgress: () => {
          if (++steps === 3) throw new Error('cut off')
        },
      })
      await expect(starting).rejects.toThrow('cut off')
      const { rows } = await atlas.database.driver.run({ text: 'select count(*) from continents' }, [])
      expect(Number(rows[0]?.[0])).toBe(0)
      await atlas.database.close()
    }
    await drop()
    rmSync(directory, { recursive: true })
  })
})

describe('the migrations say what the models say', () => {
  const kit = createRequire(import.meta.url)('drizzle-kit/api') as typeof import('drizzle-kit/api')
  const snapshot = (dialect: string) => {
    const meta = join(import.meta.dirname, '../../migrations', dialect, 'meta')
    const { entries } = JSON.parse(readFileSync(join(meta, '_journal.json'), 'utf8')) as { entries: { idx: number }[] }
    return JSON.parse(readFileSync(join(meta, `${String(entries.length - 1).padStart(4, '0')}_snapshot.json`), 'utf8'))
  }

  test('for SQLite', async () => {
    const current = await kit.generateSQLiteDrizzleJson(sqliteSchema)
    expect(await kit.generateSQLiteMigration(snapshot('sqlite'), current)).toEqual([])
  })

  test('for PostgreSQL', async () => {
    expect(await kit.generateMigration(snapshot('pg'), kit.generateDrizzleJson(pgSchema))).toEqual([])
  })
})
