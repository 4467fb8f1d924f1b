import * as z from 'zod'
import type { Report } from '../kinds/report-schema.ts'
import { ImportRowError, type ImportRowProblem } from '../model/row-error.ts'
import { ImportDiff } from './diff.ts'

export { ImportRowError, type ImportRowProblem }

const count = () => z.int().min(0)

const ImportProblemGroup = () =>
  z
    .object({
      code: z.string().describe('The stable code of the message.'),
      field: z.string().describe('The column by its name in the configuration, or `non_field_errors`.'),
      column: z.string().optional().describe('The header of the column in the file.'),
      message: z.string().describe('The message of the first row.'),
      model: z.string().describe('The key of the model in the configuration.'),
      count: count().describe('Rows.'),
      rows: z.string().describe('Their numbers, such as `5-900, 907`. At most 100 ranges, and then `...`.'),
      examples: z
        .array(z.union([z.string(), z.number(), z.boolean()]))
        .max(5)
        .describe('Different cells of the column. Long texts are cut.'),
    })
    .meta({ title: 'ImportProblemGroup' })

/** Rows with the same kind of error or warning in one field. */
export type ImportProblemGroup = Report<typeof ImportProblemGroup>

export const ImportWarning = () =>
  ImportRowError()
    .extend({
      row: z
        .int()
        .min(1)
        .nullable()
        .describe('The number of the row, as in an error; null for a warning of the whole file.'),
      model: z.string().nullable().describe('The key of the model; null for a warning of the whole file.'),
      job: z.string().meta({ format: 'uuid' }).optional().describe('The job that imported the same file before.'),
    })
    .meta({ title: 'ImportWarning' })

/** A warning of a row, or of the whole file. */
export type ImportWarning = Report<typeof ImportWarning>

const UnmatchedText = () =>
  z
    .object({
      text: z.string().describe('As it stands in the file, without blanks around it.'),
      count: count().describe('Rows.'),
      suggestions: z.array(z.string()).max(3).describe('Texts that it may stand for, the nearest first.'),
    })
    .meta({ title: 'UnmatchedText' })

/** A text of a column that names no record, or none of its choices. */
export type UnmatchedText = Report<typeof UnmatchedText>

export const UnmatchedColumns = () => z.record(z.string(), z.array(UnmatchedText()).max(50))

export const ImportResult = () =>
  z
    .object({
      success: z.boolean().describe('No row failed.'),
      processed: count().describe('Rows read.'),
      failed: count().describe('Rows that failed, of which nothing is stored.'),
      errors: z.array(ImportRowError()).describe('The first 1,000 errors; a row may have several.'),
      created: count().describe('Rows that became new records, as the database reports.'),
      updated: count().describe('Rows that changed stored records, as the database reports.'),
      unchanged: count()
        .optional()
        .describe(
          'Rows that say what was stored already, and wrote nothing; only if the import leaves such rows alone.',
        ),
      skipped: count()
        .optional()
        .describe('Rows that were left out; only if the import is configured to leave any out.'),
      ignoredColumns: z.array(z.string()).describe('Headers of the file that nothing reads.'),
      ignoredSheets: z.array(z.string()).optional().describe('Sheets of a workbook that are of no model.'),
      encoding: z.string().optional().describe('The encoding of a CSV file that is not UTF-8, such as `windows-1252`.'),
      missing: count()
        .optional()
        .describe('Exported records that an edited file has no longer; they stay as they are.'),
      deleted: count().optional().describe('Records that a replace, or rows that say so, have deleted.'),
      diff: ImportDiff().optional(),
      job: z.string().meta({ format: 'uuid' }).optional().describe('The job with which the import can be undone.'),
      rolledBack: z.boolean().optional().describe('Nothing is stored, since rows failed.'),
      unmatched: UnmatchedColumns()
        .optional()
        .describe(
          'Of a dry run: texts that name no record, or none of the choices, by header. Absent if there are none. Texts in many rows come first.',
        ),
      dryRun: z.boolean().optional().describe('Nothing was stored: the import only tried.'),
      errorsTruncated: z
        .boolean()
        .optional()
        .describe('There were more errors than are listed; `failed` counts all rows.'),
      errorGroups: z
        .array(ImportProblemGroup())
        .max(100)
        .optional()
        .describe('All errors by code and field; absent if there are none.'),
      errorGroupsTruncated: z.boolean().optional().describe('There were more groups of errors than are listed.'),
      warned: count().optional().describe('Rows with warnings that did not fail; absent if there are none.'),
      warnings: z
        .array(ImportWarning())
        .optional()
        .describe('Warnings of the file, then the first 1,000 of these rows.'),
      warningsTruncated: z
        .boolean()
        .optional()
        .describe('There were more warnings than are listed; `warned` counts all rows.'),
      warningGroups: z
        .array(ImportProblemGroup())
        .max(100)
        .optional()
        .describe('All warnings by code and field; absent if there are none.'),
      warningGroupsTruncated: z.boolean().optional().describe('There were more groups of warnings than are listed.'),
    })
    .meta({ title: 'ImportResult' })

/**
 * The result of an import. `created + updated + failed = processed`, plus `unchanged`, `skipped` and deleting rows if
 * the configuration has such. A replace with a failed row undoes everything, and so does an import with `allOrNothing`:
 * then `rolledBack` is true, and `created`, `updated`, `unchanged` and `deleted` are 0.
 */
export type ImportResult = Report<typeof ImportResult>
