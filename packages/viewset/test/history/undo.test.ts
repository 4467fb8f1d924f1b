import { text as textOf } from 'node:stream/consumers'
import { currentDb, insertMany } from 'viewset'
import { beforeEach, expect, test } from 'vitest'
import type { ImportData } from '../../src/viewset/files/import-reply.ts'
import type { JobData } from '../../src/viewset/jobs/job-data.ts'
import { useApi } from '../support/api.ts'
import { describeDialects } from '../support/dialects.ts'
import { ManualQueue } from '../support/manual-queue.ts'
import { MemoryJobFiles } from '../support/memory-job-files.ts'
import { type ImportFormOptions, importForm } from '../support/multipart.ts'
import { TownBase, townConfig, undoModels } from '../support/undo-models.ts'

const HEADER = 'iso,title,code,name,people,labels,gone'

describeDialects('the undo of an import', dialect => {
  const tables = undoModels(dialect.kit)
  const { countries, labels, towns, townLabels, visits } = tables
  const queue = new ManualQueue()
  const files = new MemoryJobFiles()
  class Towns extends TownBase(townConfig(tables)) {}
  const api = useApi(dialect, {
    tables,
    users: { ann: { id: 'ann' }, ben: { id: 'ben' } },
    resources: { towns: Towns },
    jobs: { tables, files, queue },
  })

  const send = async (rows: readonly string[], options: ImportFormOptions = {}, as = 'ann') => {
    const form = importForm([HEADER, ...rows, ''].join('\n'), options)
    return api.request('POST', '/towns/import-from-file/', { ...form, as })
  }
  const imported = async (rows: readonly string[], options: ImportFormOptions = {}): Promise<string> => {
    const response = await send(rows, options)
    expect(response.data<ImportData>().errors).toEqual([])
    return response.data<{ job: string }>().job
  }
  const undo = async (job: string, query = '', as = 'ann') => {
    const accepted = await api.post(`/jobs/${job}/undo/${query}`, undefined, { as })
    expect(accepted.status, accepted.text).toBe(202)
    const { id } = accepted.data<JobData>()
    await queue.run(id)
    const ended = (await api.get(`/jobs/${id}/`, { as })).data<JobData>()
    expect(ended).toMatchObject({ state: 'succeeded' })
    return ended
  }
  /** All that an undo must bring back. */
  const world = () =>
    api.database.use(async () => {
      const all = currentDb()
      const linked = await all.select().from(townLabels)
      const stored = await all.select().from(towns)
      const texts = new Map((await all.select().from(labels)).map(({ id, text }) => [id, text]))
      return {
        countries: (await all.select().from(countries)).toSorted((a, b) => a.id - b.id),
        towns: stored
          .map(({ version: _, ...town }) => ({
            ...town,
            labels: linked
              .filter(link => link.town === town.id)
              .map(({ label }) => texts.get(label))
              .toSorted(),
          }))
          .toSorted((a, b) => a.id - b.id),
      }
    })

  beforeEach(() =>
    api.database.use(async () => {
      await insertMany(labels, [{ text: 'port' }, { text: 'old' }])
    }),
  )

  test('deletes what it created and brings back what it changed', async () => {
    await imported(['NO,Norway,OSL,Oslo,700,port,', 'NO,Norway,BGO,Bergen,280,,'])
    const before = await world()
    const job = await imported(['NO,Norge,OSL,Oslo by,710,old,', 'SE,Sweden,STO,Stockholm,980,port,'])
    expect(await world()).not.toEqual(before)
    const { result, message, progress } = await undo(job)
    expect(await world()).toEqual(before)
    expect(message).toBe('')
    expect(progress).toMatchObject({ created: 0, updated: 2, deleted: 2, failed: 0 })
    expect(result).toMatchObject({ reversed: 4, partly: 0, kept: 0, failed: 0, out_of_reach: 0 })
  })

  test('names the rows of the file and who has changed what since', async () => {
    await imported(['NO,Norway,OSL,Oslo,700,,'])
    const job = await imported(['NO,Norway,OSL,Oslo by,710,,', 'NO,Norway,BGO,Bergen,280,,'])
    await api.patch('/towns/1/', { people: 720 }, { as: 'ben' })
    await api.patch('/towns/2/', { name: 'Bryggen' }, { as: 'ben' })
    const { result, message } = await undo(job)
    expect(result).toMatchObject({ reversed: 0, partly: 1, kept: 1 })
    expect(result?.rows).toEqual([
      {
        model: 'towns',
        rows: [3],
        record: '2',
        outcome: 'kept',
        fields: ['name'],
        why: expect.stringMatching(/^The user ben has changed name at \S+\.$/),
      },
      {
        model: 'towns',
        rows: [2],
        record: '1',
        outcome: 'partly',
        fields: ['people'],
        why: expect.stringMatching(/^The user ben has changed people at \S+\.$/),
      },
    ])
    expect(message).toBe('0 of 2 records are as before the job. The file says what became of the others.')
    expect((await world()).towns).toMatchObject([
      { name: 'Oslo', people: 720 },
      { name: 'Bryggen', people: 280 },
    ])
  })

  test('brings deleted records back with their identifiers', async () => {
    await imported(['NO,Norway,OSL,Oslo,700,,', 'NO,Norway,BGO,Bergen,280,,'])
    const before = await world()
    const job = await imported([',,BGO,,,,x'])
    const { result } = await undo(job)
    expect(await world()).toEqual(before)
    expect(result).toMatchObject({
      partly: 1,
      rows: [{ why: 'Records of town_labels, visits that the database deleted together with it do not come back.' }],
    })
  })

  test('keeps a record to which others refer', async () => {
    const job = await imported(['NO,Norway,OSL,Oslo,700,,'])
    await api.database.use(() => insertMany(visits, [{ town: 1 }]))
    const { result } = await undo(job)
    expect(result?.rows).toMatchObject([
      { model: 'towns', outcome: 'kept', why: 'Records of visits refer to it.' },
      { model: 'countries', outcome: 'kept', why: 'Records of towns refer to it.' },
    ])
  })

  test('of a replace brings all records back', async () => {
    await imported(['NO,Norway,OSL,Oslo,700,,', 'NO,Norway,BGO,Bergen,280,,'])
    const before = await world()
    const job = await imported(['SE,Sweden,STO,Stockholm,980,,'], { append: false })
    await undo(job)
    expect(await world()).toEqual(before)
  })

  test('of a stack of imports, newest first, ends where it began', async () => {
    const before = await world()
    const jobs = [
      await imported(['NO,Norway,OSL,Oslo,700,port,', 'NO,Norway,BGO,Bergen,280,,']),
      await imported(['NO,Norge,OSL,Oslo,710,old,', 'SE,Sweden,STO,Stockholm,980,port,']),
      await imported(['NO,Norway,OSL,Kristiania,250,,', 'SE,Sverige,GOT,Gothenburg,600,,']),
    ]
    for (const job of jobs.toReversed()) expect((await undo(job)).message).toBe('')
    expect(await world()).toEqual(before)
  })

  test('names the later import that must be undone first', async () => {
    const first = await imported(['NO,Norway,OSL,Oslo,700,,'])
    const second = await imported(['NO,Norway,OSL,Oslo,710,,'])
    const { result } = await undo(first)
    expect(result?.rows).toMatchObject([
      { outcome: 'kept', why: expect.stringContaining(`The job ${second} has changed people`) },
      { model: 'countries', outcome: 'kept' },
    ])
    await undo(second)
    expect((await undo(first)).message).toBe('')
    expect((await world()).towns).toEqual([])
  })

  test('can be tried, and then nothing is written', async () => {
    const job = await imported(['NO,Norway,OSL,Oslo,700,,'])
    const before = await world()
    for (const [query, body] of [
      ['?dry_run=true', undefined],
      ['', { dry_run: true }],
    ] as const) {
      const accepted = await api.post(`/jobs/${job}/undo/${query}`, body, { as: 'ann' })
      const { id } = accepted.data<JobData>()
      await queue.run(id)
      const { result } = (await api.get(`/jobs/${id}/`, { as: 'ann' })).data<JobData>()
      expect(result).toMatchObject({ reversed: 2, dry_run: true })
      expect(await world()).toEqual(before)
    }
    expect((await undo(job)).result).toMatchObject({ reversed: 2 })
  })

  test('can be undone itself', async () => {
    const job = await imported(['NO,Norway,OSL,Oslo,700,port,'])
    const after = await world()
    const { id } = await undo(job)
    expect((await world()).towns).toEqual([])
    await undo(id)
    expect((await world()).countries).toEqual(after.countries)
    expect((await world()).towns).toMatchObject([{ name: 'Oslo', people: 700 }])
    await undo(job)
    expect((await world()).towns).toEqual([])
  })

  test('makes a file of all records', async () => {
    const { id, result_file } = await undo(await imported(['NO,Norway,OSL,Oslo,700,,']))
    expect(result_file).toBe('undo_towns.xlsx')
    const file = await api.get(`/jobs/${id}/file/`, { as: 'ann' })
    expect(file.status).toBe(200)
    expect(await textOf(await files.get(`${id}/result`))).toMatch(/^PK/)
  })

  test('says whether it is possible, and why not', async () => {
    const job = await imported(['NO,Norway,OSL,Oslo,700,,'])
    const detail = async (id: string) => (await api.get(`/jobs/${id}/`, { as: 'ann' })).data<JobData>().undo
    expect(await detail(job)).toEqual({ possible: true, why: '' })
    const refusal = async (id: string) => {
      const { possible, why = '' } = (await detail(id)) ?? {}
      expect(possible).toBe(false)
      const refused = await api.post(`/jobs/${id}/undo/`, undefined, { as: 'ann' })
      expect([refused.status, JSON.parse(refused.text).message]).toEqual([409, why])
      return why
    }
    const unchanged = await imported(['NO,Norway,OSL,Oslo,700,,'])
    expect(await refusal(unchanged)).toBe('This job has changed nothing.')
    const waiting = (await api.post(`/jobs/${job}/undo/`, undefined, { as: 'ann' })).data<JobData>().id
    expect(await refusal(job)).toBe(`The job ${waiting} is undoing it.`)
    expect(await refusal(waiting)).toBe('This job is still queued. Undo it when it has ended.')
    await queue.run(waiting)
    expect(await refusal(job)).toBe(`The job ${waiting} has undone it already.`)
  })

  test('is for users who see the job', async () => {
    const job = await imported(['NO,Norway,OSL,Oslo,700,,'])
    expect((await api.post(`/jobs/${job}/undo/`, undefined, { as: 'ben' })).status).toBe(404)
  })
})
