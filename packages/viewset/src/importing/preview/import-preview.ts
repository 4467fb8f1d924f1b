import * as z from 'zod'
import type { Report } from '../../kinds/report-schema.ts'
import { ImportRowError, ImportWarning, UnmatchedColumns } from '../result.ts'
import { SavedMapping } from '../saved/saved-mapping.ts'

const HeaderReason = () => z.enum(['mapping', 'exact', 'case', 'separators', 'configured', 'near'])

/**
 * The reason for a column's field. It is the client's mapping (`mapping`), the field's name (`exact`, or except for
 * `case` or `separators`), a configured header (`configured`), or a similar name (`near`).
 */
export type HeaderReason = Report<typeof HeaderReason>

const PreviewHeader = () =>
  z
    .object({
      header: z.string().describe('As in the file; `(column 3)` for a column without one.'),
      field: z
        .union([z.string(), z.array(z.string())])
        .nullable()
        .describe('The field or fields that it feeds; null for none.'),
      reason: HeaderReason().nullable().describe('The reason for its field; null if it feeds none.'),
    })
    .meta({ title: 'PreviewHeader' })

/** A column of a file and its field in an import. */
export type PreviewHeader = Report<typeof PreviewHeader>

const PreviewField = () =>
  z
    .object({ field: z.string(), required: z.boolean().describe('Whether an import requires it.') })
    .meta({ title: 'PreviewField' })

/** A field without a column. */
export type PreviewField = Report<typeof PreviewField>

const PreviewRow = () =>
  z
    .object({
      row: z
        .int()
        .min(2)
        .describe('The number that a person sees in the sheet, which counts the header and titles above it.'),
      cells: z
        .array(z.union([z.string(), z.number(), z.boolean()]).nullable())
        .describe('The cells in the order of columns. Long texts are cut.'),
      values: z
        .record(z.string(), z.unknown())
        .describe(
          'The values read from it, by field: lookup values of foreign keys, and no entry for invalid cells and defaults.',
        ),
      problems: z.array(ImportRowError()).describe('The errors of its cells, found without the database.'),
      warnings: z
        .array(ImportRowError())
        .optional()
        .describe('Its warnings, found without the database; absent if there are none.'),
    })
    .meta({ title: 'PreviewRow' })

/** One of the first rows of a sheet. */
export type PreviewRow = Report<typeof PreviewRow>

const PreviewSheet = () =>
  z
    .object({
      name: z.string().describe('As in the workbook; empty for CSV.'),
      model: z.string().nullable().describe('The model of its rows; null if each row becomes records of several.'),
      headers: z.array(PreviewHeader()).describe('Its columns. Header and field together are a mapping.'),
      missing: z.array(PreviewField()).describe('Fields without a column.'),
      rows: z.array(PreviewRow()).max(20).describe('The first rows that are not blank.'),
      unmatched: UnmatchedColumns()
        .optional()
        .describe(
          'Texts of the first 1,000 rows that name no record, or none of the choices, by header. Absent if there are none.',
        ),
      problems: z.array(z.string()).describe('The reasons why the sheet cannot be imported yet.'),
    })
    .meta({ title: 'PreviewSheet' })

/** A sheet of a file as an import would read it. */
export type PreviewSheet = Report<typeof PreviewSheet>

export const ImportPreview = () =>
  z
    .object({
      format: z.enum(['csv', 'xls', 'xlsx']),
      encoding: z.string().nullable().describe('The encoding of a CSV file, such as `utf-8`; null for a workbook.'),
      delimiter: z.string().nullable().describe('The delimiter of a CSV file; null for a workbook.'),
      sheets: z.array(PreviewSheet()).describe('The sheets that an import would read, or could read with a mapping.'),
      ignoredSheets: z.array(z.string()).describe('Names of sheets that an import would skip.'),
      marked: z
        .int()
        .min(0)
        .optional()
        .describe('The number of marked rows that would delete their record; only for a file for editing.'),
      problems: z
        .array(z.string())
        .describe('The reasons why the choice of sheets is unclear, or why an import would refuse an edited file.'),
      warnings: z.array(ImportWarning()).optional().describe('Warnings of the whole file; absent if there are none.'),
      savedMappings: z
        .array(SavedMapping())
        .optional()
        .describe('Saved mappings for these headers, own ones first. Absent if the API keeps none.'),
    })
    .meta({ title: 'ImportPreview' })

/** The result of `ImportService.preview`. */
export type ImportPreview = Report<typeof ImportPreview>
