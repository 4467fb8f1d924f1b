import { execFile, fork } from 'node:child_process'
import { randomUUID } from 'node:crypto'
import { once } from 'node:events'
import { readdirSync } from 'node:fs'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import {
  BaseModelSerializer,
  Database,
  type ImportFileConfig,
  ImportService,
  importModel,
  runAs,
  ServiceUnavailable,
  ValidationError,
} from 'viewset'
import { kit } from 'viewset/sqlite'
import { createTestDatabase } from 'viewset/testing'
import { expect, test, vi } from 'vitest'
import { modelInfo } from '../../src/model/model-info.ts'
import { insertRecords } from '../../src/records/write-records.ts'
import { breakingAt } from '../support/breaking-driver.ts'
import { CountingDriver } from '../support/counting-driver.ts'
import { describeDialects } from '../support/dialects.ts'
import { atlasModels, geography } from '../support/import-models.ts'
import { csv, importOnce, useDatabase } from '../support/imports.ts'

const NOT_ACCEPTABLE = /^This value is not acceptable\. Please quote error id ([0-9a-f-]{36})\.$/

describeDialects('the transactions of an import', dialect => {
  const tables = geography(dialect.kit)
  const db = useDatabase(dialect, tables)
  const { countries } = atlasModels(tables)
  const config: ImportFileConfig = { fileFormat: 'csv', order: ['countries'], models: { countries } }
  const gone = dialect.name === 'pg' ? '57P01' : 'SQLITE_IOERR'
  const chunked = { ...config, chunkSize: 2 }
  const five = csv(['iso2', 'name'], ...['A', 'B', 'C', 'D', 'E'].map(name => [name, `Land ${name}`]))

  test('progress is told after each chunk that is committed, with the number of rows of the file', async () => {
    const told: [number, number, number, number][] = []
    await importOnce(chunked, five, {
      database: db.database,
      onProgress: async (processed, total, errors) => {
        told.push([processed, total, errors.length, (await db.rows('countries', 'iso2')).length])
      },
    })
    expect(told).toEqual([
      [2, 5, 0, 2],
      [4, 5, 0, 4],
      [5, 5, 0, 5],
    ])
  })

  test('what a transform throws is an error of its row, in our own words', async () => {
    const stderr = vi.spyOn(console, 'error').mockImplementation(() => {})
    const service = new ImportService(chunked, {
      database: db.database,
      transforms: {
        'countries.name': value => {
          if (value === 'Land C') throw new ValidationError('C is not to be.')
          if (value === 'Land D') throw new Error('secret')
          return `${value}!`
        },
      },
    })
    expect(await service.import(five, { append: true })).toMatchObject({
      created: 3,
      errors: [
        { row: 4, field: 'name', message: 'C is not to be.', model: 'countries' },
        { row: 5, field: 'name', message: expect.stringMatching(NOT_ACCEPTABLE), model: 'countries' },
      ],
    })
    expect((await db.rows('countries', 'name')).flat()).toEqual(['Land A!', 'Land B!', 'Land E!'])
    stderr.mockRestore()
  })

  test('what a transform throws by a fault of its own is logged once for each column of an import', async () => {
    const stderr = vi.spyOn(console, 'error').mockImplementation(() => {})
    const fail = (value: unknown) => {
      throw new TypeError(`no such thing: ${value}`)
    }
    const service = new ImportService(chunked, {
      database: db.database,
      transforms: { 'countries.name': fail, 'countries.iso2': fail },
    })
    for (let n = 1; n <= 2; n++) {
      const { errors } = await service.import(five, { append: true })
      expect(errors).toHaveLength(10)
      const told = new Set(errors.map(({ message }) => NOT_ACCEPTABLE.exec(message)?.[1]))
      const logged = stderr.mock.calls.splice(0)
      expect(logged.map(([text]) => text)).toEqual(
        [...told].map((id, i) => `viewset: the import transform of "${['iso2', 'name'][i]}" failed (error id ${id})`),
      )
      expect(logged.map(([, error]) => (error as Error).message)).toEqual(['no such thing: A', 'no such thing: Land A'])
    }
    stderr.mockRestore()
  })

  test.each<readonly [string, unknown]>([
    ['NaN', Number.NaN],
    ['Infinity', Number.POSITIVE_INFINITY],
    ['a promise', Promise.resolve('x')],
    ['a symbol', Symbol('x')],
    ['a function', () => 'x'],
    ['a map', new Map([[1, 2]])],
  ])('what a transform returns must be able to stand in a file: %s', async (_, value) => {
    const { samples } = tables
    const config: ImportFileConfig = {
      fileFormat: 'csv',
      order: ['samples'],
      models: { samples: importModel({ model: samples, fields: ['code', 'text', 'data'], uniqueFields: ['code'] }) },
    }
    const returned = () => value
    const nested = () => [{ deep: value }]
    const file = csv(['code', 'text', 'data'], ['a', 'x', '1'])
    for (const transforms of [{ text: returned }, { data: returned }, { data: nested }]) {
      const [field] = Object.keys(transforms)
      const message =
        field === 'text'
          ? expect.stringContaining(' is not a text.')
          : 'This is not valid JSON. Write it like {"a": 1} or ["a", "b"].'
      expect(await importOnce(config, file, { database: db.database, transforms })).toMatchObject({
        created: 0,
        errors: [{ row: 2, field, message, model: 'samples' }],
      })
    }
    expect(await db.rows('samples', 'code')).toEqual([])
  })

  test('what a transform returns for JSON must have an end', async () => {
    const { samples } = tables
    const circle: Record<string, unknown> = { a: [1, { b: null, c: undefined }] }
    const config: ImportFileConfig = {
      fileFormat: 'csv',
      order: ['samples'],
      models: { samples: importModel({ model: samples, fields: ['code', 'data'], uniqueFields: ['code'] }) },
    }
    const file = csv(['code', 'data'], ['a', '1'])
    const transforms = { data: () => circle }
    expect(await importOnce(config, file, { database: db.database, transforms })).toMatchObject({ created: 1 })
    circle.circle = circle
    expect(await importOnce(config, file, { database: db.database, transforms })).toMatchObject({
      failed: 1,
      errors: [
        {
          row: 2,
          field: 'data',
          message: 'This is not valid JSON. Write it like {"a": 1} or ["a", "b"].',
          model: 'samples',
        },
      ],
    })
  })

  test('a database that goes away ends the import and says what is stored', async () => {
    const broken = breakingAt(db.database, 'insert', 2, gone)
    const error = await new ImportService(chunked, { database: broken }).import(five, { append: true }).catch(e => e)
    expect(error).toBeInstanceOf(Error)
    expect(error).toMatchObject({
      status: 503,
      message:
        'The database is not available. Please try again. The first 2 rows were imported before that (2 created, 0 updated). The same file can be imported again.',
    })
    expect(await db.rows('countries', 'iso2')).toEqual([['A'], ['B']])
    expect(await importOnce(chunked, five, { database: db.database })).toMatchObject({ created: 3, updated: 2 })
  })

  test('without a chunkSize, a database that goes away leaves nothing', async () => {
    const broken = breakingAt(db.database, 'insert', 1, gone)
    await expect(importOnce(config, five, { database: broken })).rejects.toThrow(ServiceUnavailable)
    expect(await db.rows('countries', 'iso2')).toEqual([])
  })

  // SQLite has one writer, who never loses.
  const testLost = dialect.name === 'pg' ? test : undefined
  testLost?.('a transaction that lost against another one is run again, from its first row', async () => {
    for (const settings of [config, chunked]) {
      await db.clear()
      const losing = breakingAt(db.database, 'insert', 2, '40P01')
      expect(await importOnce(settings, five, { database: losing })).toMatchObject({ created: 5, processed: 5 })
      expect(await db.rows('countries', 'iso2')).toHaveLength(5)
    }
  })

  testLost?.('a row whose record somebody else stores in the meantime updates it', async () => {
    const hooks = {
      async create(values: readonly Record<string, unknown>[]) {
        if ((await db.rows('countries', 'iso2')).length === 0) {
          await db.run(
            `insert into countries (id, iso2, name, created_at, updated_at, is_active)
             values ('${randomUUID()}', 'A', 'Elsewhere', now(), now(), true)`,
          )
        }
        return insertRecords(db.database, modelInfo(tables.countries), values)
      },
    }
    const result = await importOnce(config, csv(['iso2', 'name'], ['A', 'Land A']), { database: db.database, hooks })
    expect(result).toMatchObject({ created: 0, updated: 1, failed: 0 })
    expect(await db.rows('countries', 'iso2', 'name')).toEqual([['A', 'Land A']])
  })

  test.each(['as a whole', 'in chunks'])('an import %s is a part of the transaction that it runs in', async how => {
    const undone = db.database.transaction(async () => {
      await importOnce(how === 'in chunks' ? chunked : config, five, { database: db.database })
      throw new Error('undo')
    })
    await expect(undone).rejects.toThrow('undo')
    expect(await db.rows('countries', 'iso2')).toEqual([])
  })

  test('audit fields are filled with the current user', async () => {
    await runAs({ id: 'ann' }, () => importOnce(config, five, { database: db.database }))
    await runAs({ id: 'ben' }, () => importOnce(config, csv(['iso2', 'name'], ['A', 'a']), { database: db.database }))
    expect((await db.rows('countries', 'iso2', 'created_by_id', 'updated_by_id')).slice(0, 2)).toEqual([
      ['A', 'ann', 'ben'],
      ['B', 'ann', 'ann'],
    ])
  })

  test('the rules of the serializer hold for the rows of its model', async () => {
    const serializer = BaseModelSerializer(tables.countries, {
      fields: ['iso2', 'name'],
      validate: ({ iso2, name }, { record }) => {
        if (record && record.name !== name) return { name: `Was ${record.name}.` }
        return iso2 === name ? { nonFieldErrors: 'A name says more than the code.' } : undefined
      },
    })
    const options = { database: db.database, serializer }
    await importOnce(config, csv(['iso2', 'name'], ['A', 'Land A']), options)
    const result = await importOnce(config, csv(['iso2', 'name'], ['A', 'x'], ['B', 'B'], ['C', 'Land C']), options)
    expect(result).toMatchObject({
      created: 1,
      errors: [
        { row: 2, field: 'name', message: 'Was Land A.' },
        { row: 3, field: 'non_field_errors', message: 'A name says more than the code.' },
      ],
    })
  })

  test('a path, bytes and a stream are imported alike, and no temporary file stays', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'viewset-test-'))
    const path = join(folder, 'countries.csv')
    await writeFile(path, five)
    // One of its own: other tests import at the same time.
    vi.stubEnv('TMPDIR', folder)
    for (const source of [path, five, new Uint8Array(five), Readable.from([five])]) {
      const service = new ImportService(config, { database: db.database })
      expect(await service.import(source, { append: true })).toMatchObject({ processed: 5, failed: 0 })
    }
    const broken = new ImportService(config, { database: db.database }).import(csv(['iso2']), { append: true })
    await expect(broken).rejects.toMatchObject({
      status: 400,
      message: 'The column "name" is missing. The header (the first row) has the column "iso2".',
      errors: { file: ['The column "name" is missing.', 'The header (the first row) has the column "iso2".'] },
    })
    const large = new ImportService(config, { database: db.database, limits: { maxBytes: 10 } })
    await expect(large.import(Readable.from([five]), { append: true })).rejects.toMatchObject({ status: 413 })
    vi.unstubAllEnvs()
    expect(readdirSync(folder)).toEqual(['countries.csv'])
    await rm(folder, { recursive: true })
  })

  test('an aborted import stores nothing of the transaction that it is in', async () => {
    const controller = new AbortController()
    const service = new ImportService(chunked, {
      database: db.database,
      onProgress: processed => {
        if (processed === 4) controller.abort()
      },
    })
    await expect(service.import(five, { append: true, signal: controller.signal })).rejects.toThrow()
    expect(await db.rows('countries', 'iso2')).toHaveLength(4)
  })

  test('imports at the same time, of a model that no unique index guards, do not store a record twice', async () => {
    const people = importModel({ model: tables.people, fields: ['name'], uniqueFields: ['name'] })
    const service = new ImportService(
      { fileFormat: 'csv', order: ['people'], models: { people } },
      { database: db.database },
    )
    const file = csv(['name'], ...Array.from({ length: 50 }, (_, n) => [`Person ${n}`]))
    const results = await Promise.all(Array.from({ length: 4 }, () => service.import(file, { append: true })))
    expect(results.reduce((sum, { created }) => sum + created, 0)).toBe(50)
    expect(results.reduce((sum, { updated }) => sum + updated, 0)).toBe(150)
    expect(await db.rows('people', 'name')).toHaveLength(50)
  })

  test('imports at the same time, of a model that a unique index guards, lose no row', async () => {
    const service = new ImportService(config, { database: db.database })
    const file = csv(['iso2', 'name'], ...Array.from({ length: 40 }, (_, n) => [String(n + 10), `Land ${n}`]))
    const results = await Promise.all(Array.from({ length: 4 }, () => service.import(file, { append: true })))
    expect(results.map(({ failed }) => failed)).toEqual([0, 0, 0, 0])
    expect(results.reduce((sum, { created }) => sum + created, 0)).toBe(40)
    expect(await db.rows('countries', 'iso2')).toHaveLength(40)
  })

  test('a killed import leaves whole chunks, and the same file again gives the same end', async () => {
    const rows = Array.from({ length: 400 }, (_, n) => [`${n.toString(36)}`, `Land ${n}`])
    const folder = await mkdtemp(join(tmpdir(), 'viewset-test-'))
    const path = join(folder, 'countries.csv')
    await writeFile(path, csv(['iso2', 'name'], ...rows))
    const child = fork(join(import.meta.dirname, '../support/import-process.ts'), [dialect.name, db.url, path, '20'], {
      execArgv: ['--conditions=viewset-source'],
    })
    const exited = once(child, 'exit')
    for await (const [processed] of messages(child)) {
      if (processed >= 100) break
      child.send('go on')
    }
    child.kill('SIGKILL')
    await exited
    const stored = (await db.rows('countries', 'iso2')).length
    expect(stored).toBeGreaterThanOrEqual(100)
    expect(stored).toBeLessThan(400)
    expect(stored % 20).toBe(0)
    const result = await importOnce({ ...config, chunkSize: 20 }, path, { database: db.database })
    expect(result).toMatchObject({ processed: 400, failed: 0, created: 400 - stored, updated: stored })
    expect((await db.rows('countries', 'name')).length).toBe(400)
    await rm(folder, { recursive: true })
  })
})

