import type { RawRow } from '../../store/connection/driver.ts'
import type { Values } from '../../store/write/write.ts'
import { hasLists } from '../plan/plan.ts'
import { type ImportRow, isDeletion } from '../read/import-row.ts'
import type { ImportedSheet, SheetModel } from '../read/sheet-layout.ts'
import { comparable, isSame } from './comparable.ts'
import type { Snapshot } from './diff.ts'
import { type Meeting, ReferencesAmongRows } from './references-among-rows.ts'

/** A row with the key of its record in each model of the sheet. Equal keys mean the same record. */
export interface KeyedRow {
  readonly row: ImportRow
  readonly keys: readonly string[]
  readonly deletes: boolean
}

export interface RowGroups {
  readonly groups: readonly (readonly KeyedRow[])[]
  /** Whether a row is written before an earlier one. */
  readonly isReordered: boolean
  /** Rows that refer to records of other rows. */
  readonly meetings: readonly Meeting[]
}

interface SeenRecord {
  readonly group: number
  readonly model: number
  readonly cells: readonly unknown[]
}

/**
 * A group has one row for each record, or equal ones, and no reference between its records of one model. So a set-wise
 * write has the same result as row after row, as far as the cells show it. Unique values are compared with those in the
 * database later.
 */
export function groupRows(
  sheet: ImportedSheet,
  rows: readonly ImportRow[],
  { keepsOrder, deletesTogether }: { readonly keepsOrder: boolean; readonly deletesTogether: boolean },
): RowGroups {
  const { models } = sheet
  const last = models.at(-1)!
  const references = new ReferencesAmongRows(models)
  const seen = new Map<string, SeenRecord>()
  const groups: KeyedRow[][] = []
  const isEachAlone = holdsTableTwice(models)
  const isDeletionAlone = !deletesTogether && refersToItself(last)
  let earliest = 0
  let isReordered = false
  for (const row of rows) {
    const { cells } = row
    const keys = models.map((model, index) => recordKey(model, row, cells[index]!))
    const deletes = isDeletion(last.reader, cells.at(-1)!)
    const isAlone = isEachAlone || (deletes && isDeletionAlone) || references.isUnknown(row)
    let group = isAlone ? groups.length : Math.max(earliest, references.earliest(row, keys, deletes))
    for (const [index, key] of keys.entries()) {
      const earlier = seen.get(key)
      if (!earlier) continue
      const isEqual = earlier.model === index && isSame(earlier.cells, cells[index]!)
      group = Math.max(group, earlier.group + (isEqual ? 0 : 1))
    }
    const hasDeletions = !deletes && groups[group]?.some(({ deletes }) => deletes) === true
    // A group deletes last, so a row after a deletion belongs to the next group.
    if (keepsOrder && hasDeletions) group++
    else if (hasDeletions || group < groups.length - 1) isReordered = true
    // Later rows must come after this one: they may release a unique value that this row wants.
    if (isAlone) earliest = group + 1
    else if (keepsOrder) earliest = Math.max(earliest, group)
    const keyed: KeyedRow = { row, keys, deletes }
    for (const [model, key] of keys.entries()) seen.set(key, { group, model, cells: cells[model]! })
    references.add(row, keys, deletes, group)
    const others = groups[group]
    if (others) others.push(keyed)
    else groups.push([keyed])
  }
  return { groups, isReordered, meetings: references.meetings }
}

function recordKey(model: SheetModel, row: ImportRow, cells: readonly unknown[]): string {
  const { unique, plan } = model.reader
  const key = plan.policy.createOnly ? String(row.number) : rowKey(model, unique, cells, plan.unique.ignoreCase)
  return `${plan.model.id} ${key}`
}

/** Text that is equal for rows of one record. The text of a cell contains no NUL. */
export function rowKey(
  { reader: { columns } }: SheetModel,
  positions: readonly number[],
  cells: readonly unknown[],
  ignoreCase: boolean,
): string {
  let key = ''
  for (const at of positions) {
    const { column, lookup } = columns[at]!.plan
    key += comparable(cells[at], lookup?.by ?? column, lookup ? lookup.ignoreCase : ignoreCase)
  }
  return key
}

/** Whether rows write a table twice, and cells alone do not show which rows share a record or a unique value. */
function holdsTableTwice(models: readonly SheetModel[]): boolean {
  return [...Map.groupBy(models, ({ reader }) => reader.plan.model).values()].some(([first, ...others]) =>
    others.some(({ reader }) =>
      [first!.reader, reader].some(
        ({ plan, otherUniques, conditionalUniques }) =>
          otherUniques.length + conditionalUniques.length > 0 ||
          plan.unique.columns.length !== reader.plan.unique.columns.length ||
          plan.unique.columns.some((column, at) => column !== reader.plan.unique.columns[at]),
      ),
    ),
  )
}

/** Whether the deletion of a record may be refused, or delete others, because of records of its own table. */
function refersToItself({ reader: { plan } }: SheetModel): boolean {
  return plan.model.columns.some(({ references }) => references?.target === plan.model.table)
}

export function mustKeepOrder({ models }: ImportedSheet): boolean {
  const last = models.at(-1)!
  return (
    models.some(({ reader }) => reader.otherUniques.length + reader.conditionalUniques.length > 0) ||
    // Lists may have unique values, too.
    models.some(({ reader }) => hasLists(reader.plan)) ||
    (last.reader.deletion !== -1 && new ReferencesAmongRows(models).leadTo(models.length - 1))
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
