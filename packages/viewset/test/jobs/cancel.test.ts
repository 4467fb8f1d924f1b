import { setTimeout as sleep } from 'node:timers/promises'
import { AllowAny, BaseModelSerializer, BulkImportableViewSet, type ColumnKit, importModel } from 'viewset'
import { expect, test } from 'vitest'
import type { JobData } from '../../src/viewset/jobs/job-data.ts'
import { useApi } from '../support/api.ts'
import { describeDialects } from '../support/dialects.ts'
import { ManualQueue } from '../support/manual-queue.ts'
import { MemoryJobFiles } from '../support/memory-job-files.ts'
import { importForm } from '../support/multipart.ts'

const models = (c: ColumnKit) => ({
  towns: c.table('towns', { ...c.BaseModelMixin(), name: c.text(30).notNull().unique() }),
  ...c.JobTables(),
})

describeDialects('a job that is to be cancelled', dialect => {
  const tables = models(dialect.kit)
  const { towns, jobs, jobErrors } = tables
  const queue = new ManualQueue()
  let atRow: ((signal: AbortSignal | undefined) => Promise<void>) | undefined
  const api = useApi(dialect, {
    tables,
    resources: {
      towns: BulkImportableViewSet({
        model: towns,
        serializer: BaseModelSerializer(towns, { fields: ['id', 'name'] }),
        permissionClasses: [AllowAny],
        importFileConfig: {
          fileFormat: 'csv',
          chunkSize: 1,
          order: ['towns'],
          prepareRow: async (row, { view }) => {
            await atRow?.(view?.request.signal)
            return row
          },
          models: {
            towns: importModel({
              model: towns,
              fields: ['name'],
              uniqueFields: ['name'],
              deleteWhen: { sourceField: 'gone', equals: ['yes'] },
            }),
          },
        },
      }),
    },
    settings: { JOBS: { ANONYMOUS: true } },
    jobs: { tables: { jobs, jobErrors }, queue, files: new MemoryJobFiles() },
  })

  const ask = async (append = true, csv = 'name\nOslo\nHamar\n') => {
    const form = importForm(csv, { append })
    const accepted = await api.request('POST', '/towns/import-from-file/?background=true', form)
    return accepted.data<JobData>().id
  }
  const shown = async (id: string) => (await api.get(`/jobs/${id}/`)).data<JobData>()
  const cancel = async (id: string) => (await api.post(`/jobs/${id}/cancel/`)).data<JobData>()
  const askedElsewhere = (id: string) =>
    api.database.driver.run({ text: `update viewset_jobs set is_cancel_requested = true where id = '${id}'` }, [])

  test('stores nothing more when another worker gets it', async () => {
    const id = await ask()
    await askedElsewhere(id)
    await queue.run(id)
    expect(await shown(id)).toMatchObject({ state: 'cancelled', message: 'Cancelled. Nothing was stored.' })
    expect((await api.get('/towns/')).data()).toEqual([])
  })

  test('is so at once where its worker has stopped before it noticed', async () => {
    const id = await ask()
    await askedElsewhere(id)
    expect(await cancel(id)).toMatchObject({ state: 'cancelled', message: 'Cancelled. Nothing was stored.' })
  })

  /** Runs a job up to a row, cancels it from outside, and lets it go on. */
  const cancelAtRow = async (id: string, number: number) => {
    const { promise: reached, resolve: reach } = Promise.withResolvers<void>()
    let rows = 0
    atRow = async signal => {
      if (++rows < number) return
      reach()
      while (!signal?.aborted) await sleep(5)
    }
    const run = queue.run(id)
    await reached
    await cancel(id)
    await run
    atRow = undefined
  }

  test('stops in the middle of a replace, which stores nothing', async () => {
    const id = await ask(false)
    await cancelAtRow(id, 1)
    expect(await shown(id)).toMatchObject({ state: 'cancelled', message: 'Cancelled. Nothing was stored.' })
    expect((await api.get('/towns/')).data()).toEqual([])
  })

  test('tells all that its chunks have done before that', async () => {
    await api.post('/towns/', { name: 'Moss' })
    const id = await ask(true, 'name,gone\nOslo,\nMoss,yes\nHamar,\nBergen,\n')
    await cancelAtRow(id, 2)
    const message = 'Cancelled. The first 2 rows were imported before that (1 created, 0 updated, 1 deleted).'
    expect(await shown(id)).toMatchObject({ state: 'cancelled', message })
  })
})
