import { mkdtempSync } from 'node:fs'
import { rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import fc from 'fast-check'
import type { Database } from 'viewset'
import { folder } from 'viewset/jobs'
import { afterAll, beforeAll, expect } from 'vitest'
import type { JobData } from '../../src/viewset/jobs/job-data.ts'
import { type TestApi, useApi } from './api.ts'
import type { TestDialect } from './dialects.ts'

import type { Geography } from './import-models.ts'

import type { World } from './import-oracle.ts'
import { emptied, fileOf, importAll, plain, rulesOfDatabase, store, stored } from './import-property.ts'
import { scenario } from './import-scenario.ts'
import { JobProcesses } from './job-processes.ts'
import { CONFIGS, killableResources } from './killable-resources.ts'
import { ManualQueue } from './manual-queue.ts'
import { MemoryJobFiles } from './memory-job-files.ts'
import { mortalDialect } from './mortal-dialect.ts'
import type { Moment, MortalDriver } from './mortal-driver.ts'
import { importForm } from './multipart.ts'

const asked = fc
  .tuple(scenario, fc.nat(CONFIGS.length - 1))
  .map(([{ cities, rows, mode }, config]) => ({ cities, rows, mode, config }))
type Asked = typeof asked extends fc.Arbitrary<infer T> ? T : never

/** Where a process ends, as a share of the steps that an undisturbed run takes. */
interface Kill {
  readonly share: number
  readonly moment: Moment
}

const kill: fc.Arbitrary<Kill> = fc.record({
  share: fc.double({ min: 0, max: 1, noNaN: true }),
  moment: fc.constantFrom<Moment>('before', 'after'),
})

/** Imports in the background, by processes that are killed. */
export class KilledImports {
  readonly #api: TestApi
  readonly #queue: ManualQueue
  readonly #driver: () => MortalDriver
  /** The database as nobody kills it. */
  readonly #alive: () => Database
  readonly #tables: Geography
  /** Those that are killed; without them, it is done in this one. */
  readonly #processes: () => JobProcesses | undefined

  constructor(parts: {
    readonly api: TestApi
    readonly queue: ManualQueue
    readonly driver: () => MortalDriver
    readonly alive: () => Database
    readonly tables: Geography
    readonly processes: () => JobProcesses | undefined
  }) {
    this.#api = parts.api
    this.#queue = parts.queue
    this.#driver = parts.driver
    this.#alive = parts.alive
    this.#tables = parts.tables
    this.#processes = parts.processes
  }

  /** Processes that were killed in truth. */
  get kills(): number {
    return this.#processes()?.kills ?? 0
  }

  /** However often its process is killed, a job comes to what it would have come to. */
  async checkKills(numRuns: number): Promise<void> {
    const kills = fc.array(kill, { minLength: 1, maxLength: 3 })
    await this.#check(numRuns, kills, async (asked, points) => {
      const undisturbed = await this.#run(asked)
      const { id, world } = await this.#ask(asked)
      for (const { share, moment } of points) {
        await this.#runUntil(id, Math.max(1, Math.ceil(share * undisturbed.steps)), moment)
        await this.#holdToRows(asked, world, await this.#job(id))
      }
      await this.#queue.run(id)
      expect(withoutPlace(await this.#job(id))).toEqual(withoutPlace(undisturbed.job))
      expect(await this.#stored()).toEqual(undisturbed.stored)
      expect(await this.#file(id)).toEqual(undisturbed.file)
    })
  }

  async #runUntil(id: string, step: number, moment: Moment): Promise<void> {
    const processes = this.#processes()
    if (processes) return processes.run(id, step, moment)
    this.#driver().rebear(step, moment)
    await this.#queue.run(id).catch(() => {})
    this.#driver().rebear()
  }

  /** Whenever it is cancelled, a job says what is stored. */
  async checkCancels(numRuns: number): Promise<void> {
    await this.#check(numRuns, kill, async (asked, { share }) => {
      const { steps } = await this.#run(asked)
      const { id, world } = await this.#ask(asked)
      let cancelled: Promise<unknown> | undefined
      this.#driver().rebear()
      this.#driver().beside(Math.max(1, Math.ceil(share * steps)), () => {
        cancelled = this.#api.post(`/jobs/${id}/cancel/`)
      })
      await this.#queue.run(id).catch(() => {})
      await cancelled
      const job = await this.#ended(id)
      await this.#holdToRows(asked, world, job)
      if (job.state !== 'cancelled') return
      const { processed, created, updated } = job.progress
      const told = `The first ${processed} rows were imported before that (${created} created, ${updated} updated).`
      expect(job.message).toBe(`Cancelled. ${processed === 0 ? 'Nothing was stored.' : told}`)
    })
  }

  async #check<T>(numRuns: number, points: fc.Arbitrary<T>, check: (asked: Asked, points: T) => Promise<void>) {
    await fc.assert(fc.asyncProperty(asked, points, check), { numRuns })
  }

  /** Runs a job without a disturbance. */
  async #run(asked: Asked) {
    const { id, world } = await this.#ask(asked)
    this.#driver().rebear()
    await this.#queue.run(id)
    const { steps } = this.#driver()
    const job = await this.#job(id)
    await this.#holdToRows(asked, world, job)
    return { steps, job, stored: await this.#stored(), file: await this.#file(id) }
  }

  /** Stores what there is before, and asks for the job. */
  async #ask({ cities, rows, config, mode }: Asked): Promise<{ readonly id: string; readonly world: World }> {
    await this.#api.clear()
    const world = await store(this.#alive(), this.#tables, cities)
    const { policies } = CONFIGS[config]!
    const form = importForm(fileOf(rows, policies), { append: mode !== 'replace', dryRun: mode === 'dry run' })
    const accepted = await this.#api.request('POST', `/cities-${config}/import-from-file/?background=true`, form)
    expect(accepted.status).toBe(202)
    return { id: accepted.data<JobData>().id, world }
  }

  /** The database and the report are those of the rows that the report says are done, and of no others. */
  async #holdToRows(
    { rows, mode, config }: Asked,
    before: World,
    { state, progress, errors = [] }: JobData,
  ): Promise<void> {
    const { policies } = CONFIGS[config]!
    const hasEnded = state === 'succeeded' || state === 'failed'
    if (mode === 'append') {
      const { after, outcomes } = importAll(before, rows.slice(0, progress.processed), policies)
      expect(await this.#stored()).toEqual(plain(after))
      expectReport(progress, errors, outcomes)
      if (hasEnded) expect(progress.processed).toBe(rows.length)
      return
    }
    const { after, outcomes } = importAll(mode === 'replace' ? emptied(before) : before, rows, policies)
    // A replace by nothing is refused: it would only delete.
    const isRefused = mode === 'replace' && outcomes.every(outcome => outcome === 'skipped')
    expect(state === 'failed').toBe(isRefused && hasEnded)
    const failed = outcomes.some(outcome => typeof outcome !== 'string')
    const isStored = hasEnded && mode === 'replace' && !failed && !isRefused
    expect(await this.#stored()).toEqual(plain(isStored ? after : before))
    if (!hasEnded || isRefused) return
    const isUndone = mode === 'replace' && failed
    expectReport(progress, errors, outcomes, isUndone)
  }

  async #job(id: string): Promise<JobData> {
    return (await this.#api.get(`/jobs/${id}/`)).data<JobData>()
  }

  /** The rows that failed, or the status that says that there is no such file. */
  async #file(id: string): Promise<string | number> {
    const { status, text } = await this.#api.get(`/jobs/${id}/file/`)
    return status === 200 ? text : status
  }

  async #ended(id: string): Promise<JobData> {
    for (;;) {
      const job = await this.#job(id)
      if (job.ended_at !== null) return job
      await sleep(1)
    }
  }

  #stored() {
    return stored({ database: this.#alive() })
  }
}

