import { currentDb, insertMany } from 'viewset'
import { beforeEach, expect } from 'vitest'
import type { ImportData } from '../../src/viewset/files/import-reply.ts'
import type { JobData } from '../../src/viewset/jobs/job-data.ts'
import { type ApiOptions, type TestApi, type TestResponse, useApi } from './api.ts'
import type { TestDialect } from './dialects.ts'
import { ManualQueue } from './manual-queue.ts'
import { MemoryJobFiles } from './memory-job-files.ts'
import { type MortalDialect, mortalDialect } from './mortal-dialect.ts'
import { type ImportFormOptions, importForm } from './multipart.ts'
import { type UndoTables, undoModels } from './undo-models.ts'

const HEADER = 'iso,title,code,name,people,labels,gone'

interface AskOptions extends ImportFormOptions {
  readonly resource?: string
  readonly as?: string
  readonly query?: string
}

/** An API with imports that can be undone, whose process can be killed. */
export class UndoWorld {
  readonly tables: UndoTables
  readonly files = new MemoryJobFiles()
  readonly #queue = new ManualQueue()
  readonly api: TestApi
  readonly #mortal: MortalDialect

  constructor(
    dialect: TestDialect,
    resourcesOf: (tables: UndoTables) => ApiOptions['resources'],
    options: Pick<ApiOptions, 'settings'> = {},
  ) {
    this.tables = undoModels(dialect.kit)
    this.#mortal = mortalDialect(dialect)
    this.api = useApi(this.#mortal.dialect, {
      ...options,
      tables: this.tables,
      users: { ann: { id: 'ann' }, ben: { id: 'ben' }, root: { id: 'root', roles: ['admin'] } },
      resources: resourcesOf(this.tables),
      jobs: {
        tables: this.tables,
        files: this.files,
        queue: this.#queue,
        adminPermissionClasses: [view => view.user?.id === 'root'],
      },
    })
    beforeEach(() => this.seed())
  }

  async seed(): Promise<void> {
    await this.api.database.use(() => insertMany(this.tables.labels, [{ text: 'port' }, { text: 'old' }]))
  }

  send(rows: readonly string[], { resource = 'towns', as = 'ann', query = '', ...options }: AskOptions = {}) {
    const form = importForm([HEADER, ...rows, ''].join('\n'), options)
    return this.api.request('POST', `/${resource}/import-from-file/${query}`, { ...form, as })
  }

  /** Imports rows and returns the job. */
  async imported(rows: readonly string[], options: AskOptions = {}): Promise<string> {
    const response = await this.send(rows, options)
    expect(response.data<ImportData>().errors, response.text).toEqual([])
    return response.data<{ job: string }>().job
  }

  ask(
    job: string,
    { query = '', as = 'ann', body }: AskOptions & { readonly body?: unknown } = {},
  ): Promise<TestResponse> {
    return this.api.post(`/jobs/${job}/undo/${query}`, body, { as })
  }

  async undo(job: string, options: AskOptions & { readonly body?: unknown } = {}): Promise<JobData> {
    const accepted = await this.ask(job, options)
    expect(accepted.status, accepted.text).toBe(202)
    const { id } = accepted.data<JobData>()
    await this.run(id)
    return this.job(id, options.as)
  }

  run(id: string): Promise<void> {
    return this.#queue.run(id)
  }

  /** Runs a job in a process that is killed at a step. Returns whether it was still running. */
  async runUntil(id: string, step: number): Promise<boolean> {
    const { driver } = this.#mortal
    driver.rebear(step)
    await this.#queue.run(id).catch(() => {})
    const wasKilled = driver.isDead
    driver.rebear()
    return wasKilled
  }

  async job(id: string, as = 'ann'): Promise<JobData> {
    return (await this.api.get(`/jobs/${id}/`, { as })).data<JobData>()
  }

  /** All that an undo must bring back. */
  async stored() {
    const { countries, labels, towns, townLabels } = this.tables
    return this.#mortal.alive.use(async () => {
      const all = currentDb()
      const linked = await all.select().from(townLabels)
      const stored = await all.select().from(towns)
      const texts = new Map((await all.select().from(labels)).map(({ id, text }) => [id, text]))
      const labelsOf = (id: number) =>
        linked
          .filter(link => link.town === id)
          .map(({ label }) => texts.get(label))
          .toSorted()
      return {
        countries: (await all.select().from(countries)).toSorted((a, b) => a.id - b.id),
        towns: stored
          .map(({ version: _, ...town }) => ({ ...town, labels: labelsOf(town.id) }))
          .toSorted((a, b) => a.id - b.id),
      }
    })
  }
}
