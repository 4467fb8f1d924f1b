import { ValidationError } from '../../core/errors.ts'
import type { ApiRequest } from '../../core/request.ts'
import type { ImportMapping } from '../../importing/options.ts'
import type { FilePart, Parts } from '../upload/read-parts.ts'
import { RequestOptionsReader } from './request-options.ts'

/** The options of an import. They are plain values, so that a job can store them. */
export interface ImportRequest {
  readonly file: FilePart
  /** True merges with the stored records, false replaces them. */
  readonly append: boolean
  /** Whether nothing is stored in the end. */
  readonly dryRun: boolean
  /** Whether a dry run reports old and new values. */
  readonly diff: boolean
  /** Whether the answer is a file of the failed rows, if there are any. */
  readonly failedRows: boolean
  /** Whether a job runs the import after the answer. */
  readonly background: boolean
  /** The fields of headers. They override the configuration. */
  readonly mapping?: ImportMapping
}

export function readImportRequest({ file, fields }: Parts, request: ApiRequest): ImportRequest {
  const options = new RequestOptionsReader(fields, request)
  const { errors } = options
  const problem = fileProblem(file)
  if (problem !== undefined) errors.file = [problem]
  // Replacing deletes records, so there is no default, and a shared address cannot choose it.
  const append = options.booleanOfForm('append_data', APPEND_MISSING) ?? false
  const dryRun = options.boolean('dry_run') ?? false
  const diff = options.boolean('diff') ?? false
  const failedRows = options.boolean('failed_rows') ?? false
  const background = options.boolean('background') ?? false
  const mapping = options.mapping('mapping')
  if (diff && !dryRun && errors.dry_run === undefined) {
    errors.diff = ['Only a dry run tells what it would change: send dry_run=true as well.']
  }
  if (!file || Object.keys(errors).length > 0) throw new ValidationError(errors)
  return { file, append, dryRun, diff, failedRows, background, ...(mapping && { mapping }) }
}

const APPEND_MISSING = 'This field is required: "true" adds to what is stored, "false" replaces it.'

/** The options of a preview. */
export type PreviewRequest = Pick<ImportRequest, 'file' | 'mapping'>

export function readPreviewRequest({ file, fields }: Parts, request: ApiRequest): PreviewRequest {
  const options = new RequestOptionsReader(fields, request)
  const problem = fileProblem(file)
  if (problem !== undefined) options.errors.file = [problem]
  const mapping = options.mapping('mapping')
  if (!file || Object.keys(options.errors).length > 0) throw new ValidationError(options.errors)
  return { file, ...(mapping && { mapping }) }
}

function fileProblem(file: FilePart | undefined): string | undefined {
  if (!file) return 'No file was submitted. Send it as the part "file".'
  return file.size === 0 ? 'The submitted file is empty.' : undefined
}
