import { ValidationError } from '../../core/errors.ts'
import type { HeaderRow, ReadFile, ReadSheet } from '../../tabular/read/file.ts'
import type { ImportMapping } from '../options.ts'
import { type HeaderAliases, headerKey } from '../plan/headers.ts'
import { type ColumnMatches, isComplete, matchColumns } from './choose-sheets.ts'
import { type HeaderRows, headerRowOf } from './header-rows.ts'
import type { ModelReader } from './model-reader.ts'
import { isOfSheet } from './sheet-mapping.ts'
import { HeaderPositions } from './sheet-names.ts'

/** Where a header is looked for. */
export interface HeaderSearch {
  readonly readers: readonly ModelReader[]
  readonly aliases: HeaderAliases
  readonly mapping: ImportMapping | undefined
  /** The rows that the client sets. */
  readonly headerRow: HeaderRows | undefined
  /** That of the configuration, which counts unless only another row has all required columns. */
  readonly configuredRow: number | undefined
}

/**
 * The file with the header of each sheet, which need not be its first row: offices write titles above it. It is the
 * first of the first rows that has all required columns. Without one, it is the row of the configuration, the row that
 * has the most, or the first that is as wide as the table. A sheet that lacks the client's row stays as it is: it may be
 * one that the import does not read.
 */
export function withHeaders(file: ReadFile, search: HeaderSearch): ReadFile {
  return { ...file, sheets: file.sheets.map(sheet => withHeader(sheet, search)) }
}

function withHeader(sheet: ReadSheet, search: HeaderSearch): ReadSheet {
  const { top } = sheet
  const { configuredRow } = search
  const headerRow = headerRowOf(search.headerRow, sheet)
  if (top.length === 0) return sheet
  if (headerRow !== undefined) {
    const set = top.find(({ row }) => row === headerRow)
    return set ? below(sheet, set) : sheet
  }
  const scored = top.map(row => ({ row, ...scoreOf(sheet, row, search) }))
  const all = scored.filter(({ isComplete }) => isComplete)
  // Templates and files of failed rows have their header in the first row.
  const [complete] = all.filter(({ row }) => row.row === configuredRow).concat(all)
  if (complete) return below(sheet, complete.row)
  const configured = top.find(({ row }) => row === configuredRow)
  if (configured) return below(sheet, configured)
  // The messages are about the row that was probably meant. Who sends a mapping has seen its headers.
  const fitting = scored.filter(({ fits }) => fits)
  const candidates = fitting.length > 0 ? fitting : scored
  const most = Math.max(...candidates.map(({ found }) => found))
  const probable = most === 0 ? top.find(isWide(top)) : candidates.find(({ found }) => found === most)?.row
  return below(sheet, probable ?? (top[0] as HeaderRow))
}

/** Titles have few cells. A header reaches as far right as its table, except for a column or two without a name. */
function isWide(top: readonly HeaderRow[]): (row: HeaderRow) => boolean {
  const widest = Math.max(...top.map(({ texts }) => texts.length))
  return ({ texts }) => texts.length >= widest * 0.75 && texts.filter(text => text !== '').length >= texts.length / 2
}

/** The sheet with another row as its header. */
function below(sheet: ReadSheet, header: HeaderRow): ReadSheet {
  if (header === sheet.top[0]) return sheet
  return {
    ...sheet,
    header: withGroups(header, sheet.top),
    headerRow: header.row,
    rows: columns => sheet.rows(columns, header),
  }
}

interface Score {
  /** The fields that its headers name, and the headers of the mapping that it has. */
  readonly found: number
  readonly isComplete: boolean
  /** Whether the mapping fits it. */
  readonly fits: boolean
}

function scoreOf(sheet: ReadSheet, row: HeaderRow, { readers, aliases, mapping = {} }: HeaderSearch): Score {
  const named = readers.filter(({ plan }) => headerKey(plan.key) === headerKey(sheet.name))
  const its = named.length > 0 ? named : readers
  const chosen = {
    position: 0,
    sheet: { ...sheet, header: withGroups(row, sheet.top) },
    readers: its,
    isFlat: named.length === 0,
    mapping: mappingOf(mapping, sheet),
  }
  try {
    const matches = matchColumns(chosen, aliases)
    const found = Object.keys(chosen.mapping).length + fieldsNamed(matches)
    return { found, isComplete: isComplete(matches, its), fits: true }
  } catch (error) {
    if (!(error instanceof ValidationError)) throw error
    // The mapping does not fit this row. Its mistake is reported for the row that has the most of its headers.
    const positions = new HeaderPositions(chosen.sheet.header)
    const present = Object.keys(chosen.mapping).filter(header => positions.find(header).length > 0)
    const found = present.length + fieldsNamed(matchColumns({ ...chosen, mapping: {} }, aliases))
    return { found, isComplete: false, fits: false }
  }
}

function fieldsNamed({ found }: ColumnMatches): number {
  return [...found.values()].filter(at => at.length > 0).length
}

function mappingOf(mapping: ImportMapping, { name }: ReadSheet) {
  const own = Object.entries(mapping).flatMap(([key, entry]) => {
    if (!isOfSheet(entry)) return [[key, entry] as const]
    return headerKey(key) === headerKey(name) ? Object.entries(entry) : []
  })
  return Object.fromEntries(own)
}

/** Of two header rows, the lower one counts. A name that it has twice gets the group above it: `Billing / Street`. */
export function withGroups({ row, texts }: HeaderRow, top: readonly HeaderRow[]): readonly string[] {
  const above = top.find(other => other.row === row - 1)
  // A single text above is a title.
  if (!above || new Set(above.texts.filter(text => text !== '')).size < 2) return texts
  const keys = texts.map(headerKey)
  const counts = new Map<string, number>()
  for (const key of keys) counts.set(key, (counts.get(key) ?? 0) + 1)
  let group = ''
  return texts.map((text, at) => {
    group = above.texts[at] || group
    const isRepeated = text !== '' && (counts.get(keys[at] ?? '') ?? 0) > 1
    return isRepeated && group !== '' ? `${group} / ${text}` : text
  })
}
