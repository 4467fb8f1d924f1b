import { ValidationError } from '../../core/errors.ts'
import { type Message, message } from '../../core/messages/message.ts'
import type { ReadFile, ReadSheet } from '../../tabular/read/file.ts'
import { errorsColumnAt } from '../failed/failed-rows.ts'
import type { ImportMapping } from '../options.ts'
import { type HeaderAliases, headerKey } from '../plan/headers.ts'
import { fillsField, isComputed } from '../plan/plan.ts'
import { takesText } from './cells.ts'
import { type ChosenSheet, type ColumnMatches, chooseSheets, matchColumns } from './choose-sheets.ts'
import { exampleTest, type IsExample } from './example-row.ts'
import type { HeaderRows } from './header-rows.ts'
import { type ColumnReader, isNeeded, type ModelReader, ofWorkbook } from './model-reader.ts'
import type { HeaderPositions } from './sheet-names.ts'

export interface ImportedSheet {
  readonly position: number
  readonly name: string
  readonly models: readonly SheetModel[]
  /** The positions of the cells that the models need. Others are not read. */
  readonly columns: readonly number[]
  readonly headers: readonly string[]
  /** The positions in the file of sensitive columns, also of those under another of their headers. */
  readonly sensitive: ReadonlySet<number>
  /** The cells of the header's row, without the groups above it. */
  readonly headerTexts: readonly string[]
  /** Whether functions of the application see its rows: then all columns are read. */
  readonly isOpen: boolean
  /** In a template: whether a row is its example. */
  readonly isExample?: IsExample
}

export interface SheetModel {
  readonly reader: ModelReader
  readonly columns: readonly SheetColumn[]
}

export interface SheetColumn extends ColumnReader {
  /** The position among {@link ImportedSheet.columns}; `undefined` if the sheet lacks it. */
  readonly at: number | undefined
  readonly field: string
  readonly header: string | undefined
  /** Other headers for it, in the form of `headerKey`. */
  readonly names: readonly string[]
  readonly isNeeded: boolean
  /** Whether nothing keeps its cells, since a field of the column is sensitive. */
  readonly isSensitive: boolean
}

export interface Layout {
  readonly sheets: readonly ImportedSheet[]
  readonly ignoredColumns: readonly string[]
  readonly ignoredSheets: readonly string[]
}

/** The positions among {@link ImportedSheet.columns} that feed fields, and whether one of these takes texts. */
export function textPositions({ models }: ImportedSheet): ReadonlyMap<number | undefined, boolean> {
  const found = new Map<number | undefined, boolean>()
  for (const column of models.flatMap(({ columns }) => columns)) {
    if (column.at !== undefined) found.set(column.at, found.get(column.at) === true || takesText(column))
  }
  return found
}

const LONGEST_HEADER = 100

const MOST_NAMES = 20

export interface LayoutOptions {
  readonly mapping?: ImportMapping | undefined
  readonly headerRow?: HeaderRows | undefined
  readonly mayFeed?: boolean
}

/**
 * Finds the sheet and position of each column.
 *
 * @throws ValidationError with missing sheets or columns, or mistakes of the mapping or the header's row
 */
export function layoutOf(
  file: ReadFile,
  readers: readonly ModelReader[],
  aliases: HeaderAliases,
  { mapping, headerRow, mayFeed = false }: LayoutOptions = {},
): Layout {
  const { chosen, problems, remedies, ignored } = chooseSheets(file, readers, aliases, { mapping, headerRow })
  if (problems.length > 0) throw refused(problems)
  const isSeveral = chosen.length > 1
  const found = chosen.map(sheet => {
    const matches = matchColumns(sheet, aliases)
    // A client with a mapping has seen the columns and knows which are missing.
    const mustBeThere = mapping === undefined ? isOfField : isNeeded(sheet.readers)
    // Only the rows show which columns are added.
    const needed = mayFeed ? () => false : mustBeThere
    const wrong = columnProblems(matches, needed)
    const isAnyMissing = [...matches.found].some(([column, at]) => at.length === 0 && needed(column))
    const isOtherRow =
      headerRow === undefined &&
      matches.positions.names().length > 0 &&
      [...matches.found.values()].every(at => at.length === 0)
    const ofHeader = isOtherRow ? [message('missing_column.other_row')] : []
    if (wrong.length > 0)
      throw refused(
        isAnyMissing ? [...wrong, columnsOf(matches.positions, sheet.sheet), ...ofHeader, ...remedies] : wrong,
      )
    const imported = importedSheet(sheet, matches, mustBeThere, mayFeed)
    const read = new Set([...matches.found.values()].flat())
    const errorsAt = errorsColumnAt(sheet.sheet.header)
    const left = matches.positions.names().filter((_, at) => !read.has(at) && at !== errorsAt)
    const key = sheet.readers[0]?.plan.key
    return { imported, left: left.map(name => (isSeveral ? `${key}.${name}` : name)) }
  })
  return {
    sheets: found.map(({ imported }) => imported),
    ignoredColumns: found.flatMap(({ left }) => left),
    ignoredSheets: ignored,
  }
}

