import type { ReadFile } from '../../tabular/read/file.ts'
import type { ImportMapping } from '../options.ts'
import type { HeaderAliases } from '../plan/headers.ts'
import { type ChosenSheet, chooseSheets } from '../read/choose-sheets.ts'
import { type ColumnMatches, matchColumns } from '../read/match-columns.ts'
import { isNeeded, type ModelReader } from '../read/model-reader.ts'
import { columnProblems } from '../read/sheet-layout.ts'
import type { ImportPreview, PreviewSheet } from './import-preview.ts'
import { missingFields, previewHeaders } from './preview-headers.ts'
import { previewRows, type RowsContext } from './preview-rows.ts'
import { suggestColumns } from './suggest-columns.ts'

export interface PreviewContext extends RowsContext {
  readonly readers: readonly ModelReader[]
  readonly aliases: HeaderAliases
  readonly mapping: ImportMapping | undefined
}

/**
 * Looks at the beginning of a file as an import would, and a little more kindly: what it would not find is suggested, and
 * what is missing is told.
 *
 * @throws ValidationError on `mapping` where it does not fit the file
 */
export async function previewFile(file: ReadFile, context: PreviewContext): Promise<ImportPreview> {
  const { format, csv } = file
  const { encoding = null, delimiter = null } = csv ?? {}
  const { chosen, problems, ignored } = chooseSheets(file, context.readers, context.mapping)
  const sheets: PreviewSheet[] = []
  for (const sheet of chosen) sheets.push(await previewSheet(sheet, context))
  return { format, encoding, delimiter, sheets, ignoredSheets: ignored, problems }
}

async function previewSheet(chosen: ChosenSheet, context: PreviewContext): Promise<PreviewSheet> {
  const { sheet, readers } = chosen
  const known = matchColumns(chosen, context.aliases)
  const suggestions = suggestColumns(known)
  const suggested = suggestions.flatMap(({ columns, at }) => columns.map(column => [column, [at]] as const))
  const matches: ColumnMatches = { ...known, found: new Map([...known.found, ...suggested]) }
  const isRequired = isNeeded(readers)
  return {
    name: sheet.name,
    model: readers.length === 1 ? (readers[0]?.plan.key ?? null) : null,
    headers: previewHeaders(matches, suggestions),
    missing: missingFields(matches, isRequired),
    rows: await previewRows(chosen, matches, context),
    // What the application feeds is known with the row.
    problems: columnProblems(matches, context.reading.prepareRow ? () => false : isRequired),
  }
}
