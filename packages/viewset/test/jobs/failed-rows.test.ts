import {
  AllowAny,
  BaseModelSerializer,
  BulkImportableViewSet,
  type ColumnKit,
  importModel,
  ServiceUnavailable,
} from 'viewset'
import { expect, test } from 'vitest'
import type { JobData } from '../../src/viewset/jobs/job-data.ts'
import { type TestResponse, useApi } from '../support/api.ts'
import { capturedLog } from '../support/captured-log.ts'
import { describeOneDialect } from '../support/dialects.ts'
import { expectError } from '../support/expect.ts'
import { keysOf } from '../support/job-files-rules.ts'
import { ManualQueue } from '../support/manual-queue.ts'
import { MemoryJobFiles } from '../support/memory-job-files.ts'
import { type ImportFormOptions, importForm } from '../support/multipart.ts'
import { workbook } from '../support/workbook.ts'

const models = (c: ColumnKit) => ({
  towns: c.table('towns', { ...c.BaseModelMixin(), name: c.text(30).notNull().unique(), people: c.integer() }),
  ...c.JobTables(),
})

/** Files that cannot be put as long as somebody says so. */
class Files extends MemoryJobFiles {
  problem: Error | undefined

  override async put(key: string, bytes: AsyncIterable<Uint8Array>): Promise<void> {
    if (this.problem && key.endsWith('/failed')) throw this.problem
    await super.put(key, bytes)
  }
}

