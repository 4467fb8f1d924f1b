import type { ImportLinks } from '../plan/plan.ts'
import { lookedUp } from '../read/cells.ts'
import { type ImportRow, isDeletion } from '../read/import-row.ts'
import type { ImportedSheet, SheetModel } from '../read/sheet-layout.ts'
import { isSame } from './comparable.ts'
import { Competitors } from './competitors.ts'
import { keyOf } from './key-of.ts'

/** A row and, for each model of its sheet, the key of its record: rows with equal keys mean the same record. */
export interface KeyedRow {
  readonly row: ImportRow
  readonly keys: readonly string[]
  /** The position of its group among the groups. */
  readonly group: number
  /** Whether it deletes its record of the last model. */
  readonly deletes: boolean
  /** Rows before it that want a unique value which it wants as well, for another record. */
  readonly competitors: readonly ImportRow[]
}

/** A column that refers to records of the same sheet, and where those have the value. */
interface InnerReference {
  /** The model that refers, and its column. */
  readonly from: number
  readonly column: number
  /** The model referred to, and its column; the same model for a reference to itself. */
  readonly to: number
  readonly by: number
  /** Where the column names any number of them. */
  readonly links: ImportLinks | undefined
}

/**
 * Parts rows into groups. Each group can be written set-wise, and the whole comes out as if row had followed row: a
 * group has no two different rows for one record, and no row that refers to a record of its own model in the same group.
 *
 * @param keepsOrder whether no row may come before a group with an earlier row, as where unique values pass from row to row
 */
export function groupRows(
  sheet: ImportedSheet,
  rows: readonly ImportRow[],
  keepsOrder: boolean,
): readonly (readonly KeyedRow[])[] {
  const { models } = sheet
  const references = innerReferences(models)
  const seen = models.map(() => new Map<string, KeyedRow>())
  const provided = references.map(() => new Map<unknown, number>())
  const claims = new Competitors(sheet)
  const groups: KeyedRow[][] = []
  const last = models.at(-1)!
  const hasOtherUniques = models.some(({ reader }) => reader.otherUniques.length > 0)
  let earliest = 0
  for (const row of rows) {
    const { cells } = row
    const keys: string[] = new Array(models.length)
    let group = earliest
    for (let index = 0; index < models.length; index++) {
      const key = recordKey(models[index]!, row, cells[index]!)
      keys[index] = key
      const earlier = seen[index]!.get(key)
      if (earlier) group = Math.max(group, earlier.group + (isSame(earlier.row.cells[index]!, cells[index]!) ? 0 : 1))
    }
    for (const [index, { from, column, to, links }] of references.entries()) {
      for (const value of lookedUp(cells[from]![column], links)) {
        const earlier = provided[index]!.get(value)
        if (earlier !== undefined) group = Math.max(group, earlier + (from === to ? 1 : 0))
      }
    }
    const deletes = isDeletion(last.reader, cells.at(-1)!)
    // A group deletes last, so that what is written after a deletion is in the next one.
    if (keepsOrder && !deletes && groups[group]?.some(({ deletes }) => deletes)) group++
    if (deletes) claims.deletes(keys)
    const competitors = deletes || !hasOtherUniques ? NONE : claims.of(row, keys)
    // Later rows must not come before this one: one of them may give up a unique value that this row wants.
    if (keepsOrder) earliest = Math.max(earliest, group)
    const keyed: KeyedRow = { row, keys, group, deletes, competitors }
    for (let index = 0; index < models.length; index++) seen[index]!.set(keys[index]!, keyed)
    for (const [index, { to, by }] of references.entries()) provided[index]!.set(cells[to]![by], group)
    const others = groups[group]
    if (others) others.push(keyed)
    else groups.push([keyed])
  }
  return groups
}

const NONE: readonly ImportRow[] = []

/** Text that is equal for the rows of one record. */
function recordKey(model: SheetModel, row: ImportRow, cells: readonly unknown[]): string {
  const { unique, plan } = model.reader
  // Each row has a record of its own.
  if (plan.policy.createOnly) return String(row.number)
  return keyOf(model, unique, cells, plan.unique.ignoreCase)
}

/** Whether the configuration says that rows must be written in their order. */
export function mustKeepOrder({ models }: ImportedSheet): boolean {
  const last = models.at(-1)!
  return (
    models.some(({ reader }) => reader.otherUniques.length + reader.conditionalUniques.length > 0) ||
    (last.reader.deletion !== -1 && innerReferences(models).some(({ to }) => models[to] === last))
  )
}

function innerReferences(models: readonly SheetModel[]): readonly InnerReference[] {
  return models.flatMap(({ columns }, from) =>
    columns.flatMap(({ plan: { lookup, links } }, column) =>
      models.flatMap(({ reader, columns: candidates }, to) => {
        const by = candidates.findIndex(candidate => candidate.plan.column === lookup?.by)
        return lookup && reader.plan.model === lookup.model && by !== -1 ? [{ from, column, to, by, links }] : []
      }),
    ),
  )
}
