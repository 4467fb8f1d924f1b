import { randomUUID } from 'node:crypto'
import { and, asc, desc, eq, inArray, isNull, lt, or, sql } from 'drizzle-orm'
import { momentOfWrite } from '../core/clock.ts'
import { errorCode } from '../core/messages/message.ts'
import { isRunning, PLACE, START } from '../core/processes.ts'
import type { ImportRowError, ImportRowProblem } from '../importing/result.ts'
import { shownErrors } from '../importing/row-problems.ts'
import { tableInfo } from '../model/model-info.ts'
import type { StoredRowError } from '../model/tables/job-columns.ts'
import type { JobTables } from '../model/tables/job-tables.ts'
import type { Database } from '../store/connection/database.ts'
import { isInTransaction } from '../store/connection/session.ts'
import { currentDb, type DrizzleDatabase } from '../store/connection/transaction.ts'
import { tableName } from '../store/select.ts'

/** A stored job. */
export type Job = JobTables['jobs']['$inferSelect']
export type NewJob = JobTables['jobs']['$inferInsert']
type JobChange = Partial<Omit<Job, 'id' | 'revision'>>

/** Parts that are read at once. */
const PARTS = 20
/** Row errors of a part. A row has fewer. */
const PART = 1_000

/** Characters of a message: lists show it, and an export may have many warnings. */
const LONGEST_MESSAGE = 1_000

/** An import of a file, or an undo of one. */
export interface JobOfFile extends Pick<Job, 'id' | 'kind' | 'state' | 'owner' | 'createdAt' | 'progress'> {
  /** The job that an undo brings back. */
  readonly undone: string | null
}

/** Jobs of one file that are looked at. */
const MOST_OF_FILE = 200

const ENDED = ['succeeded', 'failed', 'cancelled'] as const
const UNFINISHED = ['queued', 'running'] as const

export function hasEnded({ state }: Pick<Job, 'state'>): boolean {
  return ENDED.some(ended => ended === state)
}

/** Another worker has the job now. The old token can store nothing. */
export class JobTaken extends Error {
  override readonly name = 'JobTaken'
}

/**
 * The jobs of an API in its database. A worker claims a job under a token, and every change requires this token: a
 * worker that lost the job can store nothing more.
 */
export class JobStore {
  readonly database: Database
  readonly tables: JobTables
  readonly #nameInMemory = randomUUID()

  constructor(database: Database, tables: JobTables) {
    this.database = database
    this.tables = tables
  }

  /** A name that no other database of jobs has. */
  async databaseName(): Promise<string> {
    const { driver, dialect } = this.database
    const { rows } = await driver.run({ text: dialect.nameOfDatabase }, [tableName(tableInfo(this.tables.jobs))])
    // A database in memory ends with its process.
    return String(rows[0]?.[0] || this.#nameInMemory)
  }

  async insert(job: NewJob): Promise<Job> {
    const [stored] = await this.#run(db => db.insert(this.tables.jobs).values(job).returning())
    return stored as Job
  }

  async find(id: string): Promise<Job | undefined> {
    const { jobs } = this.tables
    const [job] = await this.#run(db => db.select().from(jobs).where(eq(jobs.id, id)))
    return job
  }

  /** The imports of a file and their undos, the newest first. */
  async ofFile(fingerprint: string): Promise<readonly JobOfFile[]> {
    const { jobs } = this.tables
    const { id, kind, state, owner, createdAt, progress } = jobs
    const undone = sql<string | null>`${jobs.options} ->> 'job'`
    return this.#run(db =>
      db
        .select({ id, kind, state, owner, createdAt, progress, undone })
        .from(jobs)
        .where(eq(jobs.fingerprint, fingerprint))
        .orderBy(desc(jobs.createdAt))
        .limit(MOST_OF_FILE),
    )
  }

  async revisionOf(id: string): Promise<number | undefined> {
    const { jobs } = this.tables
    const [found] = await this.#run(db => db.select({ revision: jobs.revision }).from(jobs).where(eq(jobs.id, id)))
    return found?.revision
  }

