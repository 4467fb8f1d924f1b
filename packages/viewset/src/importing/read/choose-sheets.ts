import { ValidationError } from '../../core/errors.ts'
import { type Message, message } from '../../core/messages/message.ts'
import type { ReadFile, ReadSheet } from '../../tabular/read/file.ts'
import type { ImportMapping, MappedField } from '../options.ts'
import { type HeaderAliases, headerKey } from '../plan/headers.ts'
import { isInFile } from '../plan/plan.ts'
import { isGuide } from '../template/template.ts'
import { checkHeaderRows, type HeaderRows, lacksHeaderRow, sheetsWithHeaderRow } from './header-rows.ts'
import { type ColumnReader, isNeeded, type ModelReader } from './model-reader.ts'
import { hintOf, isOfSheet, type SheetMapping, sheetMapping, wrongMapping } from './sheet-mapping.ts'
import { HeaderPositions, SheetNames } from './sheet-names.ts'

export interface ChosenSheet {
  readonly position: number
  readonly sheet: ReadSheet
  readonly readers: readonly ModelReader[]
  readonly isFlat: boolean
  readonly mapping: Readonly<Record<string, MappedField>>
}

interface SheetChoice {
  readonly chosen: readonly ChosenSheet[]
  /** If the choice is unclear, all candidates are chosen. */
  readonly problems: readonly Message[]
  /** What to do if columns are missing. */
  readonly remedies: readonly Message[]
  readonly ignored: readonly string[]
}

/** What the client says about the sheets. */
interface SheetsOfClient {
  readonly mapping?: ImportMapping | undefined
  readonly headerRow?: HeaderRows | undefined
}

const NAMED_SHEETS = 10

/**
 * Finds the sheets of models: one for each, named by its key, or a single one whose rows cover all models. Of several
 * candidates, the sheet that the mapping or the header's row names is chosen, or else the only one that has all required
 * columns.
 *
 * @throws ValidationError on `mapping` if it names missing sheets, or if the sheet is ambiguous; on `header_row` if a
 *   chosen sheet lacks the row
 */
export function chooseSheets(
  { format, sheets }: ReadFile,
  readers: readonly ModelReader[],
  aliases: HeaderAliases,
  { mapping = {}, headerRow }: SheetsOfClient,
): SheetChoice {
  const byName = new Map(sheets.map((sheet, index) => [headerKey(sheet.name), index]))
  const { columns, bySheet } = splitMapping(mapping, byName, sheets)
  const choose = (position: number, its: readonly ModelReader[], isFlat: boolean, isOnly: boolean): ChosenSheet => ({
    position,
    sheet: sheets[position] as ReadSheet,
    readers: its,
    isFlat,
    mapping: { ...(isOnly && columns), ...bySheet.get(position) },
  })
  const check = (chosen: readonly ChosenSheet[]) => {
    checkMapping(chosen, columns, bySheet, sheets)
    const read = chosen.map(({ sheet }) => sheet)
    checkHeaderRows(headerRow, sheets, read)
  }
  const named = readers.map(({ plan }) => byName.get(headerKey(plan.key)))
  const missing = readers.filter((_, index) => named[index] === undefined).map(({ plan }) => plan.key)
  if (format !== 'csv' && missing.length === 0) {
    const isOnly = readers.length === 1
    const chosen = readers.map((reader, index) => choose(named[index] as number, [reader], false, isOnly))
    check(chosen)
    return {
      chosen,
      problems: [],
      remedies: [],
      ignored: sheets.filter((sheet, at) => !named.includes(at) && !isGuide(sheet)).map(({ name }) => name),
    }
  }
  const keys = readers.map(({ plan }) => plan.key)
  // Older programs create workbooks with three sheets, of which people fill in the first. People see no hidden ones.
  const written = sheets.flatMap((sheet, index) => (sheet.header.length > 0 && !isGuide(sheet) ? [index] : []))
  const withRow = sheetsWithHeaderRow(headerRow, sheets)
  const meant = written.filter(index => bySheet.has(index))
  const meantByRow = written.filter(index => meant.length === 0 && withRow.includes(index))
  const visible = written.filter(index => !sheets[index]?.isHidden)
  const shown = visible.length > 0 ? visible : written
  const long = shown.filter(index => !lacksHeaderRow(headerRow, sheets[index]!))
  const filled = long.length > 0 ? long : shown
  const complete = (candidates: readonly number[]) =>
    candidates.filter(position => hasAllColumns(choose(position, readers, true, true), aliases))
  const single = [meant, meantByRow, filled, complete(filled)].find(({ length }) => length === 1)
  const [only = 0, ...others] = single ?? filled
  if (sheets[only] && others.length === 0) {
    const chosen = [choose(only, readers, true, true)]
    check(chosen)
    const remedies = format === 'csv' || readers.length === 1 ? [] : [message('missing_sheet.needed', { sheets: keys })]
    return { chosen, problems: [], remedies, ignored: written.filter(at => at !== only).map(at => sheets[at]!.name) }
  }
  if (long.length === 0)
    checkHeaderRows(
      headerRow,
      sheets,
      filled.slice(0, NAMED_SHEETS).map(at => sheets[at]!),
    )
  const names = filled.slice(0, NAMED_SHEETS).map(index => sheets[index]?.name ?? '')
  const found = message('missing_sheet.found', { sheets: names, more: filled.length > NAMED_SHEETS })
  const [key = ''] = keys
  const rename = keys.length === 1 ? [message('missing_sheet.rename', { sheet: key })] : []
  return {
    chosen: filled.slice(0, NAMED_SHEETS).map(position => choose(position, readers, true, false)),
    problems: [...missing.map(sheet => message('missing_sheet', { sheet })), found, ...rename],
    remedies: [],
    ignored: [],
  }
}

