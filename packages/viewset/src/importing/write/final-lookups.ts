import { isAboutRow } from '../../model/drizzle.ts'
import type { Stage, StageColumn } from '../read/layout.ts'
import type { RowDraft } from '../read/row-draft.ts'
import type { ImportScope } from './attempt.ts'
import { comparable } from './units.ts'

/**
 * Tells which foreign keys find nothing whatever becomes of the other rows: none of them writes the value that is looked
 * up, and none can take it from a record. Without this, a wrong column in a flat file would have its rows tried for as
 * long as there are some left.
 */
export class FinalLookups {
  readonly #scope: ImportScope
  readonly #stage: Stage
  readonly #drafts: readonly RowDraft[]
  readonly #written = new Map<StageColumn, ReadonlySet<string> | undefined>()

  constructor(scope: ImportScope, stage: Stage, drafts: readonly RowDraft[]) {
    this.#scope = scope
    this.#stage = stage
    this.#drafts = drafts
  }

  /** Whether no other row has to do with what `column` looks `cell` up by. */
  has(column: StageColumn, cell: unknown): boolean {
    const { lookup } = column.plan
    if (!lookup) return false
    if (!this.#written.has(column)) this.#written.set(column, this.#valuesFor(lookup))
    const written = this.#written.get(column)
    return written !== undefined && !written.has(comparable(cell, lookup.by, lookup.ignoreCase))
  }

  /** The values that the rows write where a lookup searches; `undefined` where they could also hide or rename records. */
  #valuesFor({ model, by, ignoreCase, scope }: NonNullable<StageColumn['plan']['lookup']>) {
    const condition = scope?.()
    // Any row may decide who is in a scope that looks into other tables; else only one that has to do with the record.
    if (condition && !isAboutRow(condition, model.table)) return undefined
    const values = new Set<string>()
    for (const [index, { reader, columns }] of this.#stage.models.entries()) {
      const { plan } = reader
      if (plan.model !== model) continue
      const at = columns.findIndex(column => column.plan.column === by && !column.plan.lookup)
      // A record that is found by a value keeps it; case is the only thing that may change.
      const keepsIt = plan.unique.columns.includes(by) && (ignoreCase || !plan.unique.ignoreCase)
      const isNarrowed = this.#scope.visible(plan).key !== this.#scope.all(plan).key
      if (at === -1 || !keepsIt || isNarrowed) return undefined
      for (const { cells } of this.#drafts) {
        const value = cells[index]![at]
        // A default is not known before it is written.
        if (value === undefined) return undefined
        values.add(comparable(value, by, ignoreCase))
      }
    }
    return values
  }
}
