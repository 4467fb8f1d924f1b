import * as z from 'zod'
import type { Report } from '../kinds/report-schema.ts'

const count = () => z.int().min(0)

const ChangeAction = () => z.enum(['create', 'update', 'delete', 'unchanged'])

/** A row's change to a record, in one word. */
export type ChangeAction = Report<typeof ChangeAction>

const ImportChange = () =>
  z
    .object({
      row: z
        .int()
        .min(1)
        .describe('The number that a person sees in the sheet, which counts the header and titles above it.'),
      model: z.string().describe('The model of the record: its key in the configuration.'),
      action: ChangeAction(),
      changes: z
        .record(z.string(), z.tuple([z.unknown(), z.unknown()]))
        .describe(
          'The old and the new value of each changed column that you may see, by its name in the file. Foreign keys and links appear as their lookup values; null stands for no record.',
        ),
    })
    .meta({ title: 'ImportChange' })

/** A row's change to one of its records. */
export type ImportChange = Report<typeof ImportChange>

export const ImportDiff = () =>
  z
    .object({
      rows: z.array(ImportChange()).describe('The first 100 rows with changes, each with its records.'),
      totals: z
        .object({ create: count(), update: count(), delete: count(), unchanged: count() })
        .describe('Rows by the change to their record of the last model, without failed and skipped rows.'),
      replaced: z
        .object({ deleted: count(), records: z.array(z.record(z.string(), z.unknown())) })
        .optional()
        .describe(
          'Records that a replace deletes before it writes: their number, and the first 100 by their unique fields.',
        ),
    })
    .meta({ title: 'ImportDiff', description: 'What would change; only with `diff`.' })

/** The changes of an import, or of a dry run. */
export type ImportDiff = Report<typeof ImportDiff>
