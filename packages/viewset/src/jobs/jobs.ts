import { AsyncLocalStorage } from 'node:async_hooks'
import { type ErrorLog, reportError, runInContext, stderrLog } from '../core/context.ts'
import { Conflict, NON_FIELD_ERRORS, NotFound, TooManyRequests } from '../core/errors.ts'
import { inLanguage, message, type Text } from '../core/messages/message.ts'
import type { Wordings } from '../core/messages/wording.ts'
import type { ApiSettings } from '../core/settings.ts'
import type { JobProgress } from '../model/tables/job-columns.ts'
import { onCommit } from '../store/connection/transaction.ts'
import { failureOf } from '../store/faults.ts'
import { type JobFiles, jobFileKey, jobOfFile } from './files/job-files.ts'
import { giveFilesTo, ownerOfFiles } from './files/owner-of-files.ts'
import { endedEarly, JobRunner } from './job-runner.ts'
import { hasEnded, type Job, type JobStore, type NewJob } from './job-store.ts'
import type { JobWork } from './job-work.ts'
import { type JobQueue, QueueWorker } from './queues/job-queue.ts'

const SWEEP = 30_000
/** Age in ms from which a file without a job is an orphan: a new job may not be stored yet. */
const ORPHANED = 3_600_000
/** Files whose jobs are looked up at once. */
const PAGE = 500

interface OldFile {
  readonly key: string
  readonly id: string
  readonly isUpload: boolean
}

interface JobsParts {
  readonly store: JobStore
  readonly files: JobFiles
  readonly queue: JobQueue
  readonly work: JobWork
  readonly keptHeaders: readonly string[]
  readonly keepsUsers: boolean
  readonly settings: ApiSettings
  readonly wordings: Wordings
}

/** The jobs of an API: adds, cancels, runs and observes them. */
export class Jobs {
  /** @internal */
  readonly store: JobStore
  /** @internal */
  readonly files: JobFiles
  /** @internal */
  readonly keptHeaders: readonly string[]
  /** @internal */
  readonly keepsUsers: boolean
  readonly #queue: JobQueue
  readonly #work: JobWork
  readonly #wordings: Wordings
  readonly #settings: ApiSettings
  readonly #places: JobPlaces
  /** What runs for all users must not run in the context of one request. */
  readonly #withoutRequest = AsyncLocalStorage.snapshot()
  readonly #listeners = new Map<string, Set<() => void>>()
  #log: ErrorLog = stderrLog
  #filesSweptAt = 0
  #hasWarned = false
  #ownsFiles = false
  #runner: JobRunner | undefined
  #stop: (() => Promise<void>) | undefined

  /** @internal */
  constructor(parts: JobsParts) {
    const { store, files, queue, work, settings, wordings, keptHeaders, keepsUsers } = parts
    this.store = store
    this.files = files
    this.keptHeaders = keptHeaders
    this.keepsUsers = keepsUsers
    this.#queue = queue
    this.#work = work
    this.#wordings = wordings
    this.#settings = settings
    const { UNFINISHED_PER_USER: perUser, UNFINISHED_TOTAL: total } = settings.JOBS
    this.#places = new JobPlaces(store, { perUser, total })
  }

  /** Runs code of the API that belongs to no request, such as a timer's: with its database and its settings. */
  outsideOfRequests<T>(fn: () => T): T {
    const session = { database: this.store.database, transaction: null }
    const context = { session, settings: this.#settings, log: this.#log }
    return this.#withoutRequest(() => runInContext(context, fn))
  }

  /**
   * @internal Stores a job, after `keep` has stored its file; a worker begins once it is committed.
   *
   * @throws TooManyRequests
   */
  async add({ id, owner = null, ...job }: NewJob & { readonly id: string }, keep?: () => Promise<void>): Promise<Job> {
    return this.#places.take({ id, owner }, async () => {
      await keep?.()
      const stored = await this.store.insert({ id, owner, ...job })
      onCommit(() => this.#enqueue(stored))
      return stored
    })
  }

