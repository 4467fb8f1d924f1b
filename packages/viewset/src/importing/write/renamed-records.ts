import { keyText } from '../../store/row-order.ts'
import type { ImportRow } from '../read/import-row.ts'
import type { SheetModel } from '../read/sheet-layout.ts'
import { comparable } from './comparable.ts'
import { lookedUpTexts, ownText, type RowReference } from './references-among-rows.ts'
import type { ImportRecord } from './row-groups.ts'
import { storedRecords } from './stored-records.ts'
import type { WriteContext } from './write-context.ts'

/**
 * The rows that must begin a new group: a stored record loses the value by which another row looks it up. The cells
 * show only its new value.
 */
export async function startsAtRenames(
  { all }: Pick<WriteContext, 'all'>,
  { reader: { plan } }: SheetModel,
  references: readonly RowReference[],
  records: readonly ImportRecord[],
  rows: readonly ImportRow[],
): Promise<ReadonlySet<ImportRow>> {
  const starts = new Set<ImportRow>()
  const changing = records.filter(({ key }) => key !== undefined)
  const renaming = references.filter(({ isKept }) => !isKept)
  const looking = renaming.filter(reference => rows.some(row => textsOfOthers(reference, row).length > 0))
  if (rows.length === 1 || changing.length === 0 || looking.length === 0) return starts
  const stored = await storedRecords(
    all(plan),
    changing.map(({ key }) => key),
  )
  for (const reference of looking) {
    const { by, ignoreCase } = reference.lookup
    for (const { key, values, rows: moving } of changing) {
      const before = stored.get(keyText(plan.model, key))?.[by.key] ?? null
      const after = values[by.key]
      if (before === null || after === undefined) continue
      const lost = comparable(before, by, ignoreCase)
      if (lost === comparable(after, by, ignoreCase)) continue
      let last = ''
      for (const row of rows) {
        const isLooking = textsOfOthers(reference, row).includes(lost)
        const now = moving.includes(row) ? (isLooking ? BOTH : 'renames') : isLooking ? 'looks up' : ''
        if (now === '') continue
        if (last !== '' && (now !== last || now === BOTH)) starts.add(row)
        last = now
      }
    }
  }
  return starts
}

/** A row that renames a record and looks up the old name. After it, an equal row would not find the record. */
const BOTH = 'both'

/** The values of other rows' records that a row looks up. */
function textsOfOthers(reference: RowReference, row: ImportRow): readonly string[] {
  const own = reference.isUnique && reference.from !== reference.to ? ownText(reference, row) : undefined
  return lookedUpTexts(reference, row).filter(text => text !== own)
}
