import * as z from 'zod'
import type { Report } from '../../kinds/report-schema.ts'
import { ImportRowError } from '../result.ts'

const HeaderReason = () => z.enum(['mapping', 'exact', 'case', 'separators', 'configured', 'near'])

/**
 * Why a column is taken for a field: the client's mapping says so, the header is the field's name (`exact`, or but for
 * `case` or `separators`), the configuration calls the field so, or its name is near.
 */
export type HeaderReason = Report<typeof HeaderReason>

const PreviewHeader = () =>
  z
    .object({
      header: z.string().describe('As the file has it; `(column 3)` for a column without one.'),
      field: z
        .union([z.string(), z.array(z.string())])
        .nullable()
        .describe('The field that it feeds, or the fields; null for none.'),
      reason: HeaderReason().nullable().describe('Why it is taken for that; null if it feeds nothing.'),
    })
    .meta({ title: 'PreviewHeader' })

/** A column of a file and what an import would take it for. */
export type PreviewHeader = Report<typeof PreviewHeader>

const PreviewField = () =>
  z
    .object({ field: z.string(), required: z.boolean().describe('An import cannot do without it.') })
    .meta({ title: 'PreviewField' })

/** A field that no column feeds. */
export type PreviewField = Report<typeof PreviewField>

const PreviewRow = () =>
  z
    .object({
      row: z.int().min(2).describe('The number that a person sees in the sheet: the header is row 1.'),
      cells: z
        .array(z.union([z.string(), z.number(), z.boolean()]).nullable())
        .describe('What stands in the file, column by column. Long texts are cut.'),
      values: z
        .record(z.string(), z.unknown())
        .describe(
          'What is read from it, by field: for a foreign key, what it is looked up by; nothing for what is wrong or left to its default.',
        ),
      problems: z.array(ImportRowError()).describe('What is wrong with its cells; the database was not asked.'),
    })
    .meta({ title: 'PreviewRow' })

/** One of the first rows of a sheet. */
export type PreviewRow = Report<typeof PreviewRow>

const PreviewSheet = () =>
  z
    .object({
      name: z.string().describe('As the workbook has it; empty for CSV.'),
      model: z.string().nullable().describe('The model that its rows become; null if each becomes records of several.'),
      headers: z.array(PreviewHeader()).describe('Its columns. Header and field together are a mapping.'),
      missing: z.array(PreviewField()).describe('Fields that no column feeds.'),
      rows: z.array(PreviewRow()).max(20).describe('The first rows that are not blank.'),
      problems: z.array(z.string()).describe('Why the sheet could not be imported so.'),
    })
    .meta({ title: 'PreviewSheet' })

/** A sheet of a file, as an import would read it. */
export type PreviewSheet = Report<typeof PreviewSheet>

export const ImportPreview = () =>
  z
    .object({
      format: z.enum(['csv', 'xls', 'xlsx']),
      encoding: z.string().nullable().describe('Of the text of a CSV file, such as `utf-8`; null for a workbook.'),
      delimiter: z.string().nullable().describe('Between the cells of a CSV file; null for a workbook.'),
      sheets: z.array(PreviewSheet()).describe('Those that an import would read, or might be told to read.'),
      ignoredSheets: z.array(z.string()).describe('Sheets that an import would not read.'),
      problems: z.array(z.string()).describe('Why it is not known which sheets are meant.'),
    })
    .meta({ title: 'ImportPreview' })

/** What an import would make of a file (see `ImportService.preview`). */
export type ImportPreview = Report<typeof ImportPreview>
