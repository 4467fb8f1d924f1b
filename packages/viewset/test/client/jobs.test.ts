import {
  AllowAny,
  BaseModelSerializer,
  BulkImportableViewSet,
  type ColumnKit,
  importModel,
  type JobData,
} from 'viewset'
import type { ClientOptions } from 'viewset/client'
import { afterEach, expect, test, vi } from 'vitest'
import { useClient } from '../support/client.ts'
import { describeOneDialect } from '../support/dialects.ts'
import { ManualQueue } from '../support/manual-queue.ts'
import { MemoryJobFiles } from '../support/memory-job-files.ts'

const models = (c: ColumnKit) => ({
  towns: c.table('towns', { ...c.BaseModelMixin(), name: c.text(30).notNull().unique(), people: c.integer() }),
  ...c.JobTables(),
})

describeOneDialect('a client of jobs', dialect => {
  const tables = models(dialect.kit)
  const { towns, jobs, jobErrors } = tables
  const queue = new ManualQueue()
  const townResource = (importBackgroundFrom: number) =>
    BulkImportableViewSet({
      model: towns,
      serializer: BaseModelSerializer(towns, { fields: ['id', 'name', 'people'] }),
      permissionClasses: [AllowAny],
      importBackgroundFrom,
      importFileConfig: {
        fileFormat: 'csv',
        chunkSize: 1,
        order: ['towns'],
        models: { towns: importModel({ model: towns, fields: ['name', 'people'], uniqueFields: ['name'] }) },
      },
    })
  const listening = useClient(dialect, {
    tables,
    resources: { towns: townResource(1_000_000), 'large-towns': townResource(1) },
    settings: { JOBS: { ANONYMOUS: true } },
    jobs: { tables: { jobs, jobErrors }, queue, files: new MemoryJobFiles() },
  })
  const rows = (text = 'Oslo,700\nBergen,x\nHamar,30\n') => new Blob([`name,people\n${text}`])
  const background = { append_data: true, background: true } as const

  /** The first answers of `follow` are made here, the others by the server. */
  const answeringFirst = (...answers: (() => Promise<Response>)[]): Partial<ClientOptions> => {
    const left = [...answers]
    return { fetch: (address, init) => left.shift()?.() ?? fetch(address, init) }
  }
  const away = async (): Promise<Response> => {
    throw new TypeError('fetch failed')
  }

  afterEach(() => {
    vi.useRealTimers()
  })

  test('imports in the background, follows that by its events, and gets the rows that failed', async () => {
    const client = listening.client()
    const job = await client.towns.importFile(rows(), background)
    expect(job).toMatchObject({ state: 'queued', kind: 'import', resource: 'towns' })
    const told: JobData[] = []
    const following = client.jobs.follow(job.id, { onChange: state => told.push(state) })
    await expect.poll(() => told).toHaveLength(1)
    await queue.run(job.id)
    const ended = await following
    expect(ended).toMatchObject({ state: 'succeeded', progress: { processed: 3, created: 2, failed: 1 } })
    expect(ended.errors).toHaveLength(1)
    expect(told[0]).toEqual(job)
    expect(told.at(-1)).toEqual(ended)
    expect(new Set(told.map(state => JSON.stringify(state))).size).toBe(told.length)
    expect(listening.asked.slice(1)).toEqual([`GET /jobs/${job.id}/`])
    const file = await client.jobs.file(job.id)
    expect([file.filename, await file.text()]).toEqual([
      'file_failed.csv',
      'Errors,name,people\r\n"people: ""x"" is not a whole number. Write it like 42.",Bergen,x\r\n',
    ])
  })

  test('exports in the background, or at once', async () => {
    const client = listening.client()
    const body = { file_type: 'csv', includes: ['name'] } as const
    expect(await (await client.towns.export(body)).text()).toBe('Name\r\n')
    const job = await client.towns.export(body, { ordering: 'name' }, { background: true })
    expect(listening.asked.at(-1)).toBe('POST /towns/export/?ordering=name&background=true')
    await queue.run(job.id)
    expect(await client.jobs.follow(job.id)).toMatchObject({ state: 'succeeded', kind: 'export' })
    expect(await (await client.jobs.file(job.id)).text()).toBe('Name\r\n')
  })

  test('is given a job for a file that is imported in the background by itself', async () => {
    const job = await listening.client()['large-towns'].importFile(rows(), { append_data: true })
    if (!('state' in job)) throw new Error('It was imported at once.')
    expect(job.state).toBe('queued')
  })

  test('finds, lists and cancels jobs', async () => {
    const client = listening.client()
    const job = await client.towns.importFile(rows(), background)
    expect(await client.jobs.retrieve(job.id)).toEqual({ ...job, errors: [] })
    const cancelled = await client.jobs.cancel(job.id)
    expect(cancelled).toMatchObject({ state: 'cancelled', message: 'Cancelled. Nothing was stored.' })
    await expect(client.jobs.cancel(job.id)).rejects.toMatchObject({ name: 'ClientError', status: 409 })
    await expect(client.jobs.file(job.id)).rejects.toMatchObject({ name: 'ClientError', status: 404 })
    // Jobs of nobody are in no list, for anybody would see them.
    expect(await client.jobs.list({ state__in: ['cancelled'], ordering: '-ended_at' })).toMatchObject({ items: [] })
    expect(await client.jobs.follow(job.id)).toMatchObject({ state: 'cancelled' })
  })

  test('asks for the job itself where events break off, and for further events after that', async () => {
    const { id } = await listening.client().towns.importFile(rows(), background)
    const broken = async () => new Response(': no event\n\n', { headers: { 'content-type': 'text/event-stream' } })
    const client = listening.client(answeringFirst(broken))
    const states: string[] = []
    const following = client.jobs.follow(id, { onChange: ({ state }) => states.push(state) })
    await expect.poll(() => states).toEqual(['queued'])
    await queue.run(id)
    expect(await following).toMatchObject({ state: 'succeeded' })
    expect([states[0], states.at(-1)]).toEqual(['queued', 'succeeded'])
  })

  test('asks again where the server is away for a while, and gives up where it stays away', async () => {
    const { id } = await listening.client().towns.importFile(rows(), background)
    await queue.run(id)
    vi.useFakeTimers({ toFake: ['setTimeout'] })
    const client = listening.client(answeringFirst(away, away, away))
    const following = client.jobs.follow(id)
    await vi.advanceTimersByTimeAsync(1_000)
    vi.useRealTimers()
    expect(await following).toMatchObject({ state: 'succeeded' })

    vi.useFakeTimers({ toFake: ['setTimeout'] })
    const gone = listening.client({ fetch: away }).jobs.follow(id)
    const refused = expect(gone).rejects.toMatchObject({ name: 'ClientError', status: 0 })
    await vi.advanceTimersByTimeAsync(60_000)
    await refused
  })

  test('does not wait for a job that it may not see', async () => {
    const client = listening.client()
    const unknown = '01890000-0000-7000-8000-000000000000'
    await expect(client.jobs.follow(unknown)).rejects.toMatchObject({ name: 'ClientError', status: 404 })
  })

  test('leaves a job alone once it is aborted', async () => {
    const client = listening.client()
    const { id } = await client.towns.importFile(rows(), background)
    const controller = new AbortController()
    const aborted = client.jobs.follow(id, { signal: controller.signal, onChange: () => controller.abort('enough') })
    await expect(aborted).rejects.toMatchObject({ name: 'ClientError', status: 0, cause: 'enough' })
  })

  test('leaves a job alone where what it tells throws', async () => {
    const client = listening.client()
    const { id } = await client.towns.importFile(rows(), background)
    const failing = client.jobs.follow(id, {
      onChange: () => {
        throw new Error('The page is gone.')
      },
    })
    await expect(failing).rejects.toThrow('The page is gone.')
  })
})
