import * as z from 'zod'
import { ImportRowError } from '../../importing/result.ts'
import type { Job } from '../../jobs/job-store.ts'
import type { Report } from '../../kinds/report-schema.ts'
import { type JobOptions, JobProgress } from '../../model/tables/job-columns.ts'
import { JOB_KINDS, JOB_STATES } from '../../model/tables/job-tables.ts'

export const ERRORS = 1_000

const moment = () => z.string().meta({ format: 'date-time' })

export const JobData = () =>
  z
    .object({
      id: z.string().meta({ format: 'uuid' }),
      resource: z.string().describe('The name in the path of the resource that works on it.'),
      kind: z.enum(JOB_KINDS),
      state: z.enum(JOB_STATES),
      user: z.string().nullable().describe('The id of the user who asked for it, as text; null without a user.'),
      options: z
        .custom<JobOptions>()
        .meta({ type: 'object', description: 'What was asked for; not in lists.' })
        .optional(),
      file: z.string().nullable().describe('What the client called the file that it sent.'),
      progress: JobProgress(),
      message: z.string().describe('What has become of it, for a person; empty if all is well.'),
      result: z
        .record(z.string(), z.unknown())
        .nullable()
        .describe('What an import or an undo has come to; in lists, null if it is large.'),
      result_file: z.string().nullable().describe('The name of the file that can be fetched.'),
      attempts: z.int().min(0).describe('Times that a worker has begun with it.'),
      is_cancel_requested: z.boolean(),
      created_at: moment(),
      started_at: moment().nullable(),
      ended_at: moment().nullable(),
      undo: z
        .object({
          possible: z.boolean(),
          until: moment()
            .nullable()
            .describe('When its history goes; null if that stays for ever, or if it cannot be undone.'),
          why: z.string().describe('Why it cannot be undone; empty if it can.'),
        })
        .optional()
        .describe('Whether the job can be undone; only for an import or an undo that has ended, and not in lists.'),
      errors: z
        .array(ImportRowError())
        .max(ERRORS)
        .optional()
        .describe('Of the rows that failed, the first ones; not in lists.'),
    })
    .meta({ title: 'Job' })

/** A job in an answer. */
export type JobData = Report<typeof JobData>

export function jobData(job: Job): JobData {
  return {
    id: job.id,
    resource: job.resource,
    kind: job.kind,
    state: job.state,
    user: job.owner,
    options: job.options,
    file: job.fileName,
    progress: job.progress,
    message: job.message,
    result: job.result?.data ?? null,
    result_file: job.result?.file?.filename ?? null,
    attempts: job.attempts,
    is_cancel_requested: job.isCancelRequested,
    created_at: job.createdAt,
    started_at: job.startedAt,
    ended_at: job.endedAt,
  }
}

export async function firstErrors(
  parts: () => AsyncIterable<readonly ImportRowError[]>,
  most: number,
): Promise<readonly ImportRowError[]> {
  const first: ImportRowError[] = []
  for await (const errors of parts()) {
    first.push(...errors.slice(0, most - first.length))
    if (first.length === most) break
  }
  return first
}
