import { createHash } from 'node:crypto'
import { createReadStream } from 'node:fs'
import { pipeline } from 'node:stream/promises'
import { currentContext } from '../../core/context.ts'
import { errorCode, message } from '../../core/messages/message.ts'
import type { ImportResult, ImportWarning } from '../../importing/result.ts'
import type { JobOfFile } from '../../jobs/job-store.ts'
import { localTime } from '../../kinds/timestamp.ts'
import type { GenericViewSet } from '../generic-viewset.ts'
import { fixedTextOf } from '../history/change.ts'
import { seenJobs } from './job-access.ts'

/** Equal for equal files that are imported into the same records; `undefined` if the API has no jobs. */
export async function fileFingerprint(view: GenericViewSet, path: string): Promise<string | undefined> {
  if (!view.registered.jobs) return undefined
  const file = createHash('sha256')
  await pipeline(createReadStream(path), file)
  const { registered, request } = view
  const place = [registered.resourceName, request.params, fixedTextOf(view), file.digest('hex')]
  return createHash('sha256').update(JSON.stringify(place)).digest('hex')
}

/**
 * The warning that a file was imported before. It names the last job that has stored something of the file, that is not
 * undone, and that the user may see.
 *
 * @param own the id of the job that imports the file now
 */
export async function sameFileWarning(
  view: GenericViewSet,
  fingerprint: string | undefined,
  own?: string,
): Promise<ImportWarning | undefined> {
  const { jobs } = view.registered
  if (!jobs || fingerprint === undefined) return undefined
  const isSeen = await seenJobs(view, jobs)
  if (!isSeen) return undefined
  const all = await jobs.store.ofFile(fingerprint)
  const job = all.find(
    one => one.kind === 'import' && one.id !== own && isSeen(one) && hasStored(one) && !isUndone(one, all),
  )
  if (!job) return undefined
  const day = localTime(job.createdAt, view.settings.COMMON.TIME_ZONE).slice(0, 10)
  const text = message('imported_before', { day, job: job.id })
  return {
    row: null,
    field: 'file',
    message: String(text),
    ...(currentContext().errorCodes && { code: errorCode(text) }),
    model: null,
    job: job.id,
  }
}

function hasStored({ progress: { created, updated, deleted } }: JobOfFile): boolean {
  return created + updated + deleted > 0
}

/** An undo may have been undone itself. */
function isUndone({ id }: JobOfFile, all: readonly JobOfFile[]): boolean {
  return all.some(undo => undo.undone === id && undo.state === 'succeeded' && !isUndone(undo, all))
}

export function withFileWarning<T extends Pick<ImportResult, 'warnings'>>(
  result: T,
  warning: ImportWarning | undefined,
): T {
  return warning ? { ...result, warnings: [warning, ...(result.warnings ?? [])] } : result
}
