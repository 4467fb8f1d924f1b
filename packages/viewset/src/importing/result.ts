import * as z from 'zod'
import type { Report } from '../kinds/report-schema.ts'
import { ImportRowError, type ImportRowProblem } from '../model/row-error.ts'
import { ImportDiff } from './diff.ts'

export { ImportRowError, type ImportRowProblem }

const count = () => z.int().min(0)

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
      missing: count()
        .optional()
        .describe('Exported records that an edited file has no longer; they stay as they are.'),
      deleted: count().optional().describe('Records that a replace, or rows that say so, have deleted.'),
      diff: ImportDiff().optional(),
      job: z.string().meta({ format: 'uuid' }).optional().describe('The job with which the import can be undone.'),
      dryRun: z.boolean().optional().describe('Nothing was stored: the import only tried.'),
      errorsTruncated: z
        .boolean()
        .optional()
        .describe('There were more errors than are listed; `failed` counts all rows.'),
      warned: count().optional().describe('Rows with warnings that did not fail; absent if there are none.'),
      warnings: z.array(ImportRowError()).optional().describe('The first 1,000 warnings of these rows.'),
      warningsTruncated: z
        .boolean()
        .optional()
        .describe('There were more warnings than are listed; `warned` counts all rows.'),
    })
    .meta({ title: 'ImportResult' })

/**
 * The result of an import. `created + updated + failed = processed`, plus `unchanged`, `skipped` and deleting rows if
 * the configuration has such. A replace with a failed row undoes everything: then `created`, `updated`, `unchanged` and
 * `deleted` are 0.
 */
export type ImportResult = Report<typeof ImportResult>
