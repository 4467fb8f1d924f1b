import { momentOfWrite } from '../../core/clock.ts'
import { type Change, currentContext, reportError, runInContext } from '../../core/context.ts'
import { inLanguage } from '../../core/messages/message.ts'
import { uuidv7 } from '../../core/uuid.ts'
import type { ImportRecorder } from '../../importing/options.ts'
import type { ImportResult, ImportWarning } from '../../importing/result.ts'
import { endWorkerToken, type Job, newWorkerToken } from '../../jobs/job-store.ts'
import type { Jobs } from '../../jobs/jobs.ts'
import { toApiError } from '../../store/faults.ts'
import type { ImportRequest } from '../files/import-request.ts'
import { listening } from '../files/listeners.ts'
import type { GenericViewSet } from '../generic-viewset.ts'
import { NOTHING_DONE, storedJob } from './enqueue-job.ts'
import { importJobOptions, outcomeOf } from './import-job.ts'
import { withFileWarning } from './same-file.ts'

export interface RecordedFile {
  readonly request: ImportRequest
  /** The query parameters of an import. */
  readonly parameters: readonly string[]
  readonly fingerprint: string | undefined
  /** The warning that the file was imported before. */
  readonly warning: ImportWarning | undefined
}

/**
 * Imports in a request, and stores the import as a job, so that it can be undone. The job is stored in the transactions
 * of the import: an import that a kill interrupts is a job that failed.
 */
export async function recordedImport(
  view: GenericViewSet,
  file: RecordedFile,
  perform: () => Promise<ImportResult>,
): Promise<ImportResult & { readonly job?: string }> {
  const { jobs, resourceName } = view.registered
  const { change } = currentContext()
  if (!jobs || resourceName === undefined || change === null) return perform()
  const token = newWorkerToken()
  try {
    const import_ = new RecordedImport(view, jobs, { ...file, resource: resourceName, token, change })
    return await import_.run(perform)
  } finally {
    endWorkerToken(token)
  }
}

interface RecordedParts extends RecordedFile {
  readonly resource: string
  readonly token: string
  readonly change: Change
}

class RecordedImport {
  readonly #view: GenericViewSet
  readonly #jobs: Jobs
  readonly #parts: RecordedParts
  readonly #id = uuidv7()

  constructor(view: GenericViewSet, jobs: Jobs, parts: RecordedParts) {
    this.#view = view
    this.#jobs = jobs
    this.#parts = parts
  }

  async run(perform: () => Promise<ImportResult>): Promise<ImportResult & { readonly job?: string }> {
    const { change } = this.#parts
    const recorder: ImportRecorder = {
      save: (tally, errors) => this.#save({ ...NOTHING_DONE, ...tally }, errors),
      end: result => this.#end(result),
    }
    try {
      const act = () => listening(this.#view, { recorder }, perform)
      const result = await runInContext({ change: { ...change, job: this.#id } }, act)
      return (await this.#complete(result)) ? { ...result, job: this.#id } : result
    } catch (error) {
      await this.#fail(error)
      throw error
    }
  }

  async #save(progress: Job['progress'], errors: Parameters<ImportRecorder['save']>[1]): Promise<void> {
    const { store } = this.#jobs
    const { token } = this.#parts
    const workerSeenAt = momentOfWrite()
    if (await store.find(this.#id)) await store.save(this.#id, token, { progress, workerSeenAt })
    else await this.#insert({ state: 'running', worker: token, workerSeenAt, progress })
    await store.addErrorsOfRows(this.#id, progress.processed, errors)
  }

  async #end(result: ImportResult): Promise<void> {
    await this.#insert(this.#endOf(result))
    await this.#jobs.store.addErrors(this.#id, 0, result.errors)
  }

  async #insert(state: Partial<Job>): Promise<void> {
    const { request, parameters, fingerprint, resource } = this.#parts
    const options = importJobOptions(request)
    const file = { fileName: request.file.filename, fingerprint }
    const job = { kind: 'import' as const, options, parameters, ...file, hasHistory: true }
    const stored = storedJob(this.#view, this.#jobs, { ...job, id: this.#id, resource })
    await this.#jobs.store.insert({ ...stored, attempts: 1, startedAt: momentOfWrite(), ...state })
  }

  #endOf(result: ImportResult): Partial<Job> {
    const { request, warning } = this.#parts
    const { message, data, progress } = outcomeOf(withFileWarning(result, warning), request)
    return {
      state: 'succeeded',
      message,
      result: { data, file: null },
      progress: { ...NOTHING_DONE, ...progress, total: result.processed },
      worker: null,
      endedAt: momentOfWrite(),
    }
  }

  /** Returns whether there is a job. An overridden `performImport` may have imported without the service. */
  async #complete(result: ImportResult): Promise<boolean> {
    const { store } = this.#jobs
    const job = await store.find(this.#id)
    if (job?.state === 'running') await store.save(this.#id, this.#parts.token, this.#endOf(result))
    const { created, updated, deleted = 0 } = result
    if (job || created + updated + deleted === 0) return job !== undefined
    await this.#end(result)
    return true
  }

  /** What the job has stored stays. */
  async #fail(thrown: unknown): Promise<void> {
    const { store } = this.#jobs
    try {
      if ((await store.find(this.#id))?.state !== 'running') return
      const text = toApiError(store.database.dialect, thrown)?.text ?? ''
      const message = inLanguage(currentContext().language, () => String(text))
      const end = { state: 'failed', message, worker: null, endedAt: momentOfWrite() } as const
      await store.save(this.#id, this.#parts.token, end)
    } catch (error) {
      // The sweep of jobs ends it.
      reportError(error, `the import ${this.#id} could not be marked as failed yet`)
    }
  }
}
