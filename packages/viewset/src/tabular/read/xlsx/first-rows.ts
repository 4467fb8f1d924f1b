import type { FoundRow } from '../found-row.ts'
import type { SheetSource } from '../sheet-source.ts'
import type { SharedTexts } from './sheet.ts'

/** What the first rows of a workbook are read from. */
export interface FirstRowsSource {
  readonly sheets: readonly { readonly name: string; readonly part: string }[]
  /** The first rows of a sheet that are not blank. */
  readRows(part: string, texts: SharedTexts, most: number): Promise<readonly FoundRow[]>
  /** Those of the shared texts that are asked for. */
  readTexts(wanted: ReadonlySet<number>): Promise<SharedTexts>
}

/** Rows that are looked through at first, of which some may turn out to be blank; then as many times more. */
const MORE = 8

/**
 * The first rows of each sheet, which cost what the beginning of the file costs: they are read once to see which of the
 * shared texts they need, and once more with these. A workbook may have millions of texts.
 *
 * @param most rows that are wanted of a sheet
 */
export async function firstRows(source: FirstRowsSource, most: number, lookedAt = most): Promise<SheetSource[]> {
  const wanted = new Set<number>()
  const seen: (readonly FoundRow[])[] = []
  for (const { part } of source.sheets) {
    seen.push(await source.readRows(part, { at: index => wish(wanted, index) }, lookedAt))
  }
  const texts = await source.readTexts(wanted)
  const sheets: SheetSource[] = []
  let mustLookFurther = false
  for (const [index, { name, part }] of source.sheets.entries()) {
    const { length, [length - 1]: last } = seen[index] as readonly FoundRow[]
    const read = await source.readRows(part, texts, lookedAt)
    const rows = read.filter(({ row }) => row <= (last?.row ?? 0)).slice(0, most)
    if (rows.length < most && length === lookedAt) mustLookFurther = true
    sheets.push({
      name,
      rows: async function* () {
        if (rows.length > 0) yield rows
      },
    })
  }
  return mustLookFurther ? firstRows(source, most, lookedAt * MORE) : sheets
}

/** Notes that a text is needed. Whether it is blank is not known yet, so it does not count as such. */
function wish(wanted: Set<number>, index: number): string {
  wanted.add(index)
  return '?'
}
