import { Readable } from 'node:stream'
import { text as textOf } from 'node:stream/consumers'
import { type ColumnKit, currentDb } from 'viewset'
import type { StoredJobFile } from 'viewset/jobs'
import { expect, test, vi } from 'vitest'
import { Wordings } from '../../src/core/messages/wording.ts'
import { DEFAULT_SETTINGS } from '../../src/core/settings.ts'
import { uuidv7 } from '../../src/core/uuid.ts'
import { JobStore, type NewJob } from '../../src/jobs/job-store.ts'
import { Jobs } from '../../src/jobs/jobs.ts'
import { useApi } from '../support/api.ts'
import { describeDialects } from '../support/dialects.ts'
import { ManualQueue } from '../support/manual-queue.ts'
import { MemoryJobFiles } from '../support/memory-job-files.ts'

const A_DAY = 86_400_000

/** Files that have been there for a day. */
class OldJobFiles extends MemoryJobFiles {
  looks = 0

  override async *list(): AsyncGenerator<StoredJobFile> {
    this.looks++
    for await (const { key } of super.list()) yield { key, storedAt: new Date(Date.now() - A_DAY) }
  }

  async keys(): Promise<string[]> {
    const found = []
    for await (const { key } of this.list()) if (key !== 'database') found.push(key)
    return found
  }
}

describeDialects('the sweep of jobs', dialect => {
  const tables = dialect.kit.JobTables() as ReturnType<ColumnKit['JobTables']>
  const api = useApi(dialect, { tables, resources: {} })

  const setup = (...stored: Partial<NewJob>[]) => setupWith(null, ...stored)
  const setupWith = async (historyRetention: number | null, ...stored: Partial<NewJob>[]) => {
    const files = new OldJobFiles()
    const queue = new ManualQueue()
    const store = new JobStore(api.database, tables)
    const jobs = new Jobs({
      store,
      files,
      queue,
      keptHeaders: [],
      keepsUsers: true,
      settings: { ...DEFAULT_SETTINGS, HISTORY: { RETENTION: historyRetention } },
      work: () => Promise.reject(),
      wordings: new Wordings(),
    })
    for (const job of stored) {
      await store.insert({ ...JOB, ...job })
      for (const part of ['upload', 'result']) await files.put(`${job.id}/${part}`, Readable.from([]))
    }
    return { jobs, files, queue }
  }

  test('keeps an old job that can be undone, as long as its history, and removes its files', async () => {
    const old = { state: 'succeeded' as const, endedAt: '2020-01-01T00:00:00.000000Z', hasHistory: true }
    for (const [retention, kept] of [
      [null, 1],
      [A_DAY, 0],
    ] as const) {
      await api.clear()
      const id = uuidv7()
      const { jobs, files } = await setupWith(retention, { ...old, id })
      await jobs.sweep()
      expect(await api.rows('viewset_jobs')).toHaveLength(kept)
      expect(await files.keys()).toEqual([])
    }
  })

  test('removes the files of jobs that are no more, and of a shared store nothing else', async () => {
    const id = uuidv7()
    const { jobs, files } = await setup({ id })
    const others = ['backup', 'notes/txt', 'backups/2026-11-22', `${uuidv7()}/holiday`, `${uuidv7()}/upload/txt`]
    for (const key of [`${uuidv7()}/upload`, `${uuidv7()}/result`, ...others]) await files.put(key, Readable.from([]))
    await jobs.sweep()
    expect(await files.keys()).toEqual([`${id}/upload`, `${id}/result`, ...others])
  })

  test('removes jobs that ended long ago with their files, what was sent for any that ended, and hands out those that wait', async () => {
    const [long, lately, waiting] = [uuidv7(), uuidv7(), uuidv7()]
    const endedAt = (days: number) => new Date(Date.now() - days * A_DAY).toISOString()
    const { jobs, files, queue } = await setup(
      { id: long, state: 'succeeded', endedAt: endedAt(8) },
      { id: lately, state: 'failed', endedAt: endedAt(6) },
      { id: waiting },
    )
    await jobs.sweep()
    expect([...(await jobs.store.statesOf([long, lately, waiting])).keys()].toSorted()).toEqual(
      [lately, waiting].toSorted(),
    )
    expect(await files.keys()).toEqual([`${lately}/result`, `${waiting}/upload`, `${waiting}/result`])
    expect(queue.enqueued).toEqual([waiting])
  })

  test('gives a queue and a store of files the database', async () => {
    const { jobs, files, queue } = await setup({ id: uuidv7() })
    const found: string[] = []
    const count = async (by: string) => found.push(`${by} ${(await currentDb().select().from(tables.jobs)).length}`)
    queue.enqueue = async () => void (await count('queue'))
    files.remove = async () => void (await count('files'))
    await files.put(`${uuidv7()}/upload`, Readable.from([]))
    await jobs.sweep()
    expect(found).toEqual(['queue 1', 'files 1'])
  })

  test('leaves the files of another database in a store that both use, and says so once', async () => {
    const { files, jobs } = await setup({ id: uuidv7() })
    const ofOthers = `${uuidv7()}/result`
    await files.put(ofOthers, Readable.from([]))
    await files.put('database', Readable.from([Buffer.from('/srv/shop/production.db')]))
    const warn = vi.spyOn(console, 'warn').mockReturnValue()
    await jobs.sweep()
    expect(await files.keys()).toContain(ofOthers)
    expect(warn.mock.calls).toEqual([[expect.stringContaining('The files of jobs are those of another database')]])
    expect(await textOf(await files.get('database'))).toBe('/srv/shop/production.db')
    warn.mockRestore()
  })

  test('of a database that knows none of the files removes nothing, and does not make the store its own', async () => {
    const { files, jobs } = await setup()
    const ofOthers = `${uuidv7()}/result`
    await files.put(ofOthers, Readable.from([]))
    await jobs.sweep()
    expect(await files.keys()).toEqual([ofOthers])
    await expect(files.get('database')).rejects.toThrow('no file')
  })

  test('looks at the files now and then only: there may be many', async () => {
    const { jobs, files } = await setup({ id: uuidv7() })
    await jobs.sweep()
    const { looks } = files
    await jobs.sweep()
    expect(files.looks).toBe(looks)
  })
})

const JOB: NewJob = {
  resource: 'towns',
  kind: 'import',
  request: { method: 'POST', origin: '', url: '/', params: {}, query: {}, headers: {}, omittedHeaders: [] },
  options: {},
  progress: {
    processed: 0,
    total: null,
    failed: 0,
    created: 0,
    updated: 0,
    unchanged: 0,
    skipped: 0,
    deleted: 0,
  },
}
