import { desc, eq } from 'drizzle-orm'
import { currentContext } from '../../core/context.ts'
import { message, type Text } from '../../core/messages/message.ts'
import { uuidv7 } from '../../core/uuid.ts'
import { hasEnded, type Job } from '../../jobs/job-store.ts'
import { conflict, type Jobs } from '../../jobs/jobs.ts'
import { readTimestamp } from '../../kinds/timestamp.ts'
import { historyOf } from '../../model/history.ts'
import { currentDb } from '../../store/connection/transaction.ts'
import { Reply } from '../answer/reply.ts'
import type { GenericViewSet } from '../generic-viewset.ts'
import { NOTHING_DONE } from '../jobs/enqueue-job.ts'
import { type JobData, jobData } from '../jobs/job-data.ts'
import { keptRequest } from '../jobs/job-request.ts'
import type { PermittedJob } from '../jobs/work-of-jobs.ts'
import type { AnyResourceClass } from '../mixin.ts'
import type { UndoOptions } from './undo-job.ts'
import type { UndoResult } from './undo-report.ts'
import { importedModels, isUndoable } from './undone-models.ts'
import { undosOf } from './undos-of-job.ts'

/** Whether a job can be undone, and why not. */
export interface Undoability {
  readonly possible: boolean
  /** When the history removes the job's entries; `null` if it keeps them for ever, or if it is not possible. */
  readonly until: string | null
  /** Empty if it is possible. */
  readonly why: string
}

/** What an undo of jobs needs. */
export interface UndoSurroundings {
  readonly jobs: Jobs
  readonly resources: ReadonlyMap<string, AnyResourceClass>
  /** @throws PermissionDenied */
  checkNewJob(job: PermittedJob, user: GenericViewSet['user']): Promise<void>
}

/** `undefined` for a job that has not ended, or that is neither an import nor an undo. */
export async function undoabilityOf(job: Job, surroundings: UndoSurroundings): Promise<Undoability | undefined> {
  if (job.kind === 'export' || !hasEnded(job)) return undefined
  const why = await hindranceOf(job, surroundings)
  if (why !== undefined) return { possible: false, until: null, why: String(why) }
  const resource = surroundings.resources.get(job.resource)
  return { possible: true, until: resource ? await endOfHistory(job, resource) : null, why: '' }
}

/** When the first entries of a job go: those of one model go together, when the newest of them has expired. */
async function endOfHistory(job: Job, resource: AnyResourceClass): Promise<string | null> {
  const { RETENTION: retention } = currentContext().settings.HISTORY
  const [first] = retention === null ? [] : (await newestEntries(job, resource)).toSorted()
  if (retention === null || first === undefined) return null
  return readTimestamp(new Date(Date.parse(first) + retention).toISOString()) ?? null
}

/**
 * Stores the job that undoes another one.
 *
 * @throws Conflict for a job that cannot be undone, with the reason; PermissionDenied
 */
export async function requestUndo(
  { request, user }: Pick<GenericViewSet, 'request' | 'user'>,
  job: Job,
  dryRun: boolean,
  surroundings: UndoSurroundings,
): Promise<Reply<JobData>> {
  const { jobs, resources, checkNewJob } = surroundings
  if (!resources.has(job.resource)) throw conflict(message('not_found.resource_of_job'))
  const options: UndoOptions = { job: job.id, dry_run: dryRun }
  // The undo sees what the import saw: its path and its query are those of the import.
  const { params, query, url, omittedParameters } = job.request
  const own = keptRequest(request, { parameters: [], headers: jobs.keptHeaders })
  const undo = {
    id: uuidv7(),
    resource: job.resource,
    kind: 'undo' as const,
    owner: user === null ? null : String(user.id),
    userData: jobs.keepsUsers ? user : null,
    request: { ...own, params, query, url, ...(omittedParameters && { omittedParameters }) },
    options,
    fileName: job.fileName,
    fingerprint: dryRun ? null : job.fingerprint,
    progress: NOTHING_DONE,
    hasHistory: !dryRun,
  }
  await checkNewJob(undo, user)
  const why = await hindranceOf(job, surroundings)
  if (why !== undefined) throw conflict(why)
  const stored = await jobs.add(undo)
  const address = request.path.replace(/[^/]+\/undo\/?$/, `${undo.id}/`)
  return new Reply(jobData(stored), { status: 202, headers: { location: `${request.origin}${address}` } })
}

async function hindranceOf(job: Job, { jobs, resources }: UndoSurroundings): Promise<Text | undefined> {
  if (job.kind === 'export') return message('not_undoable.export')
  if (!hasEnded(job)) return message('not_undoable.not_ended', { state: job.state })
  if ((job.options as Partial<UndoOptions>).dry_run) return message('not_undoable.dry_run')
  const resource = resources.get(job.resource)
  if (!resource) return message('not_found.resource_of_job')
  if (!job.hasHistory || !isUndoable(resource)) return message('not_undoable')
  if ((await newestEntries(job, resource)).length === 0) return message('not_undoable.nothing')
  const undos = await undosOf(job.id, jobs)
  const running = undos.find(undo => !hasEnded(undo))
  if (running) return message('not_undoable.running', { job: running.id })
  const last = undos.find(({ state }) => state === 'succeeded')
  // The undo may have been undone itself.
  const isDone = last && isComplete(last) && !(await undosOf(last.id, jobs)).some(({ state }) => state === 'succeeded')
  return isDone ? message('not_undoable.done', { job: last.id }) : undefined
}

/** When a job wrote the newest entry of each model. */
async function newestEntries(job: Job, resource: AnyResourceClass): Promise<readonly string[]> {
  const times: string[] = []
  for (const { model } of importedModels(resource)) {
    const history = historyOf(model.table)
    if (!history) continue
    const { at, id, job: ofJob } = history.table
    const newest = currentDb().select({ at }).from(history.table).where(eq(ofJob, job.id)).orderBy(desc(id)).limit(1)
    for (const entry of await newest) times.push(entry.at)
  }
  return times
}

function isComplete({ result }: Job): boolean {
  const { partly, kept, failed, out_of_reach } = (result?.data ?? {}) as Partial<UndoResult & { out_of_reach: number }>
  return [partly, kept, failed, out_of_reach].every(count => count === 0)
}
