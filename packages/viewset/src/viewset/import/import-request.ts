import { ValidationError } from '../../core/errors.ts'
import type { ApiRequest } from '../../core/request.ts'
import type { ImportMapping } from '../../importing/options.ts'
import type { FilePart, Parts } from '../upload/read-parts.ts'
import { RequestOptionsReader } from './request-options.ts'

/** What a client asks of an import beside its file: nothing but values, so that a job can keep it. */
export interface ImportRequest {
  readonly file: FilePart
  /** True merges with what is stored, false replaces it. */
  readonly append: boolean
  /** Nothing is stored in the end. */
  readonly dryRun: boolean
  /** A dry run tells old and new values. */
  readonly diff: boolean
  /** Where rows fail, the answer is a file of them. */
  readonly failedRows: boolean
  /** The import is a job that goes on after the answer. */
  readonly background: boolean
  /** Which field each header means, over what the configuration says. */
  readonly mapping?: ImportMapping
}

/** @throws ValidationError with all that is wrong or missing, by the name of its part */
export function readImportRequest({ file, fields }: Parts, request: ApiRequest): ImportRequest {
  const options = new RequestOptionsReader(fields, request)
  const { errors } = options
  const problem = fileProblem(file)
  if (problem !== undefined) errors.file = [problem]
  // Replacing destroys, so neither of the two is taken for granted, and an address that is shared does not decide it.
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

/** What a client asks of a preview beside its file. */
export type PreviewRequest = Pick<ImportRequest, 'file' | 'mapping'>

/** @throws ValidationError as {@link readImportRequest} */
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
