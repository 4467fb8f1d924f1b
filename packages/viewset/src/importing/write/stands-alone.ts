import type { ImportRow } from '../read/import-row.ts'
import type { ImportedSheet } from '../read/sheet-layout.ts'
import { comparable } from './comparable.ts'
import type { ForeignKeyLookups } from './foreign-key-lookups.ts'

/** Whether a row needs no other row of the file: every record that it refers to is in the row itself. */
export function standsAlone({ models }: ImportedSheet, lookups: ForeignKeyLookups, { cells }: ImportRow): boolean {
  return models.every(({ columns }, from) =>
    columns.every(({ plan: { lookup } }, at) => {
      const cell = cells[from]![at]
      if (!lookup || lookups.isUntouched(lookup) || cell === null || cell === undefined) return true
      return models.some(({ reader, columns: candidates }, to) => {
        const by = candidates.findIndex(({ plan }) => plan.column === lookup.by && !plan.lookup)
        if (reader.plan.model !== lookup.model || by === -1) return false
        const { by: column, ignoreCase } = lookup
        return comparable(cells[to]![by], column, ignoreCase) === comparable(cell, column, ignoreCase)
      })
    }),
  )
}