async function* messages(child: ReturnType<typeof fork>): AsyncGenerator<[number]> {
  while (true) yield (await once(child, 'message')) as [number]
}

test('a process that ends in the middle of an import without HTTP takes its file along', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'viewset-test-'))
  const module = join(import.meta.dirname, '../../src/importing/read/import-source.ts')
  const script = `
    const { withFile } = await import(${JSON.stringify(module)})
    await withFile(Buffer.from('x'), 10, undefined, async () => process.exit(3))
  `
  const exit = await new Promise(resolve => {
    const options = { env: { ...process.env, TMPDIR: folder } }
    execFile(process.execPath, ['--input-type=module', '-e', script], options, error => resolve(error?.code))
  })
  expect(exit).toBe(3)
  expect(readdirSync(folder)).toEqual([])
  await rm(folder, { recursive: true })
})

test('SQLite finds the records of an upsert by an index, also where the table has none', async () => {
  const { database, drop } = await createTestDatabase({ schema: geography(kit) })
  const statements: string[] = []
  try {
    const { people } = geography(kit)
    const counting = new CountingDriver(database.driver)
    await importOnce(
      {
        fileFormat: 'csv',
        order: ['people'],
        models: { people: importModel({ model: people, fields: ['name'], uniqueFields: ['name'] }) },
      },
      csv(['name'], ['Ann']),
      { database: new Database(counting) },
    )
    statements.push(...counting.statements.filter(text => text.includes('"_wanted"')))
    expect(statements).toHaveLength(1)
    const { rows } = await database.driver.run({ text: `explain query plan ${statements[0]}` }, ['[["Ann",0]]'])
    expect(rows.map(row => String(row.at(-1))).join()).toContain('AUTOMATIC')
  } finally {
    await drop()
  }
})
