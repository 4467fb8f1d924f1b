import * as z from 'zod'
import type { Report } from '../../kinds/report-schema.ts'
import type { ImportRowError, ImportRowProblem } from '../row-error.ts'

/** The user who started a job, as `authenticate` returned it. */
export interface StoredUser {
  readonly id: string | number
}

/** The stored part of the request that started a job. */
export interface JobRequest {
  readonly method: string
  readonly origin: string
  readonly url: string
  readonly params: Readonly<Record<string, string>>
  readonly query: Readonly<Record<string, string | readonly string[]>>
  /** Names of sent parameters that the action does not know. */
  readonly omittedParameters?: readonly string[]
  /** The headers that the API stores. */
  readonly headers: Readonly<Record<string, string | readonly string[]>>
  /** Names of the headers that are not stored. */
  readonly omittedHeaders: readonly string[]
  /** The language of the answer, which is that of the job's texts. */
  readonly language?: string
}

/** The options of a job, which depend on its kind. JSON shows them unchanged. */
export type JobOptions = object

const count = () => z.int().min(0)

export const JobProgress = () =>
  z
    .object({
      processed: count(),
      total: count().nullable().describe('Rows of the file or the list; null before they are counted.'),
      failed: count(),
      created: count(),
      updated: count(),
      unchanged: count(),
      skipped: count(),
      deleted: count(),
      warned: count().optional().describe('Rows with warnings that did not fail; absent if there are none.'),
    })
    .meta({ title: 'JobProgress' })

/** The progress of a job in rows. JSON shows it unchanged. */
export type JobProgress = Report<typeof JobProgress>

/** The result of a job. JSON shows it unchanged, except for the file. */
export interface JobResult {
  readonly data: Readonly<Record<string, unknown>> | null
  readonly file: JobFile | null
}

/** A file that a job produced. */
export interface JobFile {
  /** The key in the file store of jobs. */
  readonly key: string
  readonly filename: string
  readonly contentType: string
  /** What its user could see of the resource, as a text of `readerOf`; absent if the file shows no records. */
  readonly reader?: string
}

/** An error or a warning of a row, with the values that the file of failed rows shows. */
export type StoredRowError = ImportRowError & Partial<ImportRowProblem>
