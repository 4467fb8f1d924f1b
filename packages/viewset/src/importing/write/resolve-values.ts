import { CellProblem } from '../../kinds/cells.ts'
import { isAboutRow } from '../../model/drizzle.ts'
import { RelatedSet } from '../../records/drafts.ts'
import { fillsField, type ImportLinks } from '../plan/plan.ts'
import { lookedUp, TOLD_NAMES } from '../read/cells.ts'
import type { ImportRow } from '../read/import-row.ts'
import type { ImportedSheet, SheetColumn, SheetModel } from '../read/sheet-layout.ts'
import { comparable } from './comparable.ts'
import type { Failures } from './failures.ts'
import type { ImportRecord } from './row-groups.ts'
import type { ForeignKeyLookups, WriteContext } from './write-context.ts'

/** Returns the records whose foreign keys are all resolved. */
export async function resolveValues(
  { lookups, hooks }: WriteContext,
  model: SheetModel,
  records: readonly ImportRecord[],
  failures: Failures,
  missing: MissingParents,
): Promise<ImportRecord[]> {
  const { columns } = model
  const { fixedValues } = hooks(model.reader.plan)
  const resolved = new Map<SheetColumn, ReadonlyMap<unknown, unknown>>()
  for (const [at, column] of columns.entries()) {
    const { lookup } = column.plan
    if (!lookup || lookups.isUntouched(lookup)) continue
    const values = new Set(records.flatMap(({ cells }) => lookedUp(cells[at], column.plan.links)))
    resolved.set(column, await lookups.resolve(lookup, values))
  }
  // V8 copies an object faster than it adds the fields one by one.
  const blank = Object.fromEntries(columns.filter(holdsValue).map(({ plan }) => [plan.column.key, undefined]))
  return records.filter(record => {
    const values: Record<string, unknown> = { ...blank }
    let isResolved = true
    for (let at = 0; at < columns.length; at++) {
      const column = columns[at]!
      const { links, list, column: info } = column.plan
      if (!fillsField(column.plan)) continue
      const cell = record.cells[at]
      const found = resolved.get(column)
      const value = found ? keyIn(found, cell, links) : cell
      const problems = problemsIn(value)
      for (let index = 0; index < problems.length; index++) {
        const [which, problem] = problems[index]!
        if (index < TOLD_NAMES) failures.fail(model, record, column.field, problem.text)
        if (!missing.has(column, links ? (cell as readonly unknown[])[which] : cell)) failures.mayRetry(record)
        isResolved = false
      }
      if (list && value !== undefined) values[info.key] = value
      else if (!links && !list) values[info.key] = value
      else if (links && value !== undefined)
        values[info.key] = new RelatedSet(links.relation, value as readonly unknown[])
    }
    record.values = Object.assign(values, fixedValues)
    return isResolved
  })
}

function holdsValue({ plan }: SheetColumn): boolean {
  return !plan.links && !plan.list && fillsField(plan)
}

export function keyIn(found: ReadonlyMap<unknown, unknown>, cell: unknown, links: ImportLinks | undefined): unknown {
  if (cell === null || cell === undefined) return cell
  return links ? (cell as readonly unknown[]).map(value => found.get(value)) : found.get(cell)
}

const NONE: readonly [number, CellProblem][] = []

export function problemsIn(value: unknown): readonly (readonly [number, CellProblem])[] {
  if (value instanceof CellProblem) return [[0, value]]
  if (!Array.isArray(value)) return NONE
  return value.flatMap((item, which) => (item instanceof CellProblem ? [[which, item] as const] : []))
}

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