  /** `undefined` for a job that neither waits nor was abandoned. */
  async claim(id: string, token: string): Promise<Job | undefined> {
    const { jobs } = this.tables
    const job = await this.find(id)
    if (!job || !isFree(job)) return undefined
    const { worker, workerSeenAt, attempts, crashes, startedAt } = job
    const isCrash = worker !== null && hasCrashed(worker, workerSeenAt)
    const now = momentOfWrite()
    return this.#change(
      and(eq(jobs.state, job.state), worker === null ? isNull(jobs.worker) : eq(jobs.worker, worker)),
      {
        id,
        state: 'running',
        worker: token,
        workerSeenAt: now,
        attempts: attempts + 1,
        crashes: isCrash ? crashes + 1 : crashes,
        startedAt: startedAt ?? now,
      },
    )
  }

  /** @throws JobTaken if another worker has the job. */
  async save(id: string, token: string, change: JobChange): Promise<Job> {
    const { jobs } = this.tables
    const job = await this.#change(and(eq(jobs.state, 'running'), eq(jobs.worker, token)), { id, ...change })
    if (!job) throw new JobTaken(`The job ${id} is run by somebody else now.`)
    return job
  }

  /** Signals that a job is still running, without a visible change. */
  async touch(id: string, token: string): Promise<void> {
    const { jobs } = this.tables
    const mine = and(eq(jobs.id, id), eq(jobs.worker, token))
    await this.#run(db => db.update(jobs).set({ workerSeenAt: momentOfWrite() }).where(mine))
  }

  /**
   * Ends a waiting job, or asks the worker of a running one to stop. Returns the resulting job; an ended one is
   * unchanged.
   */
  async cancel(id: string, message: (job: Job) => string): Promise<Job | undefined> {
    const { jobs } = this.tables
    for (;;) {
      const job = await this.find(id)
      if (!job || hasEnded(job)) return job
      const waits = job.state === 'queued'
      if (job.isCancelRequested && !waits) return job
      const change = waits
        ? { state: 'cancelled' as const, message: message(job), endedAt: momentOfWrite() }
        : { isCancelRequested: true }
      const changed = await this.#change(eq(jobs.state, job.state), { id, ...change })
      if (changed) return changed
    }
  }

  async addErrors(job: string, part: number, errors: readonly StoredRowError[]): Promise<void> {
    if (errors.length === 0) return
    await this.#run(db => db.insert(this.tables.jobErrors).values({ job, part, errors }))
  }

  /**
   * Adds the errors of the last rows of a file, in parts. The parts follow those of earlier rows: there are at most as
   * many parts as rows.
   */
  async addErrorsOfRows(job: string, processed: number, errors: readonly StoredRowError[]): Promise<void> {
    const first = processed - Math.ceil(errors.length / PART) + 1
    for (let at = 0; at < errors.length; at += PART) {
      await this.addErrors(job, first + at / PART, errors.slice(at, at + PART))
    }
  }

  /** Errors of rows in their order, in the stored parts. */
  async *errors(job: string): AsyncGenerator<readonly ImportRowError[]> {
    for await (const problems of this.problems(job)) yield shownErrors(problems)
  }

  /** Errors and warnings of rows in their order, in the stored parts. */
  async *problems(job: string): AsyncGenerator<readonly ImportRowProblem[]> {
    const { jobErrors } = this.tables
    for (let after = -1; ; ) {
      const next = and(eq(jobErrors.job, job), sql`${jobErrors.part} > ${after}`)
      const found = await this.#run(db =>
        db.select().from(jobErrors).where(next).orderBy(asc(jobErrors.part)).limit(PARTS),
      )
      // Earlier releases stored no code.
      for (const { errors } of found) yield errors.map(error => ({ ...error, code: error.code ?? errorCode('') }))
      if (found.length < PARTS) return
      after = found.at(-1)?.part ?? after
    }
  }

  async unfinished(most: number): Promise<readonly Pick<Job, 'id' | 'owner'>[]> {
    const { jobs } = this.tables
    const columns = { id: jobs.id, owner: jobs.owner }
    return this.#run(db => db.select(columns).from(jobs).where(inArray(jobs.state, UNFINISHED)).limit(most))
  }

  /** Jobs that need a worker: never handed out, or abandoned. */
  async waiting(): Promise<readonly Pick<Job, 'id' | 'owner'>[]> {
    const { jobs } = this.tables
    const { id, owner, state, worker, workerSeenAt } = jobs
    // Their options may be large.
    const columns = { id, owner, state, worker, workerSeenAt }
    const found = await this.#run(db =>
      db.select(columns).from(jobs).where(inArray(jobs.state, UNFINISHED)).orderBy(asc(jobs.createdAt)),
    )
    return found.filter(isFree)
  }

  /**
   * Returns whether any job ended before the time.
   *
   * @param withHistory the time for jobs that can be undone; `null` for none of them
   */
  async removeEndedBefore(time: string, withHistory: string | null): Promise<boolean> {
    const { jobs } = this.tables
    const undoable = withHistory === null ? undefined : lt(jobs.endedAt, withHistory)
    const expired = or(and(eq(jobs.hasHistory, false), lt(jobs.endedAt, time)), undoable)
    const ended = and(inArray(jobs.state, ENDED), expired)
    const removed = await this.#run(db => db.delete(jobs).where(ended).returning({ id: jobs.id }))
    return removed.length > 0
  }

  async statesOf(ids: readonly string[]): Promise<ReadonlyMap<string, Pick<Job, 'state' | 'endedAt'>>> {
    const { jobs } = this.tables
    const found = await this.#run(db =>
      db
        .select({ id: jobs.id, state: jobs.state, endedAt: jobs.endedAt })
        .from(jobs)
        .where(inArray(jobs.id, [...ids])),
    )
    return new Map(found.map(job => [job.id, job]))
  }

  async #change(
    condition: ReturnType<typeof and>,
    { id, ...change }: JobChange & { readonly id: string },
  ): Promise<Job | undefined> {
    const { jobs } = this.tables
    const [changed] = await this.#run(db =>
      db
        .update(jobs)
        .set({ ...withShortMessage(change), revision: sql`${jobs.revision} + 1` })
        .where(and(eq(jobs.id, id), condition))
        .returning(),
    )
    return changed
  }

  #run<T>(fn: (db: DrizzleDatabase) => PromiseLike<T>): Promise<T> {
    const run = async () => fn(currentDb())
    return isInTransaction(this.database) ? run() : this.database.use(run)
  }
}