function splitMapping(
  mapping: ImportMapping,
  byName: ReadonlyMap<string, number>,
  sheets: readonly ReadSheet[],
): {
  readonly columns: Readonly<Record<string, MappedField>>
  readonly bySheet: ReadonlyMap<number, Readonly<Record<string, MappedField>>>
} {
  const columns: [string, MappedField][] = []
  const bySheet = new Map<number, Readonly<Record<string, MappedField>>>()
  for (const [name, entry] of Object.entries(mapping)) {
    if (!isOfSheet(entry)) {
      columns.push([name, entry])
      continue
    }
    const position = byName.get(headerKey(name))
    if (position === undefined) throw unknownSheet(name, sheets)
    bySheet.set(position, { ...bySheet.get(position), ...entry })
  }
  return { columns: Object.fromEntries(columns), bySheet }
}

function checkMapping(
  chosen: readonly ChosenSheet[],
  columns: Readonly<Record<string, MappedField>>,
  bySheet: ReadonlyMap<number, unknown>,
  sheets: readonly ReadSheet[],
): void {
  const unread = [...bySheet.keys()].find(position => !chosen.some(sheet => sheet.position === position))
  const names = chosen.map(({ sheet }) => sheet.name)
  if (unread !== undefined) {
    const sheet = sheets[unread]?.name ?? ''
    throw wrongMapping([message('invalid_mapping.unread_sheet', { sheet, hint: message('hint.names', { names }) })])
  }
  const [column] = Object.keys(columns)
  if (chosen.length === 1 || column === undefined) return
  throw wrongMapping([message('invalid_mapping.by_sheet', { sheet: names[0] ?? '' })])
}

function unknownSheet(name: string, sheets: readonly ReadSheet[]): Error {
  const known = sheets.slice(0, NAMED_SHEETS).flatMap(sheet => (sheet.name === '' ? [] : [sheet.name]))
  const sheet = name.slice(0, 100)
  if (known.length === 0) return wrongMapping([message('invalid_mapping.csv_sheet', { sheet })])
  return wrongMapping([message('invalid_mapping.sheet', { sheet, hint: hintOf(sheet, known) })])
}

function hasAllColumns(sheet: ChosenSheet, aliases: HeaderAliases): boolean {
  try {
    return isComplete(matchColumns(sheet, aliases), sheet.readers)
  } catch (error) {
    if (error instanceof ValidationError) return false
    throw error
  }
}

/** Whether all required columns are found. If the import has several fields, at least two. */
export function isComplete({ found }: ColumnMatches, readers: readonly ModelReader[]): boolean {
  const needed = isNeeded(readers)
  const all = [...found]
  const isMissing = all.some(([column, at]) => at.length === 0 && needed(column))
  return !isMissing && all.filter(([, at]) => at.length > 0).length >= Math.min(2, found.size)
}

export interface ColumnMatches {
  readonly names: SheetNames
  readonly positions: HeaderPositions
  /** The positions of each column: none, or several if several have its header. */
  readonly found: ReadonlyMap<ColumnReader, readonly number[]>
  readonly mapping: SheetMapping
}

/** @throws ValidationError on `mapping` if it does not fit */
export function matchColumns(
  { sheet, readers, isFlat, mapping: given }: ChosenSheet,
  aliases: HeaderAliases,
): ColumnMatches {
  const names = new SheetNames(readers, isFlat, aliases)
  const positions = new HeaderPositions(sheet.header)
  const mapping = sheetMapping(given, positions, readers)
  const free = freePositions(sheet, mapping)
  const found = new Map(
    readers.flatMap(({ columns }) =>
      columns
        .filter(({ plan }) => isInFile(plan))
        .map(column => {
          const at = mapping.at.get(column)
          if (at !== undefined) return [column, [at]] as const
          const key = names.keysOf(column).find(name => free.has(name))
          return [column, (key !== undefined && free.get(key)) || []] as const
        }),
    ),
  )
  return { names, positions, found, mapping }
}

/** The columns outside of the mapping, by header. */
function freePositions({ header }: ReadSheet, { named }: SheetMapping): ReadonlyMap<string, readonly number[]> {
  const free = new Map<string, number[]>()
  for (const [at, name] of header.entries()) {
    const key = headerKey(name)
    if (key !== '' && !named.has(at)) free.set(key, [...(free.get(key) ?? []), at])
  }
  return free
}
