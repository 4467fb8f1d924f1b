import { type ChildProcess, execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdirSync, mkdtempSync, readdirSync, rmSync, symlinkSync, utimesSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { promisify } from 'node:util'
import Fastify from 'fastify'
import { AllowAny, BaseModelSerializer, ImportableViewSet, ImportService, importModel } from 'viewset'
import { resources, serverOptions } from 'viewset/fastify'
import { kit } from 'viewset/sqlite'
import { createTestDatabase, type TestDatabase, TestResponse } from 'viewset/testing'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest'
import { removeFolder, temporaryFolder } from '../../src/tabular/temporary-folder.ts'
import { expectError } from '../support/expect.ts'
import { models } from '../support/models.ts'
import { importForm } from '../support/multipart.ts'

// Where files lie while they are imported has nothing to do with a database.
const tables = models(kit)
const importFileConfig = {
  fileFormat: 'csv',
  order: ['authors'],
  models: { authors: importModel({ model: tables.authors, fields: ['name'], uniqueFields: ['name'] }) },
} as const

let stored: TestDatabase
let folder: string
const children: ChildProcess[] = []
beforeAll(async () => {
  stored = await createTestDatabase({ schema: tables })
})
afterAll(() => stored.drop())
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'viewset-test-'))
  vi.stubEnv('TMPDIR', folder)
})
afterEach(async () => {
  vi.unstubAllEnvs()
  await Promise.all(children.splice(0).map(kill))
  rmSync(folder, { recursive: true })
})

async function kill(child: ChildProcess): Promise<void> {
  const exited = once(child, 'exit')
  if (child.exitCode === null && child.signalCode === null && child.kill('SIGKILL')) await exited
}

async function startApi() {
  const logged: string[] = []
  const app = Fastify({
    ...serverOptions,
    logger: { level: 'error', stream: { write: line => void logged.push(line) } },
  })
  await app.register(resources, {
    prefix: '/api',
    database: stored.database,
    resources: {
      authors: ImportableViewSet({
        model: tables.authors,
        serializer: BaseModelSerializer(tables.authors, { fields: ['id', 'name'] }),
        permissionClasses: [AllowAny],
        importFileConfig,
      }),
    },
  })
  await app.ready()
  return { app, logged }
}

describe('folders of uploads that are left behind', () => {
  const script = `
    const { temporaryFolder } = await import(${JSON.stringify(join(import.meta.dirname, '../../src/tabular/temporary-folder.ts'))})
    const { writeFileSync } = await import('node:fs')
    const folder = await temporaryFolder('upload')
    writeFileSync(folder + '/upload', 'name\\nAda')
    console.log(folder)
    setInterval(() => {}, 1000)
  `
  /** A process that holds an upload, and the name of its folder. */
  async function startUpload(): Promise<{ child: ChildProcess; name: string }> {
    const child = spawn(process.execPath, ['--input-type=module', '-e', script], {
      stdio: ['ignore', 'pipe', 'inherit'],
    })
    children.push(child)
    const [line] = await once(createInterface(child.stdout), 'line')
    return { child, name: String(line).slice(folder.length + 1) }
  }
  const start = async () => void (await (await startApi()).app.close())

  test('by a process that was killed go at the next start; those of others who are still at work stay', async () => {
    // Each process sweeps when it makes its first folder: the one to be found comes last.
    const ours = await temporaryFolder('import')
    const working = await startUpload()
    const killed = await startUpload()
    await kill(killed.child)
    expect(readdirSync(folder)).toContain(killed.name)
    await start()
    expect(readdirSync(folder).toSorted()).toEqual([working.name, ours.slice(folder.length + 1)].toSorted())
    await removeFolder(ours)
  })

  test('by a process whose number another has now go as well', async () => {
    const { name } = await startUpload()
    const [purpose, place, pid, begun, random] = name.split('-').slice(1)
    expect([purpose, pid]).toEqual(['upload', String(children[0]?.pid)])
    const earlier = [pid, process.pid].map(number => `viewset-upload-${place}-${number}-${Number(begun) - 1}-${random}`)
    for (const left of earlier) mkdirSync(join(folder, left))
    await start()
    expect(readdirSync(folder)).toEqual([name])
  })

  test('on another machine or in another container go when they are a day old', async () => {
    const [young, old] = ['viewset-upload-00000000-4000000-1-abcdef', 'viewset-import-00000000-4000000-2-abcdef']
    for (const name of [young, old]) mkdirSync(join(folder, name))
    const yesterday = Date.now() / 1000 - 90_000
    utimesSync(join(folder, old), yesterday, yesterday)
    await start()
    expect(readdirSync(folder)).toEqual([young])
  })

  test('are no links, no files and nothing of another name', async () => {
    const { child, name } = await startUpload()
    await kill(child)
    const target = join(folder, 'viewset-upload-of-somebody')
    mkdirSync(target)
    writeFileSync(join(target, 'kept'), '')
    const link = name.replace(/.{6}$/, 'linked')
    const file = name.replace(/.{6}$/, 'filed_')
    symlinkSync(target, join(folder, link))
    symlinkSync(target, join(folder, name, 'inside'))
    writeFileSync(join(folder, file), '')
    await start()
    expect(readdirSync(folder).toSorted()).toEqual([link, file, 'viewset-upload-of-somebody'].toSorted())
    expect(readdirSync(target)).toEqual(['kept'])
  })
})

