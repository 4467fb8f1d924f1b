import { ValidationError } from '../../core/errors.ts'
import { readBoolean } from '../../kinds/boolean.ts'
import type { FilePart, Parts } from '../upload/read-parts.ts'

/** What a client asks of an import beside its file. */
export interface ImportRequest {
  readonly file: FilePart
  /** True merges with what is stored, false replaces it. */
  readonly append: boolean
  /** Nothing is stored in the end. */
  readonly dryRun: boolean
}

/** @throws ValidationError with all that is wrong or missing, by the name of its part */
export function readImportRequest({ file, fields }: Parts): ImportRequest {
  const errors: Record<string, string[]> = {}
  const read = (name: string, missing: string | undefined): boolean => {
    const text = fields.get(name)
    const value = text === undefined ? undefined : readBoolean(text.trim())
    if (value === undefined && text !== undefined) errors[name] = ['Enter "true" or "false".']
    else if (value === undefined && missing !== undefined) errors[name] = [missing]
    return value ?? false
  }
  if (!file) errors.file = ['No file was submitted. Send it as the part "file".']
  else if (file.size === 0) errors.file = ['The submitted file is empty.']
  // Replacing destroys, so neither of the two is taken for granted.
  const append = read('append_data', 'This field is required: "true" adds to what is stored, "false" replaces it.')
  const dryRun = read('dry_run', undefined)
  if (!file || Object.keys(errors).length > 0) throw new ValidationError(errors)
  return { file, append, dryRun }
}
