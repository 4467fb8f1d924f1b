import { isAboutRow } from '../../model/drizzle.ts'
import type { ImportRow } from '../read/import-row.ts'
import type { ImportedSheet, SheetColumn } from '../read/sheet-layout.ts'
import { comparable } from './comparable.ts'
import type { WriteContext } from './write-context.ts'

/** Foreign keys that no row can resolve. Otherwise a wrong column in a flat file would be retried for each row. */
export class MissingParents {
  readonly #context: WriteContext
  readonly #sheet: ImportedSheet
  readonly #rows: readonly ImportRow[]
  readonly #written = new Map<SheetColumn, ReadonlySet<string> | undefined>()

  constructor(context: WriteContext, sheet: ImportedSheet, rows: readonly ImportRow[]) {
    this.#context = context
    this.#sheet = sheet
    this.#rows = rows
  }

  has(column: SheetColumn, cell: unknown): boolean {
    const { lookup } = column.plan
    if (!lookup) return false
    if (!this.#written.has(column)) this.#written.set(column, this.#valuesFor(lookup))
    const written = this.#written.get(column)
    return written !== undefined && !written.has(comparable(cell, lookup.by, lookup.ignoreCase))
  }

  /** The values that rows write to a looked-up column; `undefined` if rows could also hide or rename records. */
  #valuesFor({ model, by, ignoreCase, scope }: NonNullable<SheetColumn['plan']['lookup']>) {
    const condition = scope?.()
    // A scope that reads other tables may change with any row.
    if (condition && !isAboutRow(condition, model.table)) return undefined
    const values = new Set<string>()
    for (const [index, { reader, columns }] of this.#sheet.models.entries()) {
      const { plan } = reader
      if (plan.model !== model) continue
      const at = columns.findIndex(column => column.plan.column === by && !column.plan.lookup)
      // A record that is matched by this value keeps it. Only its case may change.
      const keepsIt = plan.unique.columns.includes(by) && (ignoreCase || !plan.unique.ignoreCase)
      const isNarrowed = this.#context.visible(plan).key !== this.#context.all(plan).key
      if (at === -1 || !keepsIt || isNarrowed) return undefined
      for (const { cells } of this.#rows) {
        const value = cells[index]![at]
        if (value === undefined) return undefined
        values.add(comparable(value, by, ignoreCase))
      }
    }
    return values
  }
}
