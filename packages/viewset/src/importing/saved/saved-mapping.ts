import * as z from 'zod'
import type { Report } from '../../kinds/report-schema.ts'
import type { ImportMapping, ImportValues, ReadingOptions, StoredMapping } from '../options.ts'
import type { HeaderRows } from '../read/header-rows.ts'

/** What a client chooses for the columns of a file, by the names of the form's parts. */
export interface ImportChoice {
  readonly mapping?: ImportMapping
  readonly header_row?: HeaderRows
  readonly values?: ImportValues
  readonly locale?: string
  readonly encoding?: string
}

export function choiceOf({ mapping, headerRow, values, locale, encoding }: ReadingOptions): ImportChoice {
  return {
    ...(mapping && { mapping }),
    ...(headerRow && { header_row: headerRow }),
    ...(values && { values }),
    ...(locale && { locale }),
    ...(encoding && { encoding }),
  }
}

export function readingOfChoice({ header_row, ...others }: ImportChoice): ReadingOptions {
  return { ...others, ...(header_row && { headerRow: header_row }) }
}

const part = (description: string) => ({ type: 'object', additionalProperties: true, description }) as const

export const SavedMapping = () =>
  z
    .object({
      id: z.string(),
      name: z.string().describe('What the user calls it; may be empty.'),
      everyone: z.boolean().describe('Whether it is for all users. Otherwise it is for the user who saved it.'),
      saved_at: z.string().meta({ format: 'date-time' }),
      mapping: z.custom<ImportMapping>().meta(part('As the form of an import has it.')).optional(),
      header_row: z
        .custom<HeaderRows>()
        .meta({
          oneOf: [
            { type: 'integer', minimum: 1 },
            { type: 'object', additionalProperties: { type: 'integer', minimum: 1 } },
          ],
          description: 'The number of the row with the headers, or that of each sheet by its name.',
        })
        .optional(),
      values: z.custom<ImportValues>().meta(part('As the form of an import has them.')).optional(),
      locale: z.string().optional().describe('The language of texts with numbers, dates and booleans.'),
      encoding: z.string().optional().describe('The encoding of a CSV file.'),
    })
    .meta({ title: 'SavedMapping' })

/** A saved mapping in an answer. Its last keys are parts of the form of an import. */
export type SavedMapping = Report<typeof SavedMapping>

export function shownMapping({ id, name, everyone, savedAt, reading }: StoredMapping): SavedMapping {
  return { id, name, everyone, saved_at: savedAt, ...choiceOf(reading) }
}
