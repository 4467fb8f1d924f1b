import { ValidationError } from '../../core/errors.ts'
import type { ReadFile } from '../../tabular/read/file.ts'
import type { ReadingOptions } from '../options.ts'
import type { HeaderAliases } from '../plan/headers.ts'
import { checkColumns, refuseSensitive } from '../read/cell-values.ts'
import { type ChosenSheet, chooseSheets, matchColumns } from '../read/choose-sheets.ts'
import { isNeeded, type ModelReader } from '../read/model-reader.ts'
import { importedSheet } from '../read/sheet-layout.ts'

export interface ChoiceContext {
  readonly readers: readonly ModelReader[]
  readonly aliases: HeaderAliases
}

/** The headers of a file, by the name of its sheet. A CSV file has one sheet without a name. */
export type FileHeaders = Readonly<Record<string, readonly string[]>>

/** A file of these headers, without rows. */
export function fileOfHeaders(headers: FileHeaders): ReadFile {
  const sheets = Object.entries(headers).map(([name, header]) => ({
    name,
    header,
    top: [],
    rows: async function* () {},
  }))
  return { format: '' in headers ? 'csv' : 'xlsx', sheets, close: async () => {} }
}

/**
 * The sheets that an import with this choice reads. Columns may be missing.
 *
 * @throws ValidationError for a choice that does not fit the headers of the file
 */
export function sheetsOfChoice(
  file: ReadFile,
  { mapping, headerRow, values }: ReadingOptions,
  { readers, aliases }: ChoiceContext,
): readonly ChosenSheet[] {
  const { chosen, problems } = chooseSheets(file, readers, aliases, { mapping, headerRow })
  if (problems.length > 0) throw new ValidationError({ headers: [...problems] })
  if (values) checkColumns(file, values)
  for (const sheet of chosen) {
    const matches = matchColumns(sheet, aliases)
    if (values) refuseSensitive(sheet.sheet, importedSheet(sheet, matches, isNeeded(sheet.readers), false), values)
  }
  return chosen
}
