import { AllowAny, BaseModelSerializer, ReadOnlyViewSet } from 'viewset'
import { type JobQueue, pgBossQueue } from 'viewset/jobs'
import { afterAll, expect, test } from 'vitest'
import { useApi } from '../support/api.ts'
import { describeDialects } from '../support/dialects.ts'
import { ManualQueue } from '../support/manual-queue.ts'
import { MemoryJobFiles } from '../support/memory-job-files.ts'

/** A queue that is away when it is tried first. */
class LateQueue extends ManualQueue {
  tries = 0
  readonly there = Promise.withResolvers<void>()

  override async work(...args: Parameters<JobQueue['work']>): Promise<() => Promise<void>> {
    if (++this.tries === 1) throw new Error('The queue is away.')
    this.there.resolve()
    return super.work(...args)
  }
}

describeDialects('an API whose queue is away when it starts', dialect => {
  const { jobs, jobErrors } = dialect.kit.JobTables()
  const notes = dialect.kit.table('notes', { ...dialect.kit.BaseModelMixin(), text: dialect.kit.text(10) })
  const resources = {
    notes: ReadOnlyViewSet({
      model: notes,
      serializer: BaseModelSerializer(notes, { fields: ['id'] }),
      permissionClasses: [AllowAny],
      exportPermissionClasses: [AllowAny],
    }),
  }
  const tables = { notes, jobs, jobErrors }
  const options = { tables: { jobs, jobErrors }, files: new MemoryJobFiles() }
  const late = new LateQueue()
  const api = useApi(dialect, {
    tables,
    resources,
    settings: { JOBS: { ANONYMOUS: true } },
    jobs: { ...options, queue: late },
  })
  const nowhere = useApi(dialect, {
    tables,
    resources,
    settings: { JOBS: { ANONYMOUS: true } },
    jobs: { ...options, queue: pgBossQueue('postgres://127.0.0.1:1/nowhere') },
  })
  afterAll(() => expect(late.tries).toBe(2))

  test('answers, and works on it once it is there', async () => {
    expect((await api.get('/notes/')).status).toBe(200)
    await late.there.promise
  })

  test('stores jobs, which wait for it, and stops', async () => {
    expect((await nowhere.get('/notes/')).status).toBe(200)
    const accepted = await nowhere.post('/notes/export/?background=true', { file_type: 'csv', includes: ['id'] })
    expect([accepted.status, accepted.data<{ state: string }>().state]).toEqual([202, 'queued'])
    await nowhere.stop()
  })
})
