import { momentOfWrite } from '../core/clock.ts'
import { type ErrorLog, reportError, runInContext } from '../core/context.ts'
import { ApiError } from '../core/errors.ts'
import { message, type Text } from '../core/messages/message.ts'
import type { Wordings } from '../core/messages/wording.ts'
import { storedBefore } from '../importing/tally.ts'
import type { JobProgress } from '../model/tables/job-columns.ts'
import { failureOf, toApiError } from '../store/faults.ts'
import { endWorkerToken, type Job, type JobStore, JobTaken, newWorkerToken } from './job-store.ts'
import type { JobOutcome, JobRun, JobWork } from './job-work.ts'

const BEAT = 1_000
/** Checks between two signals that the job still runs. */
const BEATS_A_TOUCH = 10
/** Restarts without stored progress. After that, the job most likely kills its process. */
const MOST_CRASHES = 5

interface Running {
  readonly stop: AbortController
  progress: JobProgress
  shown: Partial<JobProgress>
}

interface JobRunnerParts {
  readonly store: JobStore
  readonly work: JobWork
  readonly log: ErrorLog
  readonly wordings: Wordings
  /** Called after each change of a job. */
  readonly changed: (id: string) => void
}

export class JobRunner {
  readonly #store: JobStore
  readonly #work: JobWork
  readonly #log: ErrorLog
  readonly #running = new Map<string, Running>()
  readonly #wordings: Wordings
  readonly #changed: (id: string) => void

  constructor({ store, work, log, wordings, changed }: JobRunnerParts) {
    this.#store = store
    this.#work = work
    this.#log = log
    this.#wordings = wordings
    this.#changed = changed
  }

  shownOf(id: string): Partial<JobProgress> {
    return this.#running.get(id)?.shown ?? {}
  }

  /** Stops a job of this process at once. Another process notices the cancellation later. */
  cancel(id: string): void {
    this.#running.get(id)?.stop.abort(new JobCancelled())
  }

  /**
   * Runs a job if it is waiting.
   *
   * @throws the error that interrupted it, such as an unavailable database; call it again later
   */
  async run(id: string, signal: AbortSignal): Promise<void> {
    const token = newWorkerToken()
    try {
      const job = await this.#store.claim(id, token)
      if (!job) return
      const wording = this.#wordings.of(job.request.language)
      await runInContext({ log: this.#log, ...wording }, () => this.#runClaimed(job, token, signal))
    } finally {
      endWorkerToken(token)
    }
  }

  async #runClaimed(job: Job, token: string, signal: AbortSignal): Promise<void> {
    const { id } = job
    this.#changed(id)
    const stop = new AbortController()
    const halt = () => stop.abort(new JobStopped())
    signal.addEventListener('abort', halt, { once: true })
    if (signal.aborted) halt()
    const running: Running = { stop, progress: job.progress, shown: {} }
    this.#running.set(id, running)
    const beat = this.#beat(id, token, stop)
    try {
      // The previous worker ended before it saw the cancellation.
      if (job.isCancelRequested) throw new JobCancelled()
      if (job.crashes >= MOST_CRASHES)
        throw new ApiError(400, 'interrupted', message('job.crashed', { times: job.crashes }))
      await this.#work(this.#runOf(job, token, running))
    } catch (error) {
      await this.#end(job, token, stop.signal.aborted ? stop.signal.reason : error)
    } finally {
      clearInterval(beat)
      signal.removeEventListener('abort', halt)
      this.#running.delete(id)
      this.#changed(id)
    }
  }

  #runOf(job: Job, token: string, running: Running): JobRun {
    const { id } = job
    const store = this.#store
    const save = async (progress: JobProgress, more: Parameters<JobStore['save']>[2] = {}) => {
      await store.save(id, token, { progress, ...more })
      running.progress = progress
      this.#changed(id)
    }
    return {
      job,
      signal: running.stop.signal,
      save: async (tally, errors) => {
        const progress = { ...running.progress, ...tally }
        await store.addErrorsOfRows(id, progress.processed, errors)
        await save(progress, { crashes: 0, workerSeenAt: momentOfWrite() })
      },
      end: outcome => this.#finish(running, id, token, outcome),
      count: total => save({ ...running.progress, total }),
      show: tally => {
        running.shown = tally
        this.#changed(id)
      },
    }
  }

  #finish({ progress: saved, shown }: Running, id: string, token: string, outcome: JobOutcome): Promise<void> {
    const store = this.#store
    const { message, data, file, progress, errors = [] } = outcome
    return store.database.transaction(async () => {
      await store.save(id, token, {
        state: 'succeeded',
        progress: { ...saved, ...shown, ...progress },
        message,
        result: { data, file },
        worker: null,
        endedAt: momentOfWrite(),
      })
      let part = 0
      for await (const found of errors) await store.addErrors(id, part++, found)
    })
  }

  async #end(job: Job, token: string, thrown: unknown): Promise<void> {
    const { id } = job
    if (thrown instanceof JobTaken) return
    if (thrown instanceof JobCancelled) return this.#close(id, token, 'cancelled', message('job.cancelled'))
    const known = toApiError(this.#store.database.dialect, thrown)
    if (thrown instanceof JobStopped || known?.status === 503) {
      // Another worker continues, or this process later. If the database is unavailable, the sweep finds the job.
      await this.#store.save(id, token, { state: 'queued', worker: null }).catch(() => {})
      throw thrown
    }
    const text = known?.text ?? message('internal_error', { id: this.#report(thrown) })
    return this.#close(id, token, 'failed', text)
  }

  #report(error: unknown): string {
    return reportError(error, failureOf(this.#store.database.dialect, error, 'a job failed'), this.#log)
  }

  async #close(id: string, token: string, state: 'cancelled' | 'failed', text: Text): Promise<void> {
    const job = await this.#store.find(id)
    if (!job) return
    const ending = endedEarly(text, job)
    await this.#store
      .save(id, token, { state, message: ending, worker: null, endedAt: momentOfWrite() })
      .catch(error => {
        if (!(error instanceof JobTaken)) throw error
      })
  }

  /** Checks whether the job was cancelled or taken over, and signals that it is still running. */
  #beat(id: string, token: string, stop: AbortController): NodeJS.Timeout {
    let isBusy = false
    let beats = 0
    const look = async () => {
      const job = await this.#store.find(id)
      if (job?.worker !== token) stop.abort(new JobTaken(`The job ${id} is run by somebody else now.`))
      else if (job.isCancelRequested) stop.abort(new JobCancelled())
      else if (++beats % BEATS_A_TOUCH === 0) await this.#store.touch(id, token)
    }
    const beat = setInterval(() => {
      if (isBusy) return
      isBusy = true
      // If the database is unavailable, the work itself fails.
      runInContext({ session: null }, look)
        .catch(() => {})
        .finally(() => {
          isBusy = false
        })
    }, BEAT)
    return beat.unref()
  }
}

export function endedEarly(reason: Text, { kind, progress }: Job): string {
  if (kind !== 'import') return String(reason)
  if (progress.processed === 0) return String(message('job.nothing_stored', { reason }))
  return String(storedBefore(reason, progress))
}

class JobStopped extends Error {
  override readonly name = 'JobStopped'
}

class JobCancelled extends Error {
  override readonly name = 'JobCancelled'
}
