import type { ReadFile } from '../../tabular/read/file.ts'
import { encodingWarnings } from '../file-warnings.ts'
import type { FindMappings, ImportMapping } from '../options.ts'
import { type HeaderAliases, headerKey } from '../plan/headers.ts'
import { checkColumns } from '../read/cell-values.ts'
import { type ChosenSheet, type ColumnMatches, chooseSheets, matchColumns } from '../read/choose-sheets.ts'
import type { HeaderRows } from '../read/header-rows.ts'
import { type ColumnReader, isNeeded, type ModelReader } from '../read/model-reader.ts'
import { columnProblems } from '../read/sheet-layout.ts'
import type { SheetNames } from '../read/sheet-names.ts'
import { suggestMappings } from '../saved/suggest-mappings.ts'
import type { HeaderReason, ImportPreview, PreviewField, PreviewHeader, PreviewSheet } from './import-preview.ts'
import { previewRows, type RowsContext } from './preview-rows.ts'
import { type Suggestion, suggestColumns } from './suggest-columns.ts'

interface PreviewContext extends RowsContext {
  readonly readers: readonly ModelReader[]
  readonly aliases: HeaderAliases
  readonly mapping: ImportMapping | undefined
  readonly headerRow: HeaderRows | undefined
  /** `undefined` if there are no saved mappings. */
  readonly findMappings: FindMappings | undefined
  readonly hidesFields: boolean
  readonly configuredRow: number | undefined
}

/** @throws ValidationError on `mapping`, `header_row` or `values` if they do not fit the file */
export async function previewFile(file: ReadFile, context: PreviewContext): Promise<ImportPreview> {
  const { format, csv } = file
  const { encoding = null, delimiter = null } = csv ?? {}
  if (context.values) checkColumns(file, context.values)
  const { chosen, problems, ignored } = chooseSheets(file, context.readers, context.aliases, context)
  const sheets: PreviewSheet[] = []
  for (const sheet of chosen) sheets.push(await previewSheet(sheet, context))
  const { findMappings } = context
  const savedMappings = findMappings && (await suggestMappings(file, chosen, { ...context, findMappings }))
  return {
    format,
    encoding,
    delimiter,
    sheets,
    ignoredSheets: ignored,
    problems: problems.map(String),
    ...(csv?.isGuessed && { warnings: encodingWarnings(csv) }),
    ...(savedMappings && { savedMappings }),
  }
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
    ...(await previewRows(chosen, matches, context)),
    // Only the rows show which columns the application fills.
    problems: columnProblems(matches, context.reading.prepareRow ? () => false : isRequired).map(String),
  }
}

function previewHeaders(
  { names, positions, found, mapping }: ColumnMatches,
  suggestions: readonly Suggestion[],
): readonly PreviewHeader[] {
  const fed = new Map<number, ColumnReader[]>()
  for (const [column, [at, ...others]] of found) {
    // Several columns with one header are ambiguous.
    if (at !== undefined && others.length === 0) fed.set(at, [...(fed.get(at) ?? []), column])
  }
  const suggested = new Map(suggestions.map(({ at, reason }) => [at, reason]))
  return positions.names().map((header, at): PreviewHeader => {
    const [column, ...others] = fed.get(at) ?? []
    const isMapped = mapping.named.has(at)
    if (!column) return { header, field: null, reason: isMapped ? 'mapping' : null }
    const field = namesTogether([column, ...others], names, [...found.keys()])
    const reason = suggested.get(at) ?? (isMapped ? 'mapping' : reasonOf(header, names.fieldOf(column)))
    return { header, field, reason }
  })
}

function missingFields(
  { names, found }: ColumnMatches,
  isRequired: (column: ColumnReader) => boolean,
): readonly PreviewField[] {
  const missing = new Map<string, boolean>()
  for (const [column, at] of found) {
    if (at.length === 1) continue
    const field = names.fieldOf(column)
    missing.set(field, missing.get(field) || isRequired(column))
  }
  return [...missing].map(([field, required]) => ({ field, required }))
}

/** The names of columns in a mapping: their field if it means exactly these, or else one by one. */
function namesTogether(
  columns: readonly ColumnReader[],
  names: SheetNames,
  all: readonly ColumnReader[],
): string | readonly string[] {
  const used = new Set(
    columns.map(column => {
      const field = names.fieldOf(column)
      const isWhole = all.every(other => names.fieldOf(other) !== field || columns.includes(other))
      return isWhole ? field : names.fullNameOf(column)
    }),
  )
  const [first, ...others] = used
  return first !== undefined && others.length === 0 ? first : [...used]
}

function reasonOf(header: string, field: string): HeaderReason {
  if (header === field) return 'exact'
  if (header.toLowerCase() === field.toLowerCase()) return 'case'
  return headerKey(header) === headerKey(field) ? 'separators' : 'configured'
}