/** A file may omit the columns for deletions and for versions, and those that the configuration says. */
function isOfField({ plan }: ColumnReader): boolean {
  return fillsField(plan) && !plan.isOptional
}

export function columnProblems(
  { names, positions, found }: ColumnMatches,
  mustBeThere: (column: ColumnReader) => boolean,
): readonly Message[] {
  const problems = new Map<string, Message>()
  for (const [column, at] of found) {
    const [first] = at
    if (first === undefined) {
      if (!mustBeThere(column)) continue
      const [first = '', ...others] = names.shownNamesOf(column)
      problems.set(first, message('missing_column', { column: first, others }))
    } else if (at.length > 1) {
      const header = shortHeader(positions.nameOf(first))
      problems.set(header, message('repeated_column', { count: at.length, column: header }))
    }
  }
  return [...problems.values()]
}

function columnsOf(positions: HeaderPositions, { headerRow: row }: ReadSheet): Message {
  const names = positions.names()
  if (names.length === 0) return message('missing_column.none')
  const columns = names.slice(0, MOST_NAMES).map(shortHeader)
  return message('missing_column.found', { columns, more: names.length - columns.length, row })
}

export function importedSheet(
  { position, sheet, readers }: ChosenSheet,
  matches: ColumnMatches,
  mustBeThere: (column: ColumnReader) => boolean,
  mayFeed: boolean,
): ImportedSheet {
  const { names, positions, found } = matches
  const isOpen = mayFeed || readers.some(({ plan }) => plan.columns.some(isComputed))
  const fed = [...found.values()].flatMap(([first]) => (first === undefined ? [] : [first]))
  const needed = [...new Set(isOpen ? [...fed, ...sheet.header.keys()] : fed)]
  const sensitive = sensitivePositions(sheet, matches)
  // Only the sheet of a CSV file has no name.
  const isWorkbook = sheet.name !== ''
  const models = readers.map(
    (reader): SheetModel => ({
      reader,
      columns: reader.columns.map((column): SheetColumn => {
        const [at] = found.get(column) ?? []
        const described = {
          field: names.fieldOf(column),
          names: found.has(column) ? names.keysOf(column) : [],
          isNeeded: mustBeThere(column),
          isSensitive: column.plan.isSensitive === true || (at !== undefined && sensitive.has(at)),
        }
        const placed = { ...(isWorkbook ? ofWorkbook(column) : column), ...described }
        if (at === undefined) return { ...placed, at, header: undefined }
        return { ...placed, at: needed.indexOf(at), header: shortHeader(positions.nameOf(at)) }
      }),
    }),
  )
  const headers = needed.map(at => positions.nameOf(at))
  const { row } = sheet.top[0] ?? {}
  const { texts = sheet.header } = sheet.top.find(top => top.row === (sheet.headerRow ?? row)) ?? {}
  const headerTexts = needed.map(at => texts[at]?.trim() ?? '')
  const isExample = exampleTest(
    sheet,
    models.flatMap(model => model.columns),
  )
  return {
    position,
    name: sheet.name,
    models,
    columns: needed,
    headers,
    sensitive,
    headerTexts,
    isOpen,
    ...(isExample && { isExample }),
  }
}

function sensitivePositions({ header }: ReadSheet, { names, found }: ColumnMatches): ReadonlySet<number> {
  const columns = [...found].filter(([{ plan }]) => plan.isSensitive)
  const read = columns.flatMap(([, at]) => at)
  const others = new Set([...found].flatMap(([{ plan }, at]) => (plan.isSensitive ? [] : at)))
  const keys = new Set(columns.flatMap(([column]) => names.keysOf(column)))
  const unread = [...header.keys()].filter(at => !others.has(at) && keys.has(headerKey(header[at] ?? '')))
  return new Set([...read, ...unread])
}

/** A header for errors. Shortened, because every error of the column repeats it. */
export function shortHeader(header: string): string {
  return header.length > LONGEST_HEADER ? `${header.slice(0, LONGEST_HEADER).toWellFormed()}...` : header
}

function refused(problems: readonly Message[]): ValidationError {
  return new ValidationError({ file: [...problems] }, message('sentences', { texts: problems }))
}
