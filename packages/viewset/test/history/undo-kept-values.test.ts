import {
  AllowAny,
  BaseModelSerializer,
  BulkImportableViewSet,
  currentDb,
  HistoryModelMixin,
  importModel,
  type User,
} from 'viewset'
import { expect, test } from 'vitest'
import type { JobData } from '../../src/viewset/jobs/job-data.ts'
import { useApi } from '../support/api.ts'
import { describeDialects } from '../support/dialects.ts'
import { ManualQueue } from '../support/manual-queue.ts'
import { MemoryJobFiles } from '../support/memory-job-files.ts'
import { importForm } from '../support/multipart.ts'

describeDialects('the undo of an import whose history does not keep all values', dialect => {
  const c = dialect.kit
  const people = c.table(
    'people',
    {
      id: c.integer().primaryKey(),
      firm: c.text(10).notNull().default(''),
      code: c.text(10).notNull(),
      salary: c.decimal(8, 2),
      views: c.integer().notNull().default(0),
    },
    person => [c.unique(person.firm, person.code)],
  )
  const badges = c.table('badges', {
    id: c.integer().primaryKey(),
    code: c.text(10).notNull().unique(),
    pin: c.text(10).notNull(),
  })
  const histories = {
    ...c.HistoryTable(people, { redact: ['salary'], ignore: ['views'] }),
    ...c.HistoryTable(badges, { redact: ['pin'] }),
  }
  const jobTables = c.JobTables()
  const queue = new ManualQueue()
  const ViewSet = BulkImportableViewSet.add(HistoryModelMixin)
  const permissionClasses = [AllowAny]
  const api = useApi(dialect, {
    tables: { people, badges, ...histories, ...jobTables },
    users: { ann: { id: 'ann' }, ben: { id: 'ben' } },
    resources: {
      people: ViewSet({
        model: people,
        serializer: BaseModelSerializer(people, { fields: ['id', 'code', 'salary', 'views'] }),
        permissionClasses,
        fixedValues: ({ user }: { readonly user: User | null }) => ({ firm: user ? 'north' : '' }),
        importFileConfig: {
          fileFormat: 'csv',
          order: ['people'],
          models: {
            people: importModel({
              model: people,
              fields: ['code', 'salary', 'views'],
              uniqueFields: ['firm', 'code'],
            }),
          },
        },
      }),
      badges: ViewSet({
        model: badges,
        serializer: BaseModelSerializer(badges, { fields: ['id', 'code', 'pin'] }),
        permissionClasses,
        importFileConfig: {
          fileFormat: 'csv',
          order: ['badges'],
          models: { badges: importModel({ model: badges, fields: ['code', 'pin'], uniqueFields: ['code'] }) },
        },
      }),
    },
    jobs: { tables: jobTables, queue, files: new MemoryJobFiles() },
  })

  const imported = async (path: string, csv: string, append = true) => {
    const response = await api.request('POST', `${path}import-from-file/`, {
      ...importForm(csv, { append }),
      as: 'ann',
    })
    expect(response.status, response.text).toBe(201)
    return response.data<{ job: string }>().job
  }
  const undo = async (job: string) => {
    const accepted = await api.post(`/jobs/${job}/undo/`, undefined, { as: 'ann' })
    expect(accepted.status, accepted.text).toBe(202)
    const { id } = accepted.data<JobData>()
    await queue.run(id)
    const { result } = (await api.get(`/jobs/${id}/`, { as: 'ann' })).data<JobData>()
    if (!result) throw new Error('the undo has no result')
    return result
  }
  const listed = async (path: string) => (await api.get(path, { as: 'ann' })).data<{ id: number; code: string }[]>()
  const entries = async (id: number) =>
    (await api.get(`/people/${id}/history/`, { as: 'ann' })).data<{ before: object; after: object }[]>()

  test('brings a deleted record back without the value, and says so', async () => {
    await imported('/people/', 'code,salary,views\nA,5,3\nB,,4\n')
    const before = await listed('/people/')
    const { rows, ...counts } = await undo(await imported('/people/', 'code,salary,views\nC,6,1\n', false))
    expect(counts).toMatchObject({ reversed: 2, partly: 1, kept: 0, failed: 0, out_of_reach: 0 })
    const partly = { label: 'A', outcome: 'partly', fields: ['salary'], why: 'The old value of salary is not kept.' }
    // B had no salary, so nothing of it is missing.
    expect(rows).toEqual([
      expect.objectContaining({ label: 'C', outcome: 'reversed' }),
      expect.objectContaining(partly),
      expect.objectContaining({ label: 'B', outcome: 'reversed', fields: [], why: '' }),
    ])
    // A history that ignores views does not say how many there were.
    expect(await listed('/people/')).toEqual(before.map(person => ({ ...person, salary: null, views: 0 })))
  })

  test('does not bring a record back whose model needs the value', async () => {
    await imported('/badges/', 'code,pin\nA,1\n')
    const { rows, ...counts } = await undo(await imported('/badges/', 'code,pin\nB,2\n', false))
    expect(counts).toMatchObject({ reversed: 1, partly: 0, failed: 1 })
    const failed = { label: 'A', outcome: 'failed', fields: ['pin'], why: 'The old value of pin is not kept.' }
    expect(rows).toContainEqual(expect.objectContaining(failed))
    expect(await listed('/badges/')).toEqual([])
  })

  test('leaves a changed value whose old one it does not know', async () => {
    await imported('/badges/', 'code,pin\nA,1\n')
    const job = await imported('/badges/', 'code,pin\nA,2\n')
    expect(await undo(job)).toMatchObject({
      kept: 1,
      rows: [{ label: 'A', outcome: 'kept', fields: ['pin'], why: 'The old value of pin is not kept.' }],
    })
    expect(await listed('/badges/')).toMatchObject([{ pin: '2' }])
  })

  test('has a row for a created record that a user has deleted since', async () => {
    const job = await imported('/people/', 'code,salary,views\nA,5,3\nB,,4\n')
    const [a] = await listed('/people/')
    expect((await api.delete(`/people/${a?.id}/`, { as: 'ben' })).status).toBe(204)
    const { rows, ...counts } = await undo(job)
    expect(counts).toMatchObject({ reversed: 2, partly: 0, kept: 0, failed: 0, out_of_reach: 0 })
    expect(rows).toContainEqual(expect.objectContaining({ label: 'A', outcome: 'reversed', rows: [2] }))
    expect(await listed('/people/')).toEqual([])
  })

  test('keeps a created record if a user has changed the value since', async () => {
    const job = await imported('/people/', 'code,salary,views\nA,5,3\n')
    const [a] = await listed('/people/')
    await api.patch(`/people/${a?.id}/`, { salary: '7.00' }, { as: 'ben' })
    const why = expect.stringMatching(/^The user ben has changed salary at \S+\.$/)
    expect(await undo(job)).toMatchObject({ kept: 1, rows: [{ label: 'A', outcome: 'kept', fields: ['salary'], why }] })
    expect(await listed('/people/')).toMatchObject([{ code: 'A', salary: '7.00' }])
  })

  test('reports no record that an earlier undo has deleted', async () => {
    const job = await imported('/badges/', 'code,pin\nA,1\nB,2\n')
    const [, b] = await listed('/badges/')
    await api.patch(`/badges/${b?.id}/`, { code: 'X' }, { as: 'ben' })
    expect(await undo(job)).toMatchObject({ reversed: 1, kept: 1 })
    await api.patch(`/badges/${b?.id}/`, { code: 'B' }, { as: 'ben' })
    const again = await undo(job)
    expect(again).toMatchObject({ reversed: 1, kept: 0 })
    expect(again.rows).toEqual([expect.objectContaining({ label: 'B' })])
  })

  test('knows records by what a file has, without the tenant', async () => {
    const job = await imported('/people/', 'code,salary,views\nA,,0\n')
    expect((await undo(job)).rows).toEqual([expect.objectContaining({ label: 'A' })])
  })

  test('finds no ignored column in an entry of any kind', async () => {
    await imported('/people/', 'code,salary,views\nA,5,3\n')
    const [a] = await listed('/people/')
    const id = Number(a?.id)
    await api.patch(`/people/${id}/`, { views: 9 }, { as: 'ann' })
    await api.patch(`/people/${id}/`, { code: 'B', views: 10 }, { as: 'ann' })
    await api.delete(`/people/${id}/`, { as: 'ann' })
    const all = await entries(id)
    expect(all).toHaveLength(3)
    for (const { before, after } of all) expect({ ...before, ...after }).not.toHaveProperty('views')
    const stored = await api.database.use(() => currentDb().select().from(histories.peopleHistory))
    for (const { before, after } of stored) expect({ ...before, ...after }).not.toHaveProperty('views')
  })
})
