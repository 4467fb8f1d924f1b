import { eq } from 'drizzle-orm'
import { AllowAny, BaseModelSerializer, BulkImportableViewSet, currentDb, EventStream, importModel } from 'viewset'
import type { JobHandler, JobQueue } from 'viewset/jobs'
import { beforeEach, expect, test } from 'vitest'
import type { JobData } from '../../src/viewset/jobs/job-data.ts'
import { useApi } from '../support/api.ts'
import { describeDialects } from '../support/dialects.ts'
import { MemoryJobFiles } from '../support/memory-job-files.ts'
import { importForm } from '../support/multipart.ts'

describeDialects('code of an API that runs outside of a request has its database:', dialect => {
  const c = dialect.kit
  const towns = c.table('towns', { id: c.integer().primaryKey(), name: c.text(30).notNull().unique() })
  const people = c.table('people', { id: c.text(10).primaryKey(), name: c.text(30).notNull() })
  const { jobs, jobErrors } = c.JobTables()
  const namesOf = async () => (await currentDb().select().from(people)).map(({ name }) => name)

  /** A queue that keeps notes in the database. */
  class NotedQueue implements JobQueue {
    readonly notes: string[] = []
    handler: JobHandler = async () => {}

    async enqueue() {
      this.notes.push(`enqueue ${await namesOf()}`)
    }

    async work(handler: JobHandler) {
      this.handler = handler
      this.notes.push(`work ${await namesOf()}`)
      return async () => {}
    }
  }
  const queue = new NotedQueue()
  const api = useApi(dialect, {
    tables: { towns, people, jobs, jobErrors, ...c.HistoryTable(towns) },
    users: { ann: { id: 'ann' } },
    resources: {
      towns: BulkImportableViewSet({
        model: towns,
        serializer: BaseModelSerializer(towns, { fields: ['id', 'name'] }),
        permissionClasses: [AllowAny],
        actions: {
          names: {
            method: 'GET',
            detail: false,
            describes: { events: true },
            handler: () =>
              new EventStream(async function* () {
                yield { data: await namesOf() }
              }),
          },
        },
        importFileConfig: {
          fileFormat: 'csv',
          order: ['towns'],
          models: { towns: importModel({ model: towns, fields: ['name'], uniqueFields: ['name'] }) },
        },
      }),
    },
    jobs: {
      tables: { jobs, jobErrors },
      queue,
      files: new MemoryJobFiles(),
      findUser: async id => {
        const [found] = await currentDb().select().from(people).where(eq(people.id, id))
        return found ?? null
      },
    },
  })
  beforeEach(() => api.database.use(() => currentDb().insert(people).values({ id: 'ann', name: 'Ann' })))

  const ask = async () => {
    const form = { ...importForm('name\nOslo\n'), as: 'ann' }
    return (await api.request('POST', '/towns/import-from-file/?background=true', form)).data<JobData>().id
  }
  const run = (id: string) => queue.handler(id, new AbortController().signal)
  const job = async (id: string) => (await api.get(`/jobs/${id}/`, { as: 'ann' })).data<JobData>()

  test('findUser, when a worker begins with a job', async () => {
    const id = await ask()
    await run(id)
    expect(await job(id)).toMatchObject({ state: 'succeeded', progress: { created: 1 } })
  })

  test('the queue, when the API starts and when it gets a job', async () => {
    await ask()
    expect(queue.notes[0]).toMatch(/^work /)
    expect(queue.notes.at(-1)).toBe('enqueue Ann')
  })

  test('the events of a job with a history, also for a client that reconnects', async () => {
    const id = await ask()
    const statesOf = async (headers: Record<string, string> = {}) => {
      const { text } = await api.get(`/jobs/${id}/`, {
        as: 'ann',
        headers: { accept: 'text/event-stream', ...headers },
      })
      return text.split('\n').flatMap(line => (line.startsWith('data: ') ? [JSON.parse(line.slice(6)) as JobData] : []))
    }
    const followed = statesOf()
    await run(id)
    const last = await job(id)
    expect((await followed).at(-1)).toEqual(last)
    expect(last).toMatchObject({ state: 'succeeded', undo: { possible: true } })
    expect(await statesOf({ 'last-event-id': '1' })).toEqual([last])
  })

  test('an event stream of the application', async () => {
    expect((await api.get('/towns/names/')).text).toContain('data: ["Ann"]')
  })
})
