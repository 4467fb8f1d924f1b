import * as z from 'zod'
import type { Report } from '../kinds/report-schema.ts'

const count = () => z.int().min(0)

const ChangeAction = () => z.enum(['create', 'update', 'delete', 'unchanged'])

/** What becomes of a record by a row. */
export type ChangeAction = Report<typeof ChangeAction>

const ImportChange = () =>
  z
    .object({
      row: z.int().min(1).describe('The number that a person sees in the sheet: the header is row 1.'),
      model: z.string().describe('The model of the record: its key in the configuration.'),
      action: ChangeAction(),
      changes: z
        .record(z.string(), z.tuple([z.unknown(), z.unknown()]))
        .describe(
          'The old and the new value of each column that differs, as far as you may see it, by its name in the file. Foreign keys and links are what the file names them by; null stands for no record.',
        ),
    })
    .meta({ title: 'ImportChange' })

/** What a row changes of one of its records. */
export type ImportChange = Report<typeof ImportChange>

export const ImportDiff = () =>
  z
    .object({
      rows: z.array(ImportChange()).describe('The first 100 rows that change anything, with each of their records.'),
      totals: z
        .object({ create: count(), update: count(), delete: count(), unchanged: count() })
        .describe(
          'All rows by what becomes of their record of the last model, without those that fail or are skipped.',
        ),
      replaced: z
        .object({ deleted: count(), records: z.array(z.record(z.string(), z.unknown())) })
        .optional()
        .describe(
          'What a replace deletes before it writes: how many records, and the first 100 by their unique fields.',
        ),
    })
    .meta({ title: 'ImportDiff', description: 'What would change; only with `diff`.' })

/** What an import changes, or would change. */
export type ImportDiff = Report<typeof ImportDiff>
