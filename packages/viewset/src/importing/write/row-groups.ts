import type { RawRow } from '../../store/connection/driver.ts'
import type { Values } from '../../store/write/write.ts'
import { hasLists, type ImportLinks } from '../plan/plan.ts'
import { lookedUp } from '../read/cells.ts'
import { type ImportRow, isDeletion } from '../read/import-row.ts'
import type { ImportedSheet, SheetModel } from '../read/sheet-layout.ts'
import { isSame } from './comparable.ts'
import { Competitors, rowKey } from './competitors.ts'
import type { Snapshot } from './diff.ts'

/** A row with the key of its record in each model of the sheet. Equal keys mean the same record. */
export interface KeyedRow {
  readonly row: ImportRow
  readonly keys: readonly string[]
  readonly group: number
  readonly deletes: boolean
  /** Earlier rows that want one of its unique values for another record. */
  readonly competitors: readonly ImportRow[]
}

interface InnerReference {
  readonly from: number
  readonly column: number
  /** The positions of the target model and column. A reference to itself has the same model. */
  readonly to: number
  readonly by: number
  readonly links: ImportLinks | undefined
}

/**
 * A group has one row for each record, or equal ones, and no reference between its records of one model. So a set-wise
 * write has the same result as row after row.
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
    // A group deletes last, so a row after a deletion belongs to the next group.
    if (keepsOrder && !deletes && groups[group]?.some(({ deletes }) => deletes)) group++
    if (deletes) claims.deletes(keys)
    const competitors = deletes || !hasOtherUniques ? NONE : claims.of(row, keys)
    // Later rows must come after this one: they may release a unique value that this row wants.
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

function recordKey(model: SheetModel, row: ImportRow, cells: readonly unknown[]): string {
  const { unique, plan } = model.reader
  if (plan.policy.createOnly) return String(row.number)
  return rowKey(model, unique, cells, plan.unique.ignoreCase)
}

export function mustKeepOrder({ models }: ImportedSheet): boolean {
  const last = models.at(-1)!
  return (
    models.some(({ reader }) => reader.otherUniques.length + reader.conditionalUniques.length > 0) ||
    // Lists may have unique values, too.
    models.some(({ reader }) => hasLists(reader.plan)) ||
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

export interface ImportRecord {
  readonly cells: readonly unknown[]
  readonly rows: ImportRow[]
  values: Values
  /** The primary key of the stored record to update; `undefined` for a new one. */
  key: unknown
  writtenKey: unknown
  /** The stored row, if a check needs it. Each attempt to write makes a new object from it. */
  stored: RawRow | undefined
  /** Whether its lists want a unique value of the lists of another record. It is then checked and written on its own. */
  isContested?: boolean
  /** What the record was before the write, if the import has a diff. */
  before: Snapshot | undefined
}

export function recordsOf(rows: readonly KeyedRow[], model: number): ImportRecord[] {
  const records = new Map<string, ImportRecord>()
  for (const { row, keys } of rows) {
    const key = keys[model]!
    const known = records.get(key)
    if (known) known.rows.push(row)
    else records.set(key, newRecord(row, row.cells[model]!))
  }
  return [...records.values()]
}

function newRecord(row: ImportRow, cells: readonly unknown[]): ImportRecord {
  return { cells, rows: [row], values: {}, key: undefined, writtenKey: undefined, stored: undefined, before: undefined }
}
