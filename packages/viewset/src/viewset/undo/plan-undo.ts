import type { HistoryValues } from '../../model/tables/history-tables.ts'
import { REDACTED } from '../../store/write/record-history.ts'
import type { HistoryEntry } from '../history/entries.ts'

// What an undo does with a record, from its history and its current columns. It needs no database.

/** The ids that a job linked to a record and took from it, all its entries together. */
export interface ChangedLinks {
  readonly added: readonly string[]
  readonly removed: readonly string[]
}

/** What a job did to a record, all its entries together. */
export interface ImportedRecord {
  readonly key: string
  readonly existedBefore: boolean
  readonly existsAfter: boolean
  /** Whether the job deleted the record and stored one with the same key. */
  readonly wasReplaced: boolean
  /** Columns before the job: all of a deleted record, else those that it changed. */
  readonly before: HistoryValues
  /** The same columns as the job left them; all of a created record. */
  readonly after: HistoryValues
  readonly links: ReadonlyMap<string, ChangedLinks>
  /** The last entry of the job. */
  readonly last: number
  /** Rows of the file. */
  readonly rows: readonly number[]
  readonly fixed: HistoryValues | null
  /** The key of its parent after the job; `null` if its history names none. */
  readonly parent: string | null
}

type EntryOfJob = Pick<HistoryEntry, 'id' | 'record' | 'action' | 'before' | 'after' | 'rows' | 'fixed' | 'parent'>

/** Puts the entries of a job together, record by record. They are added in parts, so that they are not all in memory. */
export class ImportedRecords {
  readonly #linkNames: ReadonlySet<string>
  readonly #records = new Map<string, ImportedRecord>()

  /** @param linkNames names in entries that are relations, not columns */
  constructor(linkNames: ReadonlySet<string>) {
    this.#linkNames = linkNames
  }

