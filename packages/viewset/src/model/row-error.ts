import * as z from 'zod'
import type { Report } from '../kinds/report-schema.ts'

const ConflictingCell = () => z.union([z.string(), z.number(), z.boolean()]).nullable()

export const ImportRowError = () =>
  z
    .object({
      row: z
        .int()
        .min(1)
        .describe('The number that a person sees in the sheet, which counts the header and titles above it.'),
      field: z.string().describe('The column by its name in the configuration, or `non_field_errors`.'),
      column: z
        .string()
        .optional()
        .describe('The header of the column in the file; absent if no single one is concerned.'),
      message: z.string(),
      code: z.string().optional().describe('The stable code of the message, if the API sends `codes`.'),
      model: z.string().describe('What the row was to become: the key of the model in the configuration.'),
      conflict: z
        .object({
          base: ConflictingCell().describe('The cell as it was exported.'),
          yours: ConflictingCell().describe('The cell of the file.'),
          theirs: ConflictingCell().describe('The cell as the database has it now.'),
        })
        .optional()
        .describe('The cells of an edited file whose value has also changed in the database.'),
    })
    .meta({ title: 'ImportRowError' })

/** Why a row was not imported. */
export type ImportRowError = Report<typeof ImportRowError>

/** An error or a warning of a row as an import keeps it, with the code and the cell by which both are grouped. */
export interface ImportRowProblem extends ImportRowError {
  readonly code: string
  /** The file's cell in the column, if reports may show it. */
  readonly value?: string | number | boolean
  /** Whether the row did not fail. */
  readonly isWarning?: true
}
