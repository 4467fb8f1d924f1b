import { text as textOf } from 'node:stream/consumers'
import { insertMany } from 'viewset'
import { expect, test } from 'vitest'
import type { JobData } from '../../src/viewset/jobs/job-data.ts'
import { describeDialects } from '../support/dialects.ts'
import { TownBase, townConfig } from '../support/undo-models.ts'
import { UndoWorld } from '../support/undo-world.ts'

describeDialects('the undo of an import', dialect => {
  const world = new UndoWorld(dialect, tables => ({ towns: TownBase(townConfig(tables)) }))
  const { api } = world
  const { visits } = world.tables

  test('deletes what it created and brings back what it changed', async () => {
    await world.imported(['NO,Norway,OSL,Oslo,700,port,', 'NO,Norway,BGO,Bergen,280,,'])
    const before = await world.stored()
    const job = await world.imported(['NO,Norge,OSL,Oslo by,710,old,', 'SE,Sweden,STO,Stockholm,980,port,'])
    expect(await world.stored()).not.toEqual(before)
    const { result, message, progress } = await world.undo(job)
    expect(await world.stored()).toEqual(before)
    expect(message).toBe('')
    expect(progress).toMatchObject({ created: 0, updated: 2, deleted: 2, failed: 0 })
    expect(result).toMatchObject({ reversed: 4, partly: 0, kept: 0, failed: 0, out_of_reach: 0 })
  })

  test('names the rows of the file and who has changed what since', async () => {
    await world.imported(['NO,Norway,OSL,Oslo,700,,'])
    const job = await world.imported(['NO,Norway,OSL,Oslo by,710,,', 'NO,Norway,BGO,Bergen,280,,'])
    await api.patch('/towns/1/', { people: 720 }, { as: 'ben' })
    await api.patch('/towns/2/', { name: 'Bryggen' }, { as: 'ben' })
    const { result, message } = await world.undo(job)
    expect(result).toMatchObject({ reversed: 0, partly: 1, kept: 1 })
    expect(result?.rows).toEqual([
      {
        model: 'towns',
        rows: [3],
        record: '2',
        label: 'BGO',
        outcome: 'kept',
        fields: ['name'],
        why: expect.stringMatching(/^The user ben has changed name at \S+\.$/),
      },
      {
        model: 'towns',
        rows: [2],
        record: '1',
        label: 'OSL',
        outcome: 'partly',
        fields: ['people'],
        why: expect.stringMatching(/^The user ben has changed people at \S+\.$/),
      },
    ])
    expect(message).toBe('0 of 2 records are as before the job. The file says what became of the others.')
    expect((await world.stored()).towns).toMatchObject([
      { name: 'Oslo', people: 720 },
      { name: 'Bryggen', people: 280 },
    ])
  })

  test('brings deleted records back with their identifiers', async () => {
    await world.imported(['NO,Norway,OSL,Oslo,700,,', 'NO,Norway,BGO,Bergen,280,,'])
    const before = await world.stored()
    const job = await world.imported([',,BGO,,,,x'])
    const { result } = await world.undo(job)
    expect(await world.stored()).toEqual(before)
    expect(result).toMatchObject({
      partly: 1,
      rows: [{ why: 'Records of town_labels, visits that the database deleted together with it do not come back.' }],
    })
  })

  test('keeps a record to which others refer', async () => {
    const job = await world.imported(['NO,Norway,OSL,Oslo,700,,'])
    await api.database.use(() => insertMany(visits, [{ town: 1 }]))
    const { result } = await world.undo(job)
    expect(result?.rows).toMatchObject([
      { model: 'towns', outcome: 'kept', why: 'Records of visits refer to it.' },
      { model: 'countries', outcome: 'kept', why: 'Records of towns refer to it.' },
    ])
  })

  test('of a replace brings all records back', async () => {
    await world.imported(['NO,Norway,OSL,Oslo,700,,', 'NO,Norway,BGO,Bergen,280,,'])
    const before = await world.stored()
    const job = await world.imported(['SE,Sweden,STO,Stockholm,980,,'], { append: false })
    await world.undo(job)
    expect(await world.stored()).toEqual(before)
  })

  test('of a stack of imports, newest first, ends where it began', async () => {
    const before = await world.stored()
    const jobs = [
      await world.imported(['NO,Norway,OSL,Oslo,700,port,', 'NO,Norway,BGO,Bergen,280,,']),
      await world.imported(['NO,Norge,OSL,Oslo,710,old,', 'SE,Sweden,STO,Stockholm,980,port,']),
      await world.imported(['NO,Norway,OSL,Kristiania,250,,', 'SE,Sverige,GOT,Gothenburg,600,,']),
    ]
    for (const job of jobs.toReversed()) expect((await world.undo(job)).message).toBe('')
    expect(await world.stored()).toEqual(before)
  })

  test('names the later import that must be undone first', async () => {
    const first = await world.imported(['NO,Norway,OSL,Oslo,700,,'])
    const second = await world.imported(['NO,Norway,OSL,Oslo,710,,'])
    const { result } = await world.undo(first)
    expect(result?.rows).toMatchObject([
      { outcome: 'kept', why: expect.stringContaining(`The job ${second} has changed people`) },
      { model: 'countries', outcome: 'kept' },
    ])
    await world.undo(second)
    expect((await world.undo(first)).message).toBe('')
    expect((await world.stored()).towns).toEqual([])
  })

  test('can be tried, and then nothing is written', async () => {
    const job = await world.imported(['NO,Norway,OSL,Oslo,700,,'])
    const before = await world.stored()
    for (const options of [{ query: '?dry_run=true' }, { body: { dry_run: true } }]) {
      const { result } = await world.undo(job, options)
      expect(result).toMatchObject({ reversed: 2, dry_run: true })
      expect(await world.stored()).toEqual(before)
    }
    expect((await world.undo(job)).result).toMatchObject({ reversed: 2 })
  })

  test('can be undone itself', async () => {
    const job = await world.imported(['NO,Norway,OSL,Oslo,700,port,'])
    const after = await world.stored()
    const { id } = await world.undo(job)
    expect((await world.stored()).towns).toEqual([])
    await world.undo(id)
    expect((await world.stored()).countries).toEqual(after.countries)
    expect((await world.stored()).towns).toMatchObject([{ name: 'Oslo', people: 700 }])
    await world.undo(job)
    expect((await world.stored()).towns).toEqual([])
  })

  test('makes a file of all records', async () => {
    const { id, result_file } = await world.undo(await world.imported(['NO,Norway,OSL,Oslo,700,,']))
    expect(result_file).toBe('undo_towns.xlsx')
    const file = await api.get(`/jobs/${id}/file/`, { as: 'ann' })
    expect(file.status).toBe(200)
    expect(await textOf(await world.files.get(`${id}/result`))).toMatch(/^PK/)
  })

  test('of more records than its memory holds reverses all of them, and reports a thousand', async () => {
    const rows = (count: number, name: string) =>
      Array.from({ length: count }, (_, at) => `NO,Norway,T${at},${name} ${at},${at},,`)
    await world.imported(rows(1_300, 'old'))
    const before = await world.stored()
    const job = await world.imported(rows(2_600, 'new'))
    await api.patch('/towns/7/', { name: 'kept' }, { as: 'ben' })
    const { result } = await world.undo(job)
    expect(result).toMatchObject({ reversed: 2_599, partly: 0, kept: 1, failed: 0 })
    expect(result?.rows).toHaveLength(1_000)
    const { towns } = await world.stored()
    expect(towns).toEqual(before.towns.map(town => (town.id === 7 ? { ...town, name: 'kept' } : town)))
  })

  test('says whether it is possible, and why not', async () => {
    const job = await world.imported(['NO,Norway,OSL,Oslo,700,,'])
    expect((await world.job(job)).undo).toEqual({ possible: true, until: null, why: '' })
    const refusal = async (id: string) => {
      const { undo: { possible, why } = {} } = await world.job(id)
      expect(possible).not.toBe(true)
      const refused = await world.ask(id)
      const { message } = JSON.parse(refused.text)
      expect([refused.status, why ?? message]).toEqual([409, message])
      return message
    }
    const unchanged = await world.imported(['NO,Norway,OSL,Oslo,700,,'])
    expect(await refusal(unchanged)).toBe('This job has changed nothing.')
    const waiting = (await world.ask(job)).data<JobData>().id
    expect(await refusal(job)).toBe(`The job ${waiting} is undoing it.`)
    expect(await refusal(waiting)).toBe('This job is still queued. Undo it when it has ended.')
    await world.run(waiting)
    expect(await refusal(job)).toBe(`The job ${waiting} has undone it already.`)
  })

  test('is for users who see the job', async () => {
    const job = await world.imported(['NO,Norway,OSL,Oslo,700,,'])
    expect((await world.ask(job, { as: 'ben' })).status).toBe(404)
  })
})