describe('where no file can be stored, an import is 503 and the log says why:', () => {
  const MESSAGE = 'The server cannot store files at the moment. Please try again later.'

  test.each([
    ['a folder that is not there', 'nowhere', 'ENOENT'],
    ['no folder', 'file', 'ENOTDIR'],
    ['a folder that nobody may write to', '/proc', /ENOENT|EACCES|EPERM|EROFS/],
  ])('%s', async (_, path, reason) => {
    writeFileSync(join(folder, 'file'), '')
    const { app, logged } = await startApi()
    vi.stubEnv('TMPDIR', path.startsWith('/') ? path : join(folder, path))
    const { statusCode, headers, rawPayload } = await app.inject({
      method: 'POST',
      url: '/api/authors/import-from-file/',
      ...importForm('name\nAda\n'),
    })
    const response = new TestResponse(statusCode, headers, rawPayload)
    expectError(response, 503, MESSAGE)
    expect(response.headers['retry-after']).toBe('60')
    expect(logged).toHaveLength(1)
    expect(JSON.parse(logged[0] ?? '').err.message).toMatch(reason)
    await app.close()
    const service = new ImportService(importFileConfig, { database: stored.database })
    await expect(service.import(Buffer.from('name\nAda\n'), { append: true })).rejects.toMatchObject({ status: 503 })
  })

  test('a disk on which nothing more fits', async () => {
    const program = join(import.meta.dirname, '../support/full-disk-process.ts')
    // No file of this process may be larger than 2 MB: such a disk can be had everywhere, and by every user.
    const shell = `ulimit -f 4096; exec '${process.execPath}' --conditions=viewset-source '${program}' 4`
    const { stdout } = await promisify(execFile)('sh', ['-c', shell])
    const { status, headers, body, logged } = JSON.parse(stdout)
    expectError(new TestResponse(status, headers, Buffer.from(body)), 503, MESSAGE)
    expect(logged).toHaveLength(1)
    expect(JSON.parse(logged[0]).err.message).toMatch(/EFBIG/)
    expect(readdirSync(folder)).toEqual([])
  })

  test('a source that cannot be read is another matter', async () => {
    const service = new ImportService(importFileConfig, { database: stored.database })
    const missing = Object.assign(new Error('gone'), {
      code: 'ENOENT',
      syscall: 'open',
      path: join(folder, 'rows.csv'),
    })
    const source = (async function* () {
      yield Buffer.from('name\n')
      throw missing
    })()
    await expect(service.import(source, { append: true })).rejects.toBe(missing)
  })
})