function expectReport(
  progress: JobData['progress'],
  errors: NonNullable<JobData['errors']>,
  outcomes: ReturnType<typeof importAll>['outcomes'],
  isUndone = false,
): void {
  const count = (which: string) => (isUndone ? 0 : outcomes.filter(outcome => outcome === which).length)
  expect(progress).toMatchObject({
    processed: outcomes.length,
    failed: outcomes.filter(outcome => typeof outcome !== 'string').length,
    created: count('created'),
    updated: count('updated'),
    unchanged: count('unchanged'),
  })
  expect(new Set(errors.map(({ row, field }) => `${row},${field}`))).toEqual(
    new Set(outcomes.flatMap((outcome, at) => (typeof outcome === 'string' ? [] : outcome.map(f => `${at + 2},${f}`)))),
  )
}

/** What a job has come to, without what tells one run from another. */
function withoutPlace({ id: _, attempts: _attempts, created_at, started_at, ended_at, ...job }: JobData) {
  return { ...job, hasTimes: [created_at, started_at, ended_at].every(time => time !== null) }
}

/**
 * An API for the tests of the surrounding suite whose processes can be killed: `real` ones by SIGKILL, or else this one,
 * whose database hears nothing more of it.
 */
export function useKilledImports(dialect: TestDialect, { real = false } = {}): KilledImports {
  const { tables, resources, jobTables } = killableResources(dialect.kit)
  const queue = new ManualQueue()
  const path = mkdtempSync(join(tmpdir(), 'viewset-test-'))
  const files = real ? folder(path) : new MemoryJobFiles()
  let processes: JobProcesses | undefined
  const mortal = mortalDialect(dialect)
  const api = useApi(mortal.dialect, {
    tables,
    resources,
    settings: { JOBS: { ANONYMOUS: true } },
    jobs: { tables: jobTables, queue, files },
  })
  beforeAll(async () => {
    for (const text of rulesOfDatabase(dialect.name)) await mortal.alive.driver.run({ text }, [])
    if (real) processes = new JobProcesses(dialect.name, mortal.url, path)
  })
  afterAll(async () => {
    await processes?.end()
    await rm(path, { recursive: true })
  })
  return new KilledImports({
    api,
    queue,
    tables,
    driver: () => mortal.driver,
    alive: () => mortal.alive,
    processes: () => processes,
  })
}
