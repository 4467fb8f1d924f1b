import type { HistoryValues } from '../../model/tables/history-tables.ts'
import { REDACTED } from '../../store/write/record-history.ts'
import type { HistoryEntry } from '../history/entries.ts'

// What an undo does with a record, from its history and its current columns. It needs no database.

/** What an import did to a record, all its entries together. */
export interface ImportedRecord {
  readonly key: string
  readonly existedBefore: boolean
  readonly existsAfter: boolean
  /** Columns before the import: all of a deleted record, else those that it changed. */
  readonly before: HistoryValues
  /** The same columns as the import left them; all of a created record. */
  readonly after: HistoryValues
  /** The last entry of the import. */
  readonly last: number
  /** Rows of the file. */
  readonly rows: readonly number[]
}

type EntryOfImport = Pick<HistoryEntry, 'id' | 'record' | 'action' | 'before' | 'after' | 'origin'>

/** Puts the entries of an import together, record by record. `entries` are in the order of their ids. */
export function importedRecords(entries: readonly EntryOfImport[]): readonly ImportedRecord[] {
  const records = new Map<string, ImportedRecord>()
  for (const entry of entries) {
    const known = records.get(entry.record)
    const rows = [...new Set([...(known?.rows ?? []), ...(entry.origin?.rows ?? [])])]
    records.set(entry.record, { ...merged(known, entry), key: entry.record, last: entry.id, rows })
  }
  return [...records.values()].filter(({ existedBefore, existsAfter }) => existedBefore || existsAfter)
}

function merged(
  known: ImportedRecord | undefined,
  { action, before, after }: EntryOfImport,
): Pick<ImportedRecord, 'existedBefore' | 'existsAfter' | 'before' | 'after'> {
  const existedBefore = known ? known.existedBefore : action !== 'create'
  if (action === 'create') return { existedBefore, existsAfter: true, before: known?.before ?? {}, after: after ?? {} }
  const old = { ...before, ...known?.before }
  if (action === 'delete') return { existedBefore, existsAfter: false, before: old, after: {} }
  return { existedBefore, existsAfter: true, before: old, after: { ...known?.after, ...after } }
}

export type UndoOutcome = 'reversed' | 'partly' | 'kept' | 'failed'

/** What to do with a record, and what becomes of it if that succeeds. */
export interface UndoStep {
  readonly record: ImportedRecord
  readonly action: 'delete' | 'update' | 'insert' | 'nothing'
  /** The columns to write. */
  readonly values: HistoryValues
  readonly outcome: UndoOutcome
  /** The columns that are not as before the import. */
  readonly left: readonly string[]
  readonly why: 'changed' | 'deleted' | 'stored_again' | 'redacted' | null
}

/**
 * Decides what to do with a record. `undefined` if it is as before the import already.
 *
 * @param current its columns now; `null` if it is gone
 * @param isIgnored whether a column is none of the import's business: audit columns and versions
 */
export function planUndo(
  record: ImportedRecord,
  current: HistoryValues | null,
  isIgnored: (column: string) => boolean,
): UndoStep | undefined {
  const { existedBefore, existsAfter, before, after } = record
  const step = (parts: Partial<UndoStep>): UndoStep => {
    return { record, action: 'nothing', values: {}, outcome: 'reversed', left: [], why: null, ...parts }
  }
  if (!existsAfter) {
    if (current !== null) return step({ outcome: 'kept', why: 'stored_again' })
    const hidden = redactedOf(before)
    if (hidden.length > 0) return step({ outcome: 'failed', left: hidden, why: 'redacted' })
    return step({ action: 'insert', values: before })
  }
  if (!existedBefore) {
    if (current === null) return undefined
    if (current.is_active === false && after.is_active === true) return undefined
    const changed = Object.keys(after).filter(name => {
      return name !== REDACTED && !isIgnored(name) && name in current && !isSame(current[name], after[name])
    })
    if (changed.length > 0) return step({ outcome: 'kept', left: changed, why: 'changed' })
    return step({ action: 'delete' })
  }
  if (current === null) return step({ outcome: 'kept', why: 'deleted' })
  const values: Record<string, unknown> = {}
  const left: string[] = []
  for (const [name, value] of Object.entries(before)) {
    if (name === REDACTED || isIgnored(name) || isSame(value, after[name])) continue
    if (isSame(current[name], after[name])) values[name] = value
    else if (!isSame(current[name], value)) left.push(name)
  }
  const hidden = redactedOf(before)
  const isAny = Object.keys(values).length > 0
  const all = [...left, ...hidden]
  if (all.length === 0) return isAny ? step({ action: 'update', values }) : undefined
  const why = left.length > 0 ? 'changed' : 'redacted'
  return step({ action: isAny ? 'update' : 'nothing', values, outcome: isAny ? 'partly' : 'kept', left: all, why })
}

function redactedOf(values: HistoryValues): readonly string[] {
  const names = values[REDACTED]
  return Array.isArray(names) ? names.map(String) : []
}

/** Whether two values of a history are equal. Keys of objects have the order of the database. */
function isSame(a: unknown, b: unknown): boolean {
  return JSON.stringify(a ?? null) === JSON.stringify(b ?? null)
}
