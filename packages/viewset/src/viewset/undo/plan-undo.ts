import type { ColumnInfo } from '../../model/model-info.ts'
import type { HistoryValues } from '../../model/tables/history-tables.ts'
import type { HistoryEntry } from '../history/entries.ts'
import { type PastValues, valueToday } from '../history/translation.ts'

// What an undo does with a record, from its history and its current columns. It needs no database.

/** The ids that a job linked to a record and took from it, all its entries together. */
export interface ChangedLinks {
  readonly added: readonly string[]
  readonly removed: readonly string[]
}

/** What a job did to a record, all its entries together. Names and values have the forms of today. */
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
  /** Columns whose values the history does not keep. */
  readonly redacted: readonly string[]
  /** The same values under names that are no columns today. */
  readonly beforeOthers: HistoryValues
  readonly afterOthers: HistoryValues
  /** Names that the options of the history do not explain. Any column may have had them. */
  readonly unknown: readonly string[]
  /** Columns with values that do not fit their types of today. */
  readonly otherType: readonly string[]
  /** The first and the last entry of the job. */
  readonly first: number
  readonly last: number
  /** Rows of the file. */
  readonly rows: readonly number[]
  readonly fixed: HistoryValues | null
  /** The key of its parent after the job; `null` if its history names none. */
  readonly parent: string | null
}

export type EntryOfJob = Pick<
  HistoryEntry,
  'id' | 'record' | 'action' | 'before' | 'after' | 'rows' | 'fixed' | 'parent'
>

/** How entries are read: see `Translation`. */
export interface EntryReader {
  read(values: HistoryValues | null): PastValues
  columnOf(name: string): ColumnInfo | undefined
}

/** Puts the entries of a job together, record by record. They are added in parts: a record may have many. */
export class ImportedRecords {
  readonly #reader: EntryReader
  readonly #records = new Map<string, { readonly record: Omit<ImportedRecord, 'rows'>; readonly rows: Set<number> }>()

  constructor(reader: EntryReader) {
    this.#reader = reader
  }

  /** @param entries in the order of their ids */
  add(entries: readonly EntryOfJob[]): void {
    for (const entry of entries) {
      const known = this.#records.get(entry.record)
      const rows = known?.rows ?? new Set()
      for (const row of entry.rows ?? []) rows.add(row)
      this.#records.set(entry.record, { record: withEntry(known?.record, entry, this.#reader), rows })
    }
  }

