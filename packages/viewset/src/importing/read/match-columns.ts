import type { ReadSheet } from '../../tabular/read/file.ts'
import { type HeaderAliases, headerKey } from '../plan/headers.ts'
import { isInFile } from '../plan/plan.ts'
import type { ChosenSheet } from './choose-sheets.ts'
import type { ColumnReader } from './model-reader.ts'
import { type SheetMapping, sheetMapping } from './sheet-mapping.ts'
import { HeaderPositions, SheetNames } from './sheet-names.ts'

/** Which column of a sheet is which, so far as its headers and the client's mapping say. */
export interface ColumnMatches {
  readonly names: SheetNames
  readonly positions: HeaderPositions
  /** Where each column may stand: nowhere, or at several places if several have its header. */
  readonly found: ReadonlyMap<ColumnReader, readonly number[]>
  readonly mapping: SheetMapping
}

/** @throws ValidationError on `mapping` where it does not fit */
export function matchColumns(
  { sheet, readers, isFlat, mapping: told }: ChosenSheet,
  aliases: HeaderAliases,
): ColumnMatches {
  const names = new SheetNames(readers, isFlat, aliases)
  const positions = new HeaderPositions(sheet.header)
  const mapping = sheetMapping(told, positions, readers)
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

/** The columns of which the mapping says nothing, by their headers. */
function freePositions({ header }: ReadSheet, { named }: SheetMapping): ReadonlyMap<string, readonly number[]> {
  const free = new Map<string, number[]>()
  for (const [at, name] of header.entries()) {
    const key = headerKey(name)
    if (key !== '' && !named.has(at)) free.set(key, [...(free.get(key) ?? []), at])
  }
  return free
}
