import { lookedUp } from '../read/cells.ts'
import type { ImportRow } from '../read/import-row.ts'
import type { ImportedSheet } from '../read/sheet-layout.ts'
import { comparable } from './comparable.ts'
import type { ForeignKeyLookups } from './foreign-key-lookups.ts'

/** Whether a row needs no other row of the file, since all records that it refers to are in it. */
export function standsAlone({ models }: ImportedSheet, lookups: ForeignKeyLookups, { cells }: ImportRow): boolean {
  return models.every(({ columns }, from) =>
    columns.every(({ plan: { lookup, links } }, at) => {
      if (!lookup || lookups.isUntouched(lookup)) return true
      const { by: column, ignoreCase } = lookup
      return lookedUp(cells[from]![at], links).every(value =>
        models.some(({ reader, columns: candidates }, to) => {
          const by = candidates.findIndex(({ plan }) => plan.column === column && !plan.lookup)
          if (reader.plan.model !== lookup.model || by === -1) return false
          return comparable(cells[to]![by], column, ignoreCase) === comparable(value, column, ignoreCase)
        }),
      )
    }),
  )
}
