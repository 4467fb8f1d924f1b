import { AllowAny, BaseModelSerializer, BaseViewSet, type ColumnKit } from 'viewset'
import { expect, test } from 'vitest'
import type { JobData } from '../../src/viewset/jobs/job-data.ts'
import { useApi } from '../support/api.ts'
import { describeDialects } from '../support/dialects.ts'
import { expectError } from '../support/expect.ts'
import { ManualQueue } from '../support/manual-queue.ts'
import { MemoryJobFiles } from '../support/memory-job-files.ts'

const models = (c: ColumnKit) => ({
  towns: c.table('towns', { ...c.BaseModelMixin(), name: c.text(30).notNull() }),
  ...c.JobTables(),
})

describeDialects('background work', dialect => {
  const tables = models(dialect.kit)
  const { towns, jobs, jobErrors } = tables
  const queue = new ManualQueue()
  const files = new MemoryJobFiles()
  const users = { ann: { id: 'ann' }, bob: { id: 'bob' }, eve: { id: 'eve' } }
  const resources = {
    towns: BaseViewSet({
      model: towns,
      serializer: BaseModelSerializer(towns, { fields: ['id', 'name'] }),
      permissionClasses: [AllowAny],
    }),
  }
  const api = useApi(dialect, {
    tables,
    users,
    resources,
    settings: { JOBS: { UNFINISHED_PER_USER: 2, UNFINISHED_TOTAL: 3 } },
    jobs: { tables: { jobs, jobErrors }, queue, files },
  })

  const body = { file_type: 'csv', data: [{ name: 'Oslo' }] }
  const ask = (as?: string) => api.post('/towns/export/?background=true', body, as === undefined ? {} : { as })
  const kept = async () => {
    let count = 0
    for await (const _ of files.list()) count++
    return count
  }

  test('without a user is a 401, unless ANONYMOUS allows it', async () => {
    expectError(await ask(), 401, 'Only a signed-in user can ask for background work. Sign in first.')
    expect((await api.post('/towns/export/', body)).status).toBe(200)
  })

  test('has a place for so many unfinished jobs of a user, also if they are asked for together', async () => {
    const before = await kept()
    const answers = await Promise.all(Array.from({ length: 6 }, () => ask('ann')))
    const statuses = answers.map(({ status }) => status).sort()
    expect(statuses).toEqual([202, 202, 429, 429, 429, 429])
    // Nothing of what was refused lies anywhere.
    expect((await kept()) - before).toBe(2)
    const refused = await ask('ann')
    expectError(refused, 429, 'You have 2 jobs that have not ended. Try again when one has.')
    expect(refused.headers['retry-after']).toBe('10')
    const job = answers.find(({ status }) => status === 202)!.data<JobData>()
    await queue.run(job.id)
    expect((await ask('ann')).status).toBe(202)
  })

  test('has a place for so many unfinished jobs in total', async () => {
    for (const name of ['ann', 'ann', 'bob']) expect((await ask(name)).status).toBe(202)
    expectError(await ask('eve'), 429, 'The server has too many jobs that have not ended. Try again later.')
    expectError(await ask('ann'), 429, 'You have 2 jobs that have not ended. Try again when one has.')
  })

  test('that is refused becomes possible when a job is cancelled', async () => {
    const { id } = (await ask('bob')).data<JobData>()
    await ask('bob')
    expect((await ask('bob')).status).toBe(429)
    await api.post(`/jobs/${id}/cancel/`, undefined, { as: 'bob' })
    expect((await ask('bob')).status).toBe(202)
  })
})
