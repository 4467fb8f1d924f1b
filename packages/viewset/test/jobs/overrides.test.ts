import { buffer } from 'node:stream/consumers'
import {
  AllowAny,
  BaseModelSerializer,
  BulkImportableViewSet,
  type ColumnKit,
  importModel,
  ValidationError,
} from 'viewset'
import { expect, test } from 'vitest'
import type { JobData } from '../../src/viewset/jobs/job-data.ts'
import { useApi } from '../support/api.ts'
import { describeOneDialect } from '../support/dialects.ts'
import { expectError } from '../support/expect.ts'
import { ManualQueue } from '../support/manual-queue.ts'
import { MemoryJobFiles } from '../support/memory-job-files.ts'
import { importForm } from '../support/multipart.ts'

const models = (c: ColumnKit) => ({
  towns: c.table('towns', { ...c.BaseModelMixin(), name: c.text(30).notNull().unique() }),
  ...c.JobTables(),
})

describeOneDialect('an overridden importFile', dialect => {
  const tables = models(dialect.kit)
  const { towns, jobs, jobErrors } = tables
  const queue = new ManualQueue()
  const TownViewSet = (importBackgroundFrom: number) =>
    BulkImportableViewSet({
      model: towns,
      serializer: BaseModelSerializer(towns, { fields: ['id', 'name'] }),
      permissionClasses: [AllowAny],
      importBackgroundFrom,
      importFileConfig: {
        fileFormat: 'csv',
        order: ['towns'],
        models: { towns: importModel({ model: towns, fields: ['name'], uniqueFields: ['name'] }) },
      },
    })
  class Refusing extends TownViewSet(1_000) {
    override async importFile(): Promise<never> {
      throw new ValidationError('Not on Sundays.')
    }
  }
  class Told extends TownViewSet(1_000) {
    override async importFile() {
      const reply = await super.importFile()
      return reply.with({ message: 'state' in reply.data ? 'We are at it.' : 'Done.' })
    }
  }
  class OwnFormat extends TownViewSet(1) {
    override async importFile(): Promise<never> {
      const { bodyStream } = this.request
      const { length } = bodyStream ? await buffer(bodyStream) : ''
      throw new ValidationError(`${length} bytes were read.`)
    }
  }
  const api = useApi(dialect, {
    tables,
    resources: { refusing: Refusing, told: Told, 'own-format': OwnFormat },
    settings: { JOBS: { ANONYMOUS: true } },
    jobs: { tables: { jobs, jobErrors }, queue, files: new MemoryJobFiles() },
  })

  const SMALL = 'name\nOslo\n'
  const LARGE = `name\nBergen\n${'\n'.repeat(1_000)}`

  test.each([
    ['in the foreground', '', SMALL],
    ['in the background', '?background=true', SMALL],
    ['of a file for the background', '', LARGE],
  ])('that refuses an import refuses it %s as well', async (_where, query, csv) => {
    const refused = await api.request('POST', `/refusing/import-from-file/${query}`, importForm(csv))
    expectError(refused, 400, 'Not on Sundays.', { non_field_errors: ['Not on Sundays.'] })
    expect(await api.rows('viewset_jobs')).toEqual([])
  })

  test('gets the job that its super has asked for, and may say more', async () => {
    const done = await api.request('POST', '/told/import-from-file/', importForm(SMALL))
    expect(done.status).toBe(201)
    expect(done.envelope().message).toBe('Done.')
    const asked = await api.request('POST', '/told/import-from-file/', importForm(LARGE))
    expect(asked.status).toBe(202)
    expect(asked.envelope().message).toBe('We are at it.')
    const { id } = asked.data<JobData>()
    await queue.run(id)
    expect((await api.get(`/jobs/${id}/`)).data<JobData>()).toMatchObject({
      state: 'succeeded',
      progress: { created: 1 },
    })
  })

  test('reads the body in a way of its own, which nobody has read before', async () => {
    const form = importForm(SMALL)
    const answer = await api.request('POST', '/own-format/import-from-file/?background=true', form)
    const message = `${form.payload.length} bytes were read.`
    expectError(answer, 400, message, { non_field_errors: [message] })
  })
})