function withShortMessage(change: JobChange): JobChange {
  const { message } = change
  if (message === undefined || message.length <= LONGEST_MESSAGE) return change
  return { ...change, message: `${message.slice(0, LONGEST_MESSAGE - 1).toWellFormed()}…` }
}

function isFree({ state, worker, workerSeenAt }: Pick<Job, 'state' | 'worker' | 'workerSeenAt'>): boolean {
  return state === 'queued' || (state === 'running' && (worker === null || isLeft(worker, workerSeenAt)))
}

const live = new Set<string>()

/** If a worker on another machine sends no sign of life for so long, in milliseconds, it counts as ended. */
const LEASE = 60_000

const TOKEN = /^([0-9a-f]{8})-(\d+)-(\d+)-/

export function newWorkerToken(): string {
  const token = `${PLACE}-${process.pid}-${START}-${randomUUID()}`
  live.add(token)
  return token
}

export function endWorkerToken(token: string): void {
  live.delete(token)
}

/** Whether the worker's process has ended, as far as this process can see. */
function hasCrashed(token: string, seenAt: string | null): boolean {
  const [, place, pid, start] = TOKEN.exec(token) ?? []
  if (place === PLACE) return !isRunning(Number(pid), String(start))
  return seenAt === null || Date.parse(seenAt) < Date.now() - LEASE
}

function isLeft(token: string, seenAt: string | null): boolean {
  return token.startsWith(`${PLACE}-${process.pid}-${START}-`) ? !live.has(token) : hasCrashed(token, seenAt)
}