  /**
   * Ends a waiting job, or stops a running one, which is rolled back to its last chunk.
   *
   * @throws NotFound; Conflict for one that has ended
   */
  async cancel(id: string): Promise<Job> {
    const before = await this.store.find(id)
    if (!before) throw new NotFound()
    if (hasEnded(before)) throw conflict(message('job_has_ended'))
    // Before storing: in a database with one writer, the job itself may hold the lock.
    this.#runner?.cancel(id)
    const job = await this.store.cancel(id, waiting => {
      const { language } = this.#wordings.of(waiting.request.language)
      return inLanguage(language, () => endedEarly(message('job.cancelled'), waiting))
    })
    onCommit(() => this.#removeUpload(id))
    this.#notify(id)
    return job ?? before
  }

  /** The unstored progress of a job that this process runs. */
  shownOf({ id, state }: Pick<Job, 'id' | 'state'>): Partial<JobProgress> {
    return (state === 'running' && this.#runner?.shownOf(id)) || {}
  }

  /** Calls `listener` when this process changes a job. Returns a function that ends this. */
  listen(id: string, listener: () => void): () => void {
    const listeners = this.#listeners.get(id) ?? new Set()
    this.#listeners.set(id, listeners.add(listener))
    return () => {
      listeners.delete(listener)
      if (listeners.size === 0) this.#listeners.delete(id)
    }
  }

  /** Starts running jobs in this process, including abandoned ones. `log` gets errors. */
  async start(log: ErrorLog): Promise<void> {
    if (this.#stop) return
    this.#log = log
    const runner = new JobRunner({
      store: this.store,
      work: this.#work,
      log,
      wordings: this.#wordings,
      changed: id => this.#notify(id),
    })
    this.#runner = runner
    const work = (id: string, signal: AbortSignal) =>
      this.outsideOfRequests(async () => {
        await runner.run(id, signal)
        await this.#removeUpload(id)
      })
    const worker = this.outsideOfRequests(() => new QueueWorker(this.#queue, work, log))
    const sweep = () => this.sweep().catch(error => this.#reportSweep(error))
    const timer = setInterval(sweep, SWEEP).unref()
    this.#stop = async () => {
      clearInterval(timer)
      await worker.stop()
    }
    await worker.tried
    await sweep()
  }

  /** Stops the jobs of this process, so that others can continue them; resolves when none is running. */
  async stop(): Promise<void> {
    await this.#stop?.()
  }

  /** Hands out unassigned jobs and removes expired data. */
  sweep(): Promise<void> {
    return this.outsideOfRequests(async () => {
      for (const job of await this.store.waiting()) await this.#enqueue(job)
      const isDue = Date.now() > this.#filesSweptAt + ORPHANED
      // Before jobs are removed, by which the API knows its files.
      if (isDue) this.#ownsFiles = await this.#claimFiles()
      const hasRemoved = await this.store.removeEndedBefore(this.#expired, this.#expiredWithHistory)
      if (hasRemoved || isDue) await this.#sweepFiles()
    })
  }

  /** Jobs that ended before have expired. */
  get #expired(): string {
    return new Date(Date.now() - this.#settings.JOBS.RETENTION).toISOString()
  }

  /** Jobs with a history that ended before can no longer be undone; `null` if they always can. */
  get #expiredWithHistory(): string | null {
    const { JOBS, HISTORY } = this.#settings
    if (HISTORY.RETENTION === null) return null
    return new Date(Date.now() - Math.max(JOBS.RETENTION, HISTORY.RETENTION)).toISOString()
  }

  async #sweepFiles(): Promise<void> {
    this.#filesSweptAt = Date.now()
    for await (const page of this.#oldFiles()) {
      const states = await this.#statesOf(page)
      for (const { key, id, isUpload } of page) {
        const job = states.get(id)
        if (job ? this.#isUnneeded(job, isUpload) : this.#ownsFiles) await this.files.remove(key)
      }
    }
  }

  /** Whether files without a job are this API's. A store without an owner belongs to the first API that knows some. */
  async #claimFiles(): Promise<boolean> {
    const own = await this.store.databaseName()
    const owner = await ownerOfFiles(this.files)
    if (owner !== undefined) {
      if (owner !== own) this.#warnOfFiles()
      return owner === own
    }
    for await (const page of this.#oldFiles()) {
      if ((await this.#statesOf(page)).size === 0) continue
      await giveFilesTo(this.files, own)
      return true
    }
    return false
  }

  /** In pages. */
  async *#oldFiles(): AsyncGenerator<readonly OldFile[]> {
    let page: OldFile[] = []
    for await (const { key, storedAt } of this.files.list()) {
      const job = jobOfFile(key)
      if (job && storedAt.getTime() < Date.now() - ORPHANED) page.push({ key, ...job })
      if (page.length < PAGE) continue
      yield page
      page = []
    }
    if (page.length > 0) yield page
  }

  #statesOf(files: readonly OldFile[]) {
    return this.store.statesOf([...new Set(files.map(({ id }) => id))])
  }

  /** Whether a file is the upload of an ended job, or the result of an expired one. */
  #isUnneeded(job: Pick<Job, 'state' | 'endedAt'>, isUpload: boolean): boolean {
    return (job.endedAt !== null && job.endedAt < this.#expired) || (isUpload && hasEnded(job))
  }

  /** Tests and a server may share a folder: each would take the other's files for files without a job. */
  #warnOfFiles(): void {
    if (this.#hasWarned) return
    this.#hasWarned = true
    this.#log.logWarning(
      'The files of jobs are those of another database, so files without a job are not removed. Give this API a folder' +
        ' of its own (jobs.files). If the database was moved, remove the file "database" among them.',
    )
  }

  async #removeUpload(id: string): Promise<void> {
    try {
      const job = await this.store.find(id)
      if (job && hasEnded(job)) await this.files.remove(jobFileKey(id, 'upload'))
    } catch (error) {
      // The sweep tries again.
      reportError(error, `the file of the job ${id} could not be removed yet`, this.#log)
    }
  }

  #reportSweep(error: unknown): void {
    reportError(error, failureOf(this.store.database.dialect, error, 'the sweep of jobs failed'), this.#log)
  }

  async #enqueue({ id, owner }: Pick<Job, 'id' | 'owner'>): Promise<void> {
    try {
      await this.#queue.enqueue(id, owner)
    } catch (error) {
      // The sweep finds it.
      reportError(error, `the job ${id} could not be handed to a worker yet`, this.#log)
    }
  }

  #notify(id: string): void {
    for (const listener of this.#listeners.get(id) ?? []) listener()
  }
}

export function conflict(text: Text): Conflict {
  return new Conflict({ [NON_FIELD_ERRORS]: [text] })
}

interface JobLimits {
  readonly perUser: number
  readonly total: number
}

type AskedPlace = Pick<Job, 'id' | 'owner'>

/** Seconds after which a short job has probably ended. */
const RETRY_AFTER = 10

/**
 * Limits the number of jobs. Jobs that are just being stored count too, so that concurrent requests of this process
 * cannot exceed the limit.
 */
class JobPlaces {
  readonly #store: JobStore
  readonly #limits: JobLimits
  readonly #beingStored = new Set<AskedPlace>()

  constructor(store: JobStore, limits: JobLimits) {
    this.#store = store
    this.#limits = limits
  }

  async take<T>(asked: AskedPlace, store: () => Promise<T>): Promise<T> {
    const before = [...this.#beingStored]
    this.#beingStored.add(asked)
    try {
      await this.#check(asked, before)
      return await store()
    } finally {
      this.#beingStored.delete(asked)
    }
  }

  async #check({ owner }: AskedPlace, before: readonly AskedPlace[]): Promise<void> {
    const { perUser, total } = this.#limits
    const stored = await this.#store.unfinished(total)
    const owners = new Map([...before, ...stored].map(job => [job.id, job.owner]))
    const mine = [...owners.values()].filter(other => other === owner).length
    if (mine >= perUser) {
      throw new TooManyRequests(message('too_many_requests.jobs', { jobs: mine }), RETRY_AFTER)
    }
    if (owners.size >= total) {
      throw new TooManyRequests(message('too_many_requests'), RETRY_AFTER)
    }
  }
}
