import { ValidationError } from '../../core/errors.ts'
import type { HeaderRow, ReadFile, ReadSheet } from '../../tabular/read/file.ts'
import type { FindMappings, ImportMapping, ReadingOptions, StoredMapping } from '../options.ts'
import type { ChosenSheet } from '../read/choose-sheets.ts'
import { withGroups, withHeaders } from '../read/find-header.ts'
import type { HeaderRows } from '../read/header-rows.ts'
import { isOfSheet } from '../read/sheet-mapping.ts'
import { isGuide } from '../template/template.ts'
import { type ChoiceContext, sheetsOfChoice } from './check-choice.ts'
import { headerFingerprint } from './header-fingerprint.ts'
import { type SavedMapping, shownMapping } from './saved-mapping.ts'
import { visibleChoice } from './visible-choice.ts'

export interface SuggestionContext extends ChoiceContext {
  readonly findMappings: FindMappings
  readonly hidesFields: boolean
  /** The number of the header's row, if the configuration sets it. */
  readonly configuredRow: number | undefined
}

/** Sheets of a workbook whose headers are compared. */
const MOST_SHEETS = 10

/** A row that may be the header of a sheet. */
interface Place {
  readonly sheet: ReadSheet
  readonly row: HeaderRow
}

/**
 * The saved mappings for the headers of a file, as an import of this file takes them. Each of the first rows may be the
 * header: a file may need its mapping before an import finds its header.
 *
 * @param chosen the sheets that an import without these mappings reads
 */
export async function suggestMappings(
  file: ReadFile,
  chosen: readonly ChosenSheet[],
  context: SuggestionContext,
): Promise<readonly SavedMapping[]> {
  const places = placesIn(file)
  const together = headerFingerprint(chosen.map(({ sheet }) => sheet))
  const stored = await context.findMappings([...new Set([...places.keys(), together])])
  return stored.flatMap(mapping => suggestionOf(file, mapping, places.get(mapping.fingerprint), context) ?? [])
}

function placesIn({ sheets }: ReadFile): ReadonlyMap<string, Place> {
  const places = new Map<string, Place>()
  const written = sheets.filter(sheet => sheet.top.length > 0 && !isGuide(sheet))
  for (const sheet of written.slice(0, MOST_SHEETS)) {
    for (const row of sheet.top) {
      const fingerprint = headerFingerprint([{ name: sheet.name, header: withGroups(row, sheet.top) }])
      if (!places.has(fingerprint)) places.set(fingerprint, { sheet, row })
    }
  }
  return places
}

/** `undefined` for a mapping that no longer fits. */
function suggestionOf(
  file: ReadFile,
  mapping: StoredMapping,
  place: Place | undefined,
  context: SuggestionContext,
): SavedMapping | undefined {
  const readings = readingsAt(visibleChoice(mapping.reading, context), place)
  const reading = readings.find(candidate => fits(file, candidate, mapping.fingerprint, context))
  return reading && shownMapping({ ...mapping, reading })
}

/** This file may have its header in another row, or its sheet may have another name. */
function readingsAt(saved: ReadingOptions, place: Place | undefined): readonly ReadingOptions[] {
  const { mapping, headerRow, ...others } = saved
  if (!place) return [saved]
  const { sheet } = place
  const rows = rowsFor(headerRow, place)
  const mappings = mapping ? mappingsFor(mapping, sheet) : [undefined]
  return mappings.flatMap(each =>
    rows.map(number => ({
      ...(each && { mapping: each }),
      ...(number && { headerRow: number }),
      ...others,
    })),
  )
}

/** The saved form first. A number is the row of any sheet. */
function rowsFor(saved: HeaderRows | undefined, { sheet, row: { row } }: Place): readonly (HeaderRows | undefined)[] {
  const ofSheet = sheet.name === '' ? row : { [sheet.name]: row }
  if (saved === undefined) return [undefined, row, ofSheet]
  return typeof saved === 'number' ? [row, ofSheet, undefined] : [ofSheet, row, undefined]
}

function mappingsFor(mapping: ImportMapping, { name }: ReadSheet): readonly ImportMapping[] {
  const columns = Object.fromEntries(
    Object.entries(mapping).flatMap(([header, entry]) =>
      isOfSheet(entry) ? Object.entries(entry) : [[header, entry]],
    ),
  )
  const bySheet = { [name]: columns }
  if (name === '') return [columns]
  return Object.values(mapping).some(isOfSheet) ? [bySheet, columns] : [columns, bySheet]
}

/** Whether an import of the file with this choice reads the same headers. */
function fits(file: ReadFile, reading: ReadingOptions, fingerprint: string, context: SuggestionContext): boolean {
  const { readers, aliases, configuredRow } = context
  const { mapping, headerRow } = reading
  // The preview has already chosen a header of each sheet.
  const sheets = file.sheets.map(sheet => ({ ...sheet, header: sheet.top[0]?.texts ?? sheet.header }))
  try {
    const read = withHeaders({ ...file, sheets }, { readers, aliases, mapping, headerRow, configuredRow })
    const chosen = sheetsOfChoice(read, reading, context)
    return headerFingerprint(chosen.map(({ sheet }) => sheet)) === fingerprint
  } catch (error) {
    if (error instanceof ValidationError) return false
    throw error
  }
}
