import { Conflict } from 'viewset'
import { beforeEach, describe, expect, test } from 'vitest'
import type { JobData } from '../../src/viewset/jobs/job-data.ts'
import { OutboxMixin } from '../extensions/outbox-mixin.ts'
import { useApi } from '../support/api.ts'
import { describeDialects } from '../support/dialects.ts'
import { uuid } from '../support/expect.ts'
import { FullViewSet } from '../support/full-viewset.ts'
import { ManualQueue } from '../support/manual-queue.ts'
import { MemoryJobFiles } from '../support/memory-job-files.ts'
import { models } from '../support/models.ts'
import { importForm } from '../support/multipart.ts'
import { authorSettings, seedAuthors, WRITES } from '../support/write-paths.ts'

const UPDATES = ['a PUT', 'a PATCH', 'a bulk update', 'a bulk update that saves', 'a bulk upsert']
const IMPORTS = ['an import', 'an import in chunks']

/** The events of each way to write. */
const EVENTS: Readonly<Record<string, readonly string[]>> = {
  'a create': ['create'],
  ...Object.fromEntries(UPDATES.map(label => [label, ['update 1']])),
  'a DELETE': ['delete 1'],
  'a bulk create': ['create', 'create'],
  'a bulk delete': ['delete 1', 'delete 2'],
  'a bulk soft delete': ['softDelete 1', 'softDelete 2'],
  'a restore': ['restore 3'],
  'a bulk restore': ['restore 3'],
  ...Object.fromEntries(IMPORTS.map(label => [label, ['create', 'update 1']])),
  'a replace': ['create', 'create', 'delete 1', 'delete 2', 'delete 3'],
}

describeDialects('an outbox mixin from public entries', dialect => {
  const c = dialect.kit
  const outbox = c.table('outbox', {
    id: c.integer().primaryKey(),
    kind: c.text().notNull(),
    record: c.text().notNull(),
    cause: c.text(),
  })
  const tables = models(c)
  const settings = { ...authorSettings(tables), outbox }
  const { importFileConfig } = settings
  const OutboxViewSet = FullViewSet.add(OutboxMixin)
  class Authors extends OutboxViewSet(settings) {}
  type Hooks = InstanceType<typeof Authors>
  /** Refuses a write after it was performed, and its event was stored. */
  class Refusing extends OutboxViewSet(settings) {
    override async write(...given: Parameters<Hooks['write']>): Promise<never> {
      await super.write(...given)
      throw new Conflict({}, 'Not now.')
    }
  }
  /** Names each new record, also one whose tenant it tries to change. */
  class Naming extends OutboxViewSet({ ...settings, fixedValues: () => ({ email: 'fixed@example.org' }) }) {
    override write(...[plan, next]: Parameters<Hooks['write']>) {
      if (plan.kind !== 'create') return super.write(plan, next)
      const values = plan.values.map(item => ({ ...item, name: 'Named', email: 'free@example.org' }))
      return super.write({ ...plan, values }, next)
    }
  }
  class Dropping extends OutboxViewSet(settings) {
    override write(...[plan, next]: Parameters<Hooks['write']>) {
      return super.write(plan.kind === 'create' ? { ...plan, values: plan.values.slice(1) } : plan, next)
    }
  }
  class Idle extends OutboxViewSet(settings) {
    override write = (async () => undefined) as unknown as Hooks['write']
  }
  const queue = new ManualQueue()
  const { jobs, jobErrors } = c.JobTables()
  const api = useApi(dialect, {
    tables: { ...tables, outbox, jobs, jobErrors },
    jobs: { tables: { jobs, jobErrors }, queue, files: new MemoryJobFiles() },
    users: { ann: { id: 'ann' } },
    resources: {
      authors: Authors,
      saved: OutboxViewSet({ ...settings, useSaveOnBulkUpdate: true }),
      chunked: OutboxViewSet({ ...settings, importFileConfig: { ...importFileConfig, chunkSize: 1 } }),
      refusing: Refusing,
      naming: Naming,
      dropping: Dropping,
      idle: Idle,
    },
    openapi: true,
  })
  const events = async () =>
    (await api.rows('outbox')).map(([, kind, record]) => {
      const known = [1, 2, 3].find(n => uuid(n) === record)
      return known === undefined ? String(kind) : `${kind} ${known}`
    })
  beforeEach(() => seedAuthors(api, tables))

  test.each(WRITES)('%s stores one event for each record', async (label, status, write) => {
    const answer = await write(api)
    expect([answer.status, answer.text]).toEqual([status, answer.text])
    expect((await events()).toSorted()).toEqual(EVENTS[label])
  })

  describe('a write that the hook refuses afterwards stores nothing:', () => {
    const renamed = (path: string) => path.replace(/^\/(authors|saved|chunked)\//, '/refusing/')
    const refusing = {
      request: (...[method, path, options]: Parameters<typeof api.request>) =>
        api.request(method, renamed(path), options),
      post: (path: string, body?: unknown) => api.post(renamed(path), body),
      put: (path: string, body?: unknown) => api.put(renamed(path), body),
      patch: (path: string, body?: unknown) => api.patch(renamed(path), body),
      delete: (path: string) => api.delete(renamed(path)),
    }
    test.each(WRITES)('%s', async (label, _, write) => {
      const before = await api.rows('authors')
      const answer = await write(refusing)
      expect([answer.status, answer.text]).toEqual([label.startsWith('an import') ? 207 : 409, answer.text])
      expect(await api.rows('authors')).toEqual(before)
      expect(await events()).toEqual([])
    })
  })

  test('an import stores no event of a row that fails', async () => {
    const file = 'name,email\nNew,ada@example.org\nThis name is much too long,long@example.org\nLast,last@example.org\n'
    expect((await api.request('POST', '/authors/import-from-file/', importForm(file))).status).toBe(207)
    expect((await events()).toSorted()).toEqual(['create', 'update 1'])
  })

  test('an import in the background stores one event for each record', async () => {
    const file = { ...importForm('name,email\nNew,ada@example.org\nNewer,new@example.org\n'), as: 'ann' }
    const { id } = (await api.request('POST', '/authors/import-from-file/?background=true', file)).data<JobData>()
    expect(await events()).toEqual([])
    await queue.run(id)
    expect((await events()).toSorted()).toEqual(['create', 'update 1'])
  })

  test('the hook may change values, but not those that are fixed', async () => {
    const created = await api.post('/naming/', { name: 'New' })
    expect(created.data()).toMatchObject({ name: 'Named', email: 'fixed@example.org' })
  })

  test('a hook that drops a record, or does not perform the write, is an error and stores nothing', async () => {
    const before = await api.rows('authors')
    for (const resource of ['dropping', 'idle']) {
      expect((await api.post(`/${resource}/`, { name: 'New' })).status).toBe(500)
      expect((await api.post(`/${resource}/bulk-create/`, [{ name: 'New' }, { name: 'Newer' }])).status).toBe(500)
    }
    expect(await api.rows('authors')).toEqual(before)
  })

  test('the document describes its header, and what it says is what is stored', async () => {
    const { paths } = JSON.parse((await api.get('/openapi.json')).text)
    const header = expect.objectContaining({ name: 'X-Cause', in: 'header' })
    expect(paths['/authors/'].post.parameters).toContainEqual(header)
    expect(paths['/authors/'].get.parameters).not.toContainEqual(header)
    await api.post('/authors/', { name: 'New' }, { headers: { 'x-cause': 'by mail' } })
    expect((await api.rows('outbox')).map(row => row[3])).toEqual(['by mail'])
  })
})
