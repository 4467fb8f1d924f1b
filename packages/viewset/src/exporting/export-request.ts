import * as z from 'zod'
import { currentContext } from '../core/context.ts'
import { ValidationError } from '../core/errors.ts'
import { typeError } from '../serializer/column-schema.ts'
import { validateInput } from '../serializer/validate-input.ts'
import type { ExportRow } from './client-rows.ts'
import type { ExportOptions } from './export-service.ts'

/** The body of an export request (SPEC, "Export endpoint"). */
export interface ExportRequest {
  readonly options: ExportOptions
  /** The client's own rows; none for those of the resource. */
  readonly data: readonly ExportRow[]
}

const LONGEST_HEADER = 255
const LONGEST_NAME = 200

const text = z.string(expected('Not a valid string.'))
const object = expected('Invalid data. Expected an object.')
const columnSettings = z.object(
  {
    width: z.number(expected('A valid number is required.')).min(1).max(255).nullish(),
    header: text.max(LONGEST_HEADER).nullish(),
  },
  object,
)
const body = z.object(
  {
    file_type: text,
    includes: z.array(text, expected('Expected a list of field names.')).nullish(),
    column_config: z.record(z.string(), columnSettings, object).nullish(),
    data: z.array(z.record(z.string(), z.unknown(), object), expected('Expected a list of rows.')).nullish(),
    filename: text.trim().min(1, 'This field may not be blank.').max(LONGEST_NAME).nullish(),
    title: text.trim().max(LONGEST_NAME).nullish(),
  },
  object,
)

/** The message for another type; what else a schema asks for has messages of its own. */
function expected(message: string) {
  const { error } = typeError(message)
  return { error: (issue: z.core.$ZodRawIssue) => (issue.code === 'invalid_type' ? error(issue) : undefined) }
}

/** Reads a body. Whether there are such fields and formats is for the service to say. @throws ValidationError */
export function readExportRequest(input: unknown): ExportRequest {
  const { file_type, includes, column_config, data, filename, title } = validateInput(body, input)
  const most = currentContext().settings.COMMON.EXPORT_DATA_MAX_ROWS
  if (data && data.length > most) {
    throw new ValidationError({ data: [`These are ${data.length} rows; at most ${most} can be sent along.`] })
  }
  return {
    options: {
      // One that does not exist is refused together with the fields that do not.
      fileType: file_type as ExportOptions['fileType'],
      ...(includes && { includes }),
      ...(column_config && { columnConfig: column_config }),
      ...(filename && { filename }),
      ...(title && { title }),
    },
    data: data ?? [],
  }
}
