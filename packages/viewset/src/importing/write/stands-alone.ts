import type { Stage } from '../read/layout.ts'
import type { RowDraft } from '../read/row-draft.ts'
import type { Lookups } from './lookups.ts'
import { comparable } from './units.ts'

/** Whether a row finds all that it refers to in what it says itself, so that it needs no other row of the file. */
export function standsAlone({ models }: Stage, lookups: Lookups, { cells }: RowDraft): boolean {
  return models.every(({ columns }, from) =>
    columns.every(({ plan: { lookup } }, at) => {
      const cell = cells[from]![at]
      if (!lookup || lookups.isSteady(lookup) || cell === null || cell === undefined) return true
      return models.some(({ reader, columns: candidates }, to) => {
        const by = candidates.findIndex(({ plan }) => plan.column === lookup.by && !plan.lookup)
        if (reader.plan.model !== lookup.model || by === -1) return false
        const { by: column, ignoreCase } = lookup
        return comparable(cells[to]![by], column, ignoreCase) === comparable(cell, column, ignoreCase)
      })
    }),
  )
}