describeOneDialect('the rows of an import in the background that fail', dialect => {
  const tables = models(dialect.kit)
  const { towns, jobs, jobErrors } = tables
  const queue = new ManualQueue()
  const files = new Files()
  const log = capturedLog()
  const inChunks = (chunkSize: number) =>
    BulkImportableViewSet({
      model: towns,
      serializer: BaseModelSerializer(towns, { fields: ['id', 'name', 'people'] }),
      permissionClasses: [AllowAny],
      ordering: 'name',
      importFileConfig: {
        fileFormat: ['csv', 'xlsx'],
        chunkSize,
        order: ['towns'],
        models: { towns: importModel({ model: towns, fields: ['name', 'people'], uniqueFields: ['name'] }) },
      },
    })
  class OwnWay extends inChunks(2) {
    override async performImport(path: string) {
      const service = await this.getImportService()
      return service.import(path, { append: true })
    }
  }
  const api = useApi(dialect, {
    tables,
    resources: { towns: inChunks(2), 'in-large-chunks': inChunks(500), 'own-way': OwnWay },
    settings: { JOBS: { ANONYMOUS: true } },
    jobs: { tables: { jobs, jobErrors }, queue, files },
    server: log.server,
  })

  type Options = ImportFormOptions & { readonly query?: string; readonly resource?: string }
  const ask = async (content: string | Uint8Array, { query = '', resource = 'towns', ...options }: Options = {}) => {
    const path = `/${resource}/import-from-file/?background=true${query}`
    const accepted = await api.request('POST', path, importForm(content, { filename: 'towns.csv', ...options }))
    expect(accepted.status).toBe(202)
    return accepted.data<JobData>().id
  }
  const find = async (id: string) => (await api.get(`/jobs/${id}/`)).data<JobData>()
  const run = async (content: string | Uint8Array, options?: Options) => {
    const id = await ask(content, options)
    await queue.run(id)
    return find(id)
  }
  const fileOf = ({ id }: Pick<JobData, 'id'>) => api.get(`/jobs/${id}/file/`)
  const keys = async (id: string) => (await keysOf(files)).filter(key => key.startsWith(id))

  const FILE = 'name,note,people\nOslo,a,700\nBergen,b,x\nHamar,c,30\n,d,1\nMoss,e,50\nVoss,f,1.5\n'
  const FAILED = [
    'Errors,name,note,people',
    '"people: ""x"" is not a whole number. Write it like 42.",Bergen,b,x',
    '"name: This cell is empty, and a value is required.",,d,1',
    '"people: ""1.5"" is not a whole number. Write it like 42.",Voss,f,1.5',
    '',
  ].join('\r\n')

  test('are its file, of all chunks and in their order, and put right they are imported', async () => {
    const job = await run(FILE)
    expect(job).toMatchObject({
      state: 'succeeded',
      result_file: 'towns_failed.csv',
      progress: { processed: 6, failed: 3, created: 3 },
    })
    const file = await fileOf(job)
    expect(file.headers['content-disposition']).toBe('attachment; filename="towns_failed.csv"')
    expect(file.text).toBe(FAILED)
    const fixed = file.text.replace('b,x', 'b,9').replace(',,d', ',Kongsvinger,d').replace('f,1.5', 'f,15')
    const again = await run(fixed, { filename: 'towns_failed.csv' })
    expect(again).toMatchObject({ progress: { processed: 3, failed: 0, created: 3 }, result_file: null, message: '' })
    expectError(await fileOf(again), 404, 'This job has made no file.')
    expect(names(await api.get('/towns/'))).toEqual(['Bergen', 'Hamar', 'Kongsvinger', 'Moss', 'Oslo', 'Voss'])
  })

  test('are a workbook of those of a workbook', async () => {
    const content = await workbook({
      Towns: [
        ['name', 'people'],
        ['Oslo', 700],
        ['Bergen', 'x'],
      ],
    })
    const job = await run(content, { filename: 'towns.xlsx' })
    expect(job.result_file).toBe('towns_failed.xlsx')
    const again = await run((await fileOf(job)).bytes, { filename: 'towns_failed.xlsx' })
    expect(again).toMatchObject({ progress: { processed: 1, failed: 1 }, result_file: 'towns_failed.xlsx' })
  })

  test('are in a file with all the others where nothing is stored: of a replace, and of a dry run', async () => {
    for (const options of [{ append: false }, { dryRun: true }]) {
      const job = await run(FILE, options)
      expect(job).toMatchObject({ progress: { failed: 3 }, errors: [{ row: 3 }, { row: 5 }, { row: 7 }] })
      const { text } = await fileOf(job)
      expect(text.split('\r\n')).toEqual([
        'Errors,name,note,people',
        ',Oslo,a,700',
        '"people: ""x"" is not a whole number. Write it like 42.",Bergen,b,x',
        ',Hamar,c,30',
        '"name: This cell is empty, and a value is required.",,d,1',
        ',Moss,e,50',
        '"people: ""1.5"" is not a whole number. Write it like 42.",Voss,f,1.5',
        '',
      ])
      expect(names(await api.get('/towns/'))).toEqual([])
    }
  })

  test('are all in the file, while the first 1,000 errors are listed', async () => {
    const rows = Array.from({ length: 1_200 }, (_, index) => `Town ${index},x`)
    for (const dryRun of [true, false]) {
      const job = await run(['name,people', ...rows, ''].join('\n'), { dryRun, resource: 'in-large-chunks' })
      expect(job.errors).toHaveLength(1_000)
      expect(job.errors?.map(({ row }) => row)).toEqual(rows.slice(0, 1_000).map((_, index) => index + 2))
      expect(job).toMatchObject({ progress: { failed: 1_200 }, result: { errors_truncated: true } })
      expect((await fileOf(job)).text.split('\r\n')).toHaveLength(1_202)
    }
  })

  test('are found by the mapping that was sent', async () => {
    const query = `&mapping=${encodeURIComponent(JSON.stringify({ Town: 'name', Citizens: 'people' }))}`
    const job = await run('Town,Citizens\nOslo,x\n', { query })
    expect((await fileOf(job)).text).toBe(
      'Errors,Town,Citizens\r\n"Citizens: ""x"" is not a whole number. Write it like 42.",Oslo,x\r\n',
    )
  })

  test('are read with the header row and the values that were sent, and keep the cells of the upload', async () => {
    const values = encodeURIComponent(JSON.stringify({ people: { none: null, many: 'x' } }))
    const job = await run('name,people\nname,people\nOslo,none\nBergen,many\n', {
      query: `&header_row=2&values=${values}`,
    })
    expect(job).toMatchObject({ progress: { processed: 2, created: 1 }, errors: [{ row: 4, field: 'people' }] })
    expect((await fileOf(job)).text).toBe(
      'Errors,name,people\r\n"people: ""x"" is not a whole number. Write it like 42.",Bergen,many\r\n',
    )
  })

  test('are a file all the same where the job stops before that is kept: it goes on there', async () => {
    const id = await ask(FILE)
    files.problem = new ServiceUnavailable('Away.')
    await expect(queue.run(id)).rejects.toThrow('Away.')
    files.problem = undefined
    expect(await find(id)).toMatchObject({ state: 'queued', progress: { processed: 6, failed: 3 }, result_file: null })
    expect(await keys(id)).toEqual([`${id}/upload`])
    await queue.run(id)
    const job = await find(id)
    expect(job).toMatchObject({ state: 'succeeded', attempts: 2, progress: { processed: 6, created: 3, failed: 3 } })
    expect((await fileOf(job)).text).toBe(FAILED)
  })

  test('are told without their file where that cannot be made', async () => {
    files.problem = new Error('no such place')
    const job = await run(FILE)
    files.problem = undefined
    expect(job).toMatchObject({ state: 'succeeded', result_file: null, progress: { failed: 3, created: 3 } })
    expect(job.errors).toHaveLength(3)
    expect(log.lines).toEqual([expect.objectContaining({ msg: 'the file of failed rows could not be made' })])
  })

  test('are told where a resource imports in a way of its own', async () => {
    const job = await run(FILE, { resource: 'own-way' })
    expect(job).toMatchObject({ state: 'succeeded', result_file: null, progress: { failed: 3, created: 3 } })
    expect(job.errors?.map(({ row }) => row)).toEqual([3, 5, 7])
  })

  test('are kept beside nothing else: an upload goes when its job has ended, and not before', async () => {
    const waiting = await ask(FILE)
    expect(await keys(waiting)).toEqual([`${waiting}/upload`])
    await queue.run(waiting)
    expect(await keys(waiting)).toEqual([`${waiting}/failed`])
    const cancelled = await ask(FILE)
    await api.post(`/jobs/${cancelled}/cancel/`)
    await expect.poll(() => keys(cancelled)).toEqual([])
    const right = await ask('name,people\nOslo,700\n')
    await queue.run(right)
    expect(await keys(right)).toEqual([])
  })

  test('come with what a dry run would change, where it was asked for', async () => {
    await run('name,people\nOslo,700\n')
    const job = await run('name,people\nOslo,701\nMoss,x\n', { query: '&diff=true', dryRun: true })
    expect(job.result).toMatchObject({
      dry_run: true,
      diff: { rows: [{ row: 2, model: 'towns', action: 'update', changes: { people: [700, 701] } }] },
    })
  })
})

function names(response: TestResponse): string[] {
  return response.data<{ name: string }[]>().map(({ name }) => name)
}
