import { isAboutRow } from '../../model/drizzle.ts'
import type { ImportRow } from '../read/import-row.ts'
import type { ImportedSheet, SheetColumn } from '../read/sheet-layout.ts'
import { comparable } from './comparable.ts'
import type { WriteContext } from './write-context.ts'

/**
 * Tells which foreign keys will find nothing, also after other rows of the file are left out: no row writes the value
 * that is looked up, and none can take it from a record. Without this, a wrong column in a flat file would be tried
 * again for each of its rows.
 */
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

  /** Whether no row of the file writes the value of `cell`, by which `column` is looked up. */
  has(column: SheetColumn, cell: unknown): boolean {
    const { lookup } = column.plan
    if (!lookup) return false
    if (!this.#written.has(column)) this.#written.set(column, this.#valuesFor(lookup))
    const written = this.#written.get(column)
    return written !== undefined && !written.has(comparable(cell, lookup.by, lookup.ignoreCase))
  }

  /** The values that the rows write where a lookup searches; `undefined` where they could also hide or rename records. */
  #valuesFor({ model, by, ignoreCase, scope }: NonNullable<SheetColumn['plan']['lookup']>) {
    const condition = scope?.()
    // Any row may decide who is in a scope that looks into other tables; else only one that has to do with the record.
    if (condition && !isAboutRow(condition, model.table)) return undefined
    const values = new Set<string>()
    for (const [index, { reader, columns }] of this.#sheet.models.entries()) {
      const { plan } = reader
      if (plan.model !== model) continue
      const at = columns.findIndex(column => column.plan.column === by && !column.plan.lookup)
      // A record that is found by a value keeps it; case is the only thing that may change.
      const keepsIt = plan.unique.columns.includes(by) && (ignoreCase || !plan.unique.ignoreCase)
      const isNarrowed = this.#context.visible(plan).key !== this.#context.all(plan).key
      if (at === -1 || !keepsIt || isNarrowed) return undefined
      for (const { cells } of this.#rows) {
        const value = cells[index]![at]
        // A default is not known before it is written.
        if (value === undefined) return undefined
        values.add(comparable(value, by, ignoreCase))
      }
    }
    return values
  }
}
