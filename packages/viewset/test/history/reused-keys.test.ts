import { eq } from 'drizzle-orm'
import {
  BaseModelSerializer,
  BulkImportableViewSet,
  createRecord,
  HistoryModelMixin,
  IsAuthenticated,
  importModel,
  type ModelRecord,
} from 'viewset'
import { describe, expect, test } from 'vitest'
import type { JobData } from '../../src/viewset/jobs/job-data.ts'
import { useApi } from '../support/api.ts'
import { describeDialects } from '../support/dialects.ts'
import { csv } from '../support/imports.ts'
import { ManualQueue } from '../support/manual-queue.ts'
import { MemoryJobFiles } from '../support/memory-job-files.ts'
import { importForm } from '../support/multipart.ts'

interface Entry {
  readonly id: number
  readonly action: string
  readonly after: Record<string, unknown> | null
}

describeDialects('a key that clients choose, of a record that was deleted', dialect => {
  const c = dialect.kit
  const notes = c.table('notes', {
    code: c.text(10).primaryKey(),
    text: c.text(50).notNull(),
    firm: c.text(10).notNull().default(''),
    ...c.UserActionMixin(),
  })
  const { jobs, jobErrors } = c.JobTables()
  const queue = new ManualQueue()
  const ViewSet = BulkImportableViewSet.add(HistoryModelMixin)
  const config = {
    model: notes,
    serializer: BaseModelSerializer(notes, { fields: ['code', 'text'] }),
    permissionClasses: [IsAuthenticated],
    historyPermissionClasses: [IsAuthenticated],
    importFileConfig: {
      fileFormat: 'csv',
      order: ['notes'],
      models: { notes: importModel({ model: notes, fields: ['code', 'text'], uniqueFields: ['code'] }) },
    },
  } as const
  const OwnOnly = {
    hasPermission: () => true,
    hasObjectPermission: ({ user }: { user: { id: unknown } | null }, note: ModelRecord<typeof notes>) =>
      note.createdBy === String(user?.id),
  }
  const own = { queryset: ({ user }: { user: { id: unknown } | null }) => eq(notes.createdBy, String(user?.id)) }
  const api = useApi(dialect, {
    tables: { notes, ...c.HistoryTable(notes), jobs, jobErrors },
    users: { ann: { id: 'ann' }, ben: { id: 'ben' } },
    jobs: { tables: { jobs, jobErrors }, queue, files: new MemoryJobFiles() },
    resources: {
      own: ViewSet({
        ...config,
        ...own,
        actions: {
          undo: {
            method: 'POST',
            detail: false,
            handler: async () => createRecord(notes, { code: 'X', text: 'hello' }),
          },
        },
      }),
      permitted: ViewSet({ ...config, permissionClasses: [OwnOnly] }),
      all: ViewSet(config),
      opened: ViewSet({ ...config, ...own, historyOfDeleted: true }),
      fixed: ViewSet({ ...config, ...own, fixedValues: () => ({ firm: 'north' }) }),
    },
  })
  const [ann, ben] = [{ as: 'ann' }, { as: 'ben' }] as const
  const write = async (resource: string) => {
    await api.post(`/${resource}/`, { code: 'X', text: 'secret' }, ann)
    await api.delete(`/${resource}/X/`, ann)
    await api.post(`/${resource}/`, { code: 'X', text: 'hello' }, ben)
    await api.patch(`/${resource}/X/`, { text: 'hello you' }, ben)
  }
  const entries = async (resource: string, as: typeof ann | typeof ben = ben) =>
    (await api.get(`/${resource}/X/history/`, as)).data<Entry[]>()
  const actions = async (resource: string) => (await entries(resource)).map(({ action }) => action)

  describe.each(['own', 'permitted'])('shows the history of the new record only: %s', resource => {
    test('in the list, the differences, the past and a revert', async () => {
      await write(resource)
      expect(await actions(resource)).toEqual(['update', 'create'])
      const [oldest] = (await entries('all')).toReversed()
      const path = `/${resource}/X/`
      const diff = await api.get(`${path}history/diff/?from=${oldest?.id}&to=${oldest?.id}`, ben)
      expect([diff.status, diff.text.includes('secret')]).toEqual([400, false])
      const revert = await api.post(`${path}revert/`, { entry: oldest?.id }, ben)
      expect([revert.status, revert.text.includes('secret')]).toEqual([400, false])
      const past = await api.get(`${path}?at=2020-01-01T00:00:00Z`, ben)
      expect([past.status, past.text.includes('secret')]).toEqual([404, false])
    })
  })

  test('an action of the resource with the name undo brings no record back', async () => {
    await api.post('/own/', { code: 'X', text: 'secret' }, ann)
    await api.delete('/own/X/', ann)
    expect((await api.post('/own/undo/', {}, ben)).status).toBe(200)
    expect(await actions('own')).toEqual(['create'])
  })

  test.each(['all', 'opened', 'fixed'])('shows all of it where deleted records are shown: %s', async resource => {
    await write(resource)
    expect(await actions(resource)).toEqual(['update', 'create', 'delete', 'create'])
  })

  test('shows all of a record that an undo has brought back', async () => {
    await api.post('/own/', { code: 'X', text: 'first' }, ann)
    const replace = importForm(csv(['code', 'text'], ['Y', 'other']), { append: false })
    const replaced = await api.post('/own/import-from-file/', undefined, { ...ann, ...replace })
    const { job } = replaced.data<{ job: string }>()
    const undo = await api.post(`/jobs/${job}/undo/`, undefined, ann)
    await queue.run(undo.data<JobData>().id)
    const history = await entries('own', ann)
    expect(history.map(({ action }) => action)).toEqual(['create', 'delete', 'create'])
  })
})
