import type { SheetColumn, SheetModel } from './sheet-layout.ts'

/**
 * Fills the defaults of a row's key in. Returns the part that is empty if the row has no part of its key itself: such
 * rows would all be about one record, each writing over the one before. Fixed and constant fields are no part of a row.
 */
export function completeKey(
  { reader, columns }: SheetModel,
  values: unknown[],
  fixed: ReadonlySet<SheetColumn>,
): SheetColumn | undefined {
  let empty: SheetColumn | undefined
  let isGiven = false
  for (const at of reader.unique) {
    const column = columns[at]!
    const { own, column: stored } = column.plan
    if (fixed.has(column)) continue
    const isEmpty = values[at] === null
    if (isEmpty && stored.hasPlainDefault) values[at] = stored.createValue?.()
    if (values[at] === '') return column
    if (isEmpty) empty ??= column
    else isGiven ||= !own || 'compute' in own
  }
  return isGiven ? undefined : empty
}