  /** @param entries in the order of their ids */
  add(entries: readonly EntryOfJob[]): void {
    for (const entry of entries) {
      const { record, id, fixed } = entry
      const known = this.#records.get(record)
      const rows =
        entry.rows === null ? (known?.rows ?? NO_ROWS) : [...new Set([...(known?.rows ?? []), ...entry.rows])]
      const isOfLinks = Object.keys({ ...entry.before, ...entry.after }).some(name => this.#linkNames.has(name))
      const links = isOfLinks ? mergedLinks(known?.links, entry) : (known?.links ?? NO_LINKS)
      const columns = isOfLinks ? (known ?? UNCHANGED) : mergedColumns(known, entry)
      const parent = entry.parent ?? known?.parent ?? null
      this.#records.set(record, { ...columns, links, key: record, last: id, rows, fixed, parent })
    }
  }

  /** Without those that the job created and deleted. */
  get all(): readonly ImportedRecord[] {
    return [...this.#records.values()].filter(({ existedBefore, existsAfter }) => existedBefore || existsAfter)
  }
}

const NO_ROWS: readonly number[] = []
const NO_LINKS: ImportedRecord['links'] = new Map()

type Columns = Pick<ImportedRecord, 'existedBefore' | 'existsAfter' | 'wasReplaced' | 'before' | 'after'>

const UNCHANGED: Columns = { existedBefore: true, existsAfter: true, wasReplaced: false, before: {}, after: {} }

function mergedColumns(known: Columns | undefined, { action, before, after }: EntryOfJob): Columns {
  const existedBefore = known ? known.existedBefore : action !== 'create'
  const wasReplaced = known !== undefined && (known.wasReplaced || (action === 'create' && existedBefore))
  const ever = { existedBefore, wasReplaced }
  if (action === 'create') return { ...ever, existsAfter: true, before: known?.before ?? {}, after: after ?? {} }
  const old = { ...before, ...known?.before }
  if (action === 'delete') return { ...ever, existsAfter: false, before: old, after: {} }
  return { ...ever, existsAfter: true, before: old, after: { ...known?.after, ...after } }
}

function mergedLinks(
  known: ImportedRecord['links'] = NO_LINKS,
  { before, after }: EntryOfJob,
): ImportedRecord['links'] {
  const merged = new Map(known)
  for (const name of Object.keys({ ...before, ...after })) {
    const { added, removed } = merged.get(name) ?? { added: [], removed: [] }
    const [gone, come] = [listOf(before?.[name]), listOf(after?.[name])]
    merged.set(name, {
      added: [...without(added, gone), ...without(come, removed)],
      removed: [...without(removed, come), ...without(gone, added)],
    })
  }
  return merged
}

function listOf(value: unknown): readonly string[] {
  return Array.isArray(value) ? value.map(String) : []
}

function without(list: readonly string[], others: readonly string[]): readonly string[] {
  return list.filter(item => !others.includes(item))
}

export type UndoOutcome = 'reversed' | 'partly' | 'kept' | 'failed'

/** What to do with a record, and what becomes of it if that succeeds. */
export interface UndoStep {
  readonly record: ImportedRecord
  readonly action: 'delete' | 'update' | 'insert' | 'nothing'
  /** The columns to write. */
  readonly values: HistoryValues
  /** The ids of the relations to write. */
  readonly links: Readonly<Record<string, readonly string[]>>
  readonly outcome: UndoOutcome
  /** The columns and relations that are not as before the job. */
  readonly left: readonly string[]
  readonly why: 'changed' | 'deleted' | 'stored_again' | 'redacted' | 'losses' | null
  /** Tables whose rows the database has deleted together with the record. */
  readonly lost: readonly string[]
}

/** A record as it is now. */
export interface CurrentRecord {
  /** `null` if the record is gone. */
  readonly columns: HistoryValues | null
  /** The ids of its relations. */
  readonly links: Readonly<Record<string, readonly string[]>>
}

/** What an undo must know of a model. */
export interface UndoneColumns {
  /** Whether a column is none of the job's business: audit columns and versions. */
  isIgnored(column: string): boolean
  /** The column that says whether a record is deleted softly. */
  readonly active: string | undefined
  /** Whether a record that is deleted softly is out of sight, as if it were gone. */
  readonly hidesDeleted: boolean
}

/** Decides what to do with a record. `undefined` if it is as before the job already. */
export function planUndo(
  record: ImportedRecord,
  { columns, links }: CurrentRecord,
  { isIgnored, active, hidesDeleted }: UndoneColumns,
): UndoStep | undefined {
  const { existedBefore, existsAfter, before, after } = record
  const step = (parts: Partial<UndoStep>): UndoStep => {
    return {
      record,
      action: 'nothing',
      values: {},
      links: {},
      outcome: 'reversed',
      left: [],
      why: null,
      lost: [],
      ...parts,
    }
  }
  if (!existsAfter) {
    if (columns !== null) return step({ outcome: 'kept', why: 'stored_again' })
    const hidden = redactedOf(before)
    if (hidden.length > 0) return step({ outcome: 'failed', left: hidden, why: 'redacted' })
    const removed = [...record.links].map(([name, { removed }]) => [name, removed] as const)
    const relinked = Object.fromEntries(removed.filter(([, ids]) => ids.length > 0))
    return step({ action: 'insert', values: before, links: relinked })
  }
  if (!existedBefore) {
    if (columns === null) return undefined
    if (active !== undefined && columns[active] === false && after[active] === true) return undefined
    const isChanged = (name: string) =>
      name !== REDACTED && !isIgnored(name) && name in columns && !isSame(columns[name], after[name])
    const isRelinked = (name: string) =>
      !isSame(links[name]?.toSorted(), (record.links.get(name)?.added ?? []).toSorted())
    const changed = [...Object.keys(after).filter(isChanged), ...Object.keys(links).filter(isRelinked)]
    if (changed.length > 0) return step({ outcome: 'kept', left: changed, why: 'changed' })
    return step({ action: 'delete' })
  }
  const isDeletedSince = hidesDeleted && active !== undefined && columns?.[active] === false && after[active] !== false
  if (columns === null || isDeletedSince) return step({ outcome: 'kept', why: 'deleted' })
  const values: Record<string, unknown> = {}
  const left: string[] = []
  for (const [name, value] of Object.entries(before)) {
    if (name === REDACTED || isIgnored(name) || isSame(value, after[name])) continue
    if (isSame(columns[name], after[name])) values[name] = value
    else if (!isSame(columns[name], value)) left.push(name)
  }
  const relinked = linksBefore(record.links, links)
  const hidden = redactedOf(before)
  const isAny = Object.keys(values).length + Object.keys(relinked).length > 0
  const all = [...left, ...hidden]
  const write = { action: isAny ? ('update' as const) : ('nothing' as const), values, links: relinked }
  if (all.length === 0) return isAny || record.wasReplaced ? step(write) : undefined
  const why = left.length > 0 ? 'changed' : 'redacted'
  return step({ ...write, outcome: isAny ? 'partly' : 'kept', left: all, why })
}

/** The relations that still have an added id, or lack a removed one. Other ids stay. */
function linksBefore(changed: ImportedRecord['links'], current: CurrentRecord['links']): CurrentRecord['links'] {
  const entries = [...changed].flatMap(([name, { added, removed }]) => {
    const now = current[name] ?? []
    const back = without(removed, now)
    const rest = without(now, added)
    return back.length === 0 && rest.length === now.length ? [] : [[name, [...rest, ...back]] as const]
  })
  return Object.fromEntries(entries)
}

function redactedOf(values: HistoryValues): readonly string[] {
  return listOf(values[REDACTED])
}

/** Whether two values of a history are equal. Keys of objects have the order of the database. */
function isSame(a: unknown, b: unknown): boolean {
  return JSON.stringify(a ?? null) === JSON.stringify(b ?? null)
}