  /** Without those that the job created and deleted. */
  get all(): readonly ImportedRecord[] {
    return [...this.#records.values()]
      .filter(({ record: { existedBefore, existsAfter } }) => existedBefore || existsAfter)
      .map(({ record, rows }) => ({ ...record, rows: [...rows] }))
  }
}

type Merged = Omit<ImportedRecord, 'rows'>

function withEntry(known: Merged | undefined, entry: EntryOfJob, reader: EntryReader): Merged {
  const { record, id, action, fixed, parent } = entry
  const [before, after] = [reader.read(entry.before), reader.read(entry.after)]
  const [old, now] = [ofToday(before, reader), ofToday(after, reader)]
  const [oldOthers, others] = [before, after].map(({ dropped, unknown }) => ({ ...dropped, ...unknown }))
  const existedBefore = known ? known.existedBefore : action !== 'create'
  const [isNew, isGone] = [action === 'create', action === 'delete']
  // The first values before the job, and the last ones after it.
  const first = (earlier: HistoryValues = {}, values: HistoryValues = {}) =>
    isNew ? earlier : { ...values, ...earlier }
  const last = (earlier: HistoryValues = {}, values: HistoryValues = {}) =>
    isNew || isGone ? values : { ...earlier, ...values }
  return {
    key: record,
    existedBefore,
    existsAfter: !isGone,
    wasReplaced: known !== undefined && (known.wasReplaced || (isNew && existedBefore)),
    before: first(known?.before, old.values),
    after: last(known?.after, now.values),
    beforeOthers: first(known?.beforeOthers, oldOthers),
    afterOthers: last(known?.afterOthers, others),
    unknown: union(known?.unknown, Object.keys(before.unknown), Object.keys(after.unknown)),
    links: mergedLinks(known?.links, before, after),
    redacted: union(known?.redacted, before.redacted, existedBefore ? after.redacted : []),
    otherType: union(known?.otherType, old.misfits, now.misfits),
    first: known?.first ?? id,
    last: id,
    fixed,
    parent: parent ?? known?.parent ?? null,
  }
}

function union(known: readonly string[] = [], ...lists: readonly (readonly string[])[]): readonly string[] {
  const added = lists.flat()
  return added.length === 0 ? known : [...new Set([...known, ...added])]
}

/** The values of columns in their forms of today. A value that has none is as it was stored. */
function ofToday({ columns }: PastValues, { columnOf }: EntryReader) {
  const values: Record<string, unknown> = {}
  const misfits: string[] = []
  for (const [name, value] of Object.entries(columns)) {
    const column = columnOf(name)
    const today = column ? valueToday(column, value) : { value }
    values[name] = today ? today.value : value
    if (!today) misfits.push(name)
  }
  return { values, misfits }
}

/** The names of values that the job has changed, and that no column of today can have again. */
function droppedNames({ beforeOthers, afterOthers }: ImportedRecord): readonly string[] {
  return Object.keys(beforeOthers).filter(name => !isSame(beforeOthers[name], afterOthers[name]))
}

const NO_LINKS: ImportedRecord['links'] = new Map()

function mergedLinks(known: ImportedRecord['links'] = NO_LINKS, before: PastValues, after: PastValues) {
  const names = new Set([...before.links.keys(), ...after.links.keys()])
  if (names.size === 0) return known
  const merged = new Map(known)
  for (const name of names) {
    const { added, removed } = merged.get(name) ?? { added: [], removed: [] }
    const [gone, come] = [before, after].map(({ links }) => (links.get(name) ?? []).map(String)) as [string[], string[]]
    merged.set(name, {
      added: [...without(added, gone), ...without(come, removed)],
      removed: [...without(removed, come), ...without(gone, added)],
    })
  }
  return merged
}

function without(list: readonly string[], others: readonly string[]): readonly string[] {
  const left = new Set(others)
  return list.filter(item => !left.has(item))
}

export type UndoOutcome = 'reversed' | 'partly' | 'kept' | 'failed'

/** Why fields, or the record itself, are not as before the job. */
export interface UndoReason {
  readonly why: 'changed' | 'deleted' | 'stored_again' | 'redacted' | 'dropped' | 'other_type' | 'required' | 'losses'
  /** Columns and relations; of `losses`, the tables whose rows the database has deleted together with the record. */
  readonly names: readonly string[]
}

/** What to do with a record, and what becomes of it if that succeeds. */
export interface UndoStep {
  readonly record: ImportedRecord
  readonly action: 'delete' | 'update' | 'insert' | 'nothing'
  /** The columns to write. */
  readonly values: HistoryValues
  /** The ids of the relations to write. */
  readonly links: Readonly<Record<string, readonly string[]>>
  readonly outcome: UndoOutcome
  readonly reasons: readonly UndoReason[]
  /** Whether the record was created by the job and is gone already. */
  readonly isGone: boolean
}

/** A record as it is now. */
export interface CurrentRecord {
  /** In their forms of today; `null` if the record is gone. */
  readonly columns: HistoryValues | null
  /** The ids of its relations. */
  readonly links: Readonly<Record<string, readonly string[]>>
}

/** What an undo must know of a model. */
export interface UndoneColumns {
  /** Whether a column is none of the job's business: audit columns and versions. */
  isIgnored(column: string): boolean
  /** The columns that a new record must have a value for. */
  readonly required: readonly string[]
  /** The column that says whether a record is deleted softly. */
  readonly active: string | undefined
  /** Whether a record that is deleted softly is out of sight, as if it were gone. */
  readonly hidesDeleted: boolean
}

/** The columns and relations that are not as before the job. */
export function leftBy({ reasons }: Pick<UndoStep, 'reasons'>): readonly string[] {
  return reasons.flatMap(({ why, names }) => (why === 'losses' ? [] : names))
}

/** Decides what to do with a record. `undefined` if it is as before the job already. */
export function planUndo(record: ImportedRecord, current: CurrentRecord, model: UndoneColumns): UndoStep | undefined {
  if (!record.existsAfter) return planReturn(record, current, model)
  if (!record.existedBefore) return planDeletion(record, current, model)
  return planChange(record, current, model)
}

function stepOf(record: ImportedRecord, parts: Partial<UndoStep>): UndoStep {
  return {
    record,
    action: 'nothing',
    values: {},
    links: {},
    outcome: 'reversed',
    reasons: [],
    isGone: false,
    ...parts,
  }
}

/** The reasons with names. */
function reasonsOf(names: Partial<Record<UndoReason['why'], readonly string[]>>): readonly UndoReason[] {
  return Object.entries(names).flatMap(([why, found]) =>
    found.length > 0 ? [{ why: why as UndoReason['why'], names: found }] : [],
  )
}

/** A deleted record comes back. What its history does not say stays empty. */
function planReturn(record: ImportedRecord, { columns }: CurrentRecord, { required }: UndoneColumns): UndoStep {
  const { before, redacted, otherType } = record
  if (columns !== null) {
    return stepOf(record, { outcome: 'kept', reasons: [{ why: 'stored_again', names: [] }] })
  }
  const values = Object.fromEntries(Object.entries(before).filter(([name]) => !otherType.includes(name)))
  const missing = required.filter(name => values[name] === undefined || values[name] === null)
  if (missing.length > 0) {
    const isKnown = (name: string) => !redacted.includes(name) && !otherType.includes(name)
    const reasons = reasonsOf({
      redacted: missing.filter(name => redacted.includes(name)),
      other_type: missing.filter(name => otherType.includes(name)),
      required: missing.filter(isKnown),
    })
    return stepOf(record, { outcome: 'failed', reasons })
  }
  const removed = [...record.links].map(([name, { removed }]) => [name, removed] as const)
  const links = Object.fromEntries(removed.filter(([, ids]) => ids.length > 0))
  const reasons = reasonsOf({ redacted, dropped: droppedNames(record), other_type: otherType })
  const outcome = reasons.length > 0 ? 'partly' : 'reversed'
  return stepOf(record, { action: 'insert', values, links, outcome, reasons })
}

/** A created record is deleted if it is as the job left it. */
function planDeletion(
  record: ImportedRecord,
  { columns, links }: CurrentRecord,
  { isIgnored, active }: UndoneColumns,
): UndoStep {
  const { after, otherType, unknown } = record
  const isGone = columns === null || (active !== undefined && columns[active] === false && after[active] === true)
  if (isGone) return stepOf(record, { isGone })
  const isChanged = (name: string) =>
    !isIgnored(name) && !otherType.includes(name) && name in columns && !isSame(columns[name], after[name])
  const isRelinked = (name: string) =>
    !isSame(links[name]?.toSorted(), (record.links.get(name)?.added ?? []).toSorted())
  const changed = [...Object.keys(after).filter(isChanged), ...Object.keys(links).filter(isRelinked)]
  // Of a column whose old name is unknown, nothing says whether it has changed.
  const reasons = reasonsOf({ changed, dropped: unknown, other_type: otherType.filter(name => !isIgnored(name)) })
  if (reasons.length > 0) return stepOf(record, { outcome: 'kept', reasons })
  return stepOf(record, { action: 'delete' })
}

/** A field gets its old value if it still has the imported one. */
function planChange(
  record: ImportedRecord,
  { columns, links }: CurrentRecord,
  { isIgnored, active, hidesDeleted }: UndoneColumns,
): UndoStep | undefined {
  const { before, after, redacted } = record
  const isDeletedSince = hidesDeleted && active !== undefined && columns?.[active] === false && after[active] !== false
  if (columns === null || isDeletedSince) {
    return stepOf(record, { outcome: 'kept', reasons: [{ why: 'deleted', names: [] }] })
  }
  const otherType = record.otherType.filter(name => !isIgnored(name) && !isSame(before[name], after[name]))
  const values: Record<string, unknown> = {}
  const changed: string[] = []
  for (const [name, value] of Object.entries(before)) {
    if (isIgnored(name) || otherType.includes(name) || isSame(value, after[name])) continue
    if (isSame(columns[name], after[name])) values[name] = value
    else if (!isSame(columns[name], value)) changed.push(name)
  }
  const relinked = linksBefore(record.links, links)
  const isAny = Object.keys(values).length + Object.keys(relinked).length > 0
  const write = { action: isAny ? ('update' as const) : ('nothing' as const), values, links: relinked }
  const reasons = reasonsOf({ changed, redacted, dropped: droppedNames(record), other_type: otherType })
  if (reasons.length === 0) return isAny || record.wasReplaced ? stepOf(record, write) : undefined
  return stepOf(record, { ...write, outcome: isAny ? 'partly' : 'kept', reasons })
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

/** Whether two values of a history are equal. Keys of objects have the order of the database. */
function isSame(a: unknown, b: unknown): boolean {
  return JSON.stringify(a ?? null) === JSON.stringify(b ?? null)
}
