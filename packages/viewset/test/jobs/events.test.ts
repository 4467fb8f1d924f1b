import { once } from 'node:events'
import { get, type IncomingMessage } from 'node:http'
import { setTimeout as sleep } from 'node:timers/promises'
import { AllowAny, BaseModelSerializer, type ColumnKit, compose, FileImportMixin, importModel } from 'viewset'
import { expect, test } from 'vitest'
import type { JobData } from '../../src/viewset/jobs/job-data.ts'
import { useApi } from '../support/api.ts'
import { describeOneDialect } from '../support/dialects.ts'
import { ManualQueue } from '../support/manual-queue.ts'
import { MemoryJobFiles } from '../support/memory-job-files.ts'
import { importForm } from '../support/multipart.ts'
import { useObservedEvents } from '../support/observed-events.ts'

const models = (c: ColumnKit) => ({
  towns: c.table('towns', { ...c.BaseModelMixin(), name: c.text(30).notNull().unique(), people: c.integer() }),
  ...c.JobTables(),
})
const Imports = compose(FileImportMixin)

describeOneDialect('the events of a job', dialect => {
  const tables = models(dialect.kit)
  const { towns, jobs, jobErrors } = tables
  const queue = new ManualQueue()
  const seen = useObservedEvents()
  const api = useApi(dialect, {
    tables,
    users: { ann: { id: 'ann' }, bob: { id: 'bob' } },
    resources: {
      towns: Imports({
        model: towns,
        serializer: BaseModelSerializer(towns, { fields: ['id', 'people'] }),
        permissionClasses: [AllowAny],
        importFileConfig: {
          fileFormat: 'csv',
          chunkSize: 1,
          order: ['towns'],
          models: { towns: importModel({ model: towns, fields: ['name', 'people'], uniqueFields: ['name'] }) },
        },
      }),
    },
    settings: { JOBS: { ANONYMOUS: true, STREAMS_PER_USER: 8 } },
    jobs: { tables: { jobs, jobErrors }, queue, files: new MemoryJobFiles() },
  })

  const ask = async (csv = 'name,people\nOslo,700\nBergen,x\nHamar,30\n') => {
    const accepted = await api.request('POST', '/towns/import-from-file/?background=true', importForm(csv))
    return accepted.data<JobData>().id
  }
  const listen = async (id: string, headers: Record<string, string> = {}) => {
    const address = `http://127.0.0.1:${await api.listen()}/api/jobs/${id}/`
    return fetch(address, { headers: { accept: 'text/event-stream', ...headers } })
  }

  test('are its states, from the one that it has to its end', async () => {
    const id = await ask()
    const response = await listen(id)
    expect(response.headers.get('content-type')).toBe('text/event-stream')
    const events = new Events(response)
    const { errors: _, ...queued } = (await api.get(`/jobs/${id}/`)).data<JobData>()
    expect((await events.next())?.data).toEqual(queued)
    await queue.run(id)
    const told = await events.rest()
    const { id: lastId, data: last } = told.at(-1)!
    expect(last).toEqual((await api.get(`/jobs/${id}/`)).data())
    expect(last).toMatchObject({ state: 'succeeded', progress: { processed: 3, created: 2, failed: 1 } })
    expect(last.errors).toHaveLength(1)
    // Who has had the end is not told again, and need not come again.
    expect((await listen(id, { 'last-event-id': lastId })).status).toBe(204)
    expect((await new Events(await listen(id)).rest()).map(({ data }) => data)).toEqual([last])
  })

  test('go on behind the one that a client has had', async () => {
    const id = await ask()
    const first = await new Events(await listen(id)).next()
    const again = new Events(await listen(id, { 'last-event-id': first!.id }))
    await queue.run(id)
    const told = await again.rest()
    expect(told.map(({ data }) => data.state)).not.toContain('queued')
    expect(told.at(-1)?.data.state).toBe('succeeded')
    const missed = await new Events(await listen(id, { 'last-event-id': first!.id })).rest()
    expect(missed).toEqual(told.slice(-1))
  })

  test('are told of a job that another process runs', async () => {
    const id = await ask()
    const events = new Events(await listen(id))
    await events.next()
    const elsewhere = `update viewset_jobs set state = 'failed', message = 'The disk is full.', revision = revision + 1,
      ended_at = created_at where id = '${id}'`
    await api.database.driver.run({ text: elsewhere }, [])
    expect((await events.rest()).map(({ data: { state, message } }) => [state, message])).toEqual([
      ['failed', 'The disk is full.'],
    ])
  })

  test('read a job once for all its streams, and its errors when it has ended', async () => {
    const id = await ask()
    const streams = await Promise.all(Array.from({ length: 8 }, async () => new Events(await listen(id))))
    for (const events of streams) await events.next()
    seen.statements.begun.length = 0
    const reads = () => seen.statements.begun.map(({ text }) => text).filter(text => text.includes('viewset_jobs'))
    await expect.poll(() => reads().length).toBeGreaterThan(0)
    // With a read for each stream, all eight would come at this moment; the next one of all comes after a second.
    await sleep(200)
    expect(reads().length).toBeLessThan(streams.length)
    expect(seen.statements.begun.map(({ text }) => text).join()).not.toContain('viewset_job_errors')
    await queue.run(id)
    for (const events of streams) {
      const told = await events.rest()
      expect(told.filter(({ data }) => data.errors !== undefined)).toEqual(told.slice(-1))
      expect(told.at(-1)?.data.errors).toHaveLength(1)
    }
  })

  test('have so many streams for each user, also if they are asked for together', async () => {
    const id = await ask()
    const streams = await Promise.all(Array.from({ length: 12 }, () => listen(id)))
    const refused = await listen(id)
    expect([refused.status, refused.headers.get('retry-after')]).toEqual([429, '10'])
    expect(await refused.json()).toMatchObject({ success: false, data: null })
    await queue.run(id)
    const told = await Promise.all(
      streams.filter(({ status }) => status === 200).map(answer => new Events(answer).rest()),
    )
    expect(told.filter(({ length }) => length > 0)).toHaveLength(8)
    expect((await listen(id)).status).toBe(200)
  })

  /** Unlike `fetch`, this opens no further connection for one that is given up. */
  const follow = async (id: string) => {
    const address = `http://127.0.0.1:${await api.listen()}/api/jobs/${id}/`
    const request = get(address, { headers: { accept: 'text/event-stream' }, agent: false })
    const [response] = (await once(request, 'response')) as [IncomingMessage]
    return response
  }

  test('give their place back as soon as a client goes away, though nothing happens to the job', async () => {
    const id = await ask()
    const streams = await Promise.all(Array.from({ length: 8 }, () => follow(id)))
    expect(streams.map(({ statusCode }) => statusCode)).toEqual(Array(8).fill(200))
    const refused = await listen(id)
    expect([refused.status, await refused.json()]).toMatchObject([429, { success: false }])
    for (const response of streams) response.destroy()
    await expect
      .poll(async () => {
        const response = await follow(id)
        response.destroy()
        return response.statusCode
      })
      .toBe(200)
  })

  test('give one place back where one client of several goes away', async () => {
    const id = await ask()
    const streams = await Promise.all(Array.from({ length: 8 }, () => follow(id)))
    streams.pop()?.destroy()
    const statusOfNext = async () => {
      const response = await follow(id)
      if (response.statusCode === 200) streams.push(response)
      else response.destroy()
      return response.statusCode
    }
    await expect.poll(statusOfNext).toBe(200)
    expect(await statusOfNext()).toBe(429)
    for (const response of streams) response.destroy()
  })

  test('are for those who may see it', async () => {
    const request = { ...importForm('name,people\nOslo,700\n'), as: 'ann' }
    const accepted = await api.request('POST', '/towns/import-from-file/?background=true', request)
    const { id } = accepted.data<JobData>()
    const asked = { headers: { accept: 'text/event-stream' } }
    expect((await api.get(`/jobs/${id}/`, { ...asked, as: 'bob' })).status).toBe(404)
    expect((await api.get(`/jobs/${id}/`, asked)).status).toBe(404)
  })
})

interface JobEvent {
  readonly id: string
  readonly data: JobData
}

/** The events of an answer, as they come. */
class Events {
  readonly #chunks: AsyncIterator<string>
  #text = ''

  constructor({ body }: Response) {
    this.#chunks = body!.pipeThrough(new TextDecoderStream())[Symbol.asyncIterator]()
  }

  async next(): Promise<JobEvent | undefined> {
    for (;;) {
      const end = this.#text.indexOf('\n\n')
      if (end >= 0) {
        const [, id, data] = /^id: (\d+)\ndata: (.*)$/.exec(this.#text.slice(0, end)) ?? []
        this.#text = this.#text.slice(end + 2)
        // Others are comments.
        if (id !== undefined) return { id, data: JSON.parse(String(data)) }
        continue
      }
      const { done, value } = await this.#chunks.next()
      if (done) return undefined
      this.#text += value
    }
  }

  async rest(): Promise<JobEvent[]> {
    const events: JobEvent[] = []
    for (let event = await this.next(); event; event = await this.next()) events.push(event)
    return events
  }
}
