import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync } from 'node:fs'
import { readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { folder } from 'viewset/jobs'
import { postgres } from 'viewset/pg'
import { sqlite } from 'viewset/sqlite'
import { afterAll, expect, test } from 'vitest'
import type { JobData } from '../../src/viewset/jobs/job-data.ts'
import { useApi } from '../support/api.ts'
import { describeDialects, type TestDialect } from '../support/dialects.ts'
import { ManualQueue } from '../support/manual-queue.ts'
import { millionTowns } from '../support/million-towns.ts'
import { importForm } from '../support/multipart.ts'

const PROGRAM = join(import.meta.dirname, '../support/worker-process.ts')
const ROWS = 1_000_000
/** Milliseconds. */
const LIFE = 2_500
/** Megabytes that a worker has at its most, however many rows there were before it: half of it is what it has loaded. */
const MEMORY = 600

describeDialects('an import of a million rows', dialect => {
  const { tables, resources, jobTables } = millionTowns(dialect.kit)
  const path = mkdtempSync(join(tmpdir(), 'viewset-test-'))
  afterAll(() => rm(path, { recursive: true }))
  let url = ''
  const located: TestDialect = {
    name: dialect.name,
    kit: dialect.kit,
    get server() {
      return dialect.server
    },
    open(address) {
      url = address
      return dialect.name === 'pg' ? postgres(url) : sqlite(url)
    },
  }
  const api = useApi(located, {
    tables,
    resources,
    settings: { JOBS: { ANONYMOUS: true } },
    jobs: { tables: jobTables, queue: new ManualQueue(), files: folder(path), work: false },
  })

  test('whose worker gets SIGKILL again and again stores each row once, in little memory', async () => {
    const lines = Array.from({ length: ROWS }, (_, i) => `Town ${i},${i % 100_000}`)
    const form = importForm(['name,people', ...lines].join('\n'))
    const accepted = await api.request('POST', '/towns/import-from-file/?background=true', form)
    const { id } = accepted.data<JobData>()
    const job = async () => (await api.get(`/jobs/${id}/`)).data<JobData>()
    const peaks: number[] = []
    const begun = performance.now()
    while ((await job()).ended_at === null) {
      const { processed } = (await job()).progress
      const worker = fork(PROGRAM, [dialect.name, url, path], { execArgv: ['--conditions=viewset-source'] })
      const [said] = await Promise.race([once(worker, 'message'), once(worker, 'exit')])
      if (said !== 'ready') throw new Error('A worker did not start: see the message above.')
      await sleep(LIFE)
      // One that never gets any further is given up in the end, and on a machine that has much to do it may be slow.
      while ((await job()).progress.processed === processed && (await job()).ended_at === null) await sleep(100)
      peaks.push(await peakOf(worker))
      const ended = once(worker, 'exit')
      worker.kill('SIGKILL')
      await ended
    }
    const seconds = Math.round((performance.now() - begun) / 1000)
    console.log(`${dialect.name}: ${ROWS} rows, ${peaks.length} kills, ${seconds} s, MB at most: ${peaks.join(' ')}`)
    const { state, progress } = await job()
    expect(state).toBe('succeeded')
    expect(progress).toMatchObject({ processed: ROWS, total: ROWS, created: ROWS, updated: 0, failed: 0 })
    const { rows } = await api.database.driver.run({ text: 'select count(*), count(distinct name) from towns' }, [])
    expect(rows[0]?.map(Number)).toEqual([ROWS, ROWS])
    expect(peaks.length).toBeGreaterThan(2)
    expect(Math.max(...peaks)).toBeLessThan(MEMORY)
  })
})

/** Megabytes that a process has had at its most. */
async function peakOf({ pid }: ChildProcess): Promise<number> {
  const status = await readFile(`/proc/${pid}/status`, 'utf8')
  return Math.round(Number(/^VmHWM:\s+(\d+)/m.exec(status)?.[1]) / 1024)
}
