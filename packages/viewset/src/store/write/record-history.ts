import { momentOfWrite } from '../../core/clock.ts'
import { currentContext } from '../../core/context.ts'
import type { RowSetColumn } from '../../model/dialect/dialect.ts'
import { ROWS } from '../../model/dialect/write-text.ts'
import { quoteName } from '../../model/drizzle.ts'
import { type History, linksOf } from '../../model/history.ts'
import { AUDIT_FIELDS, type ColumnInfo, type ModelInfo } from '../../model/model-info.ts'
import type { HistoryAction } from '../../model/tables/history-tables.ts'
import { isVersionColumn } from '../../model/version-column.ts'
import type { Database } from '../connection/database.ts'
import type { RawRow } from '../connection/driver.ts'
import { currentSession } from '../connection/session.ts'
import { tableName } from '../select.ts'
import { Bound } from '../sql-value.ts'
import { sweepLater } from './expired-history.ts'
import { runWrite } from './run-write.ts'

// Entries are made from the driver's values directly, as JSON text, and stored with one statement for each write.

/** Rows that the current transaction has locked, by the transaction. */
const locked = new WeakMap<RawRow, object>()

/** Notes that no other transaction changes these rows before the current one ends. */
export function noteLocked(rows: readonly RawRow[]): void {
  const transaction = currentSession()?.transaction?.shared
  if (transaction) for (const row of rows) locked.set(row, transaction)
}

/** Whether the current transaction has locked a row when it read it. */
export function isLocked(row: RawRow): boolean {
  const transaction = locked.get(row)
  return transaction !== undefined && transaction === currentSession()?.transaction?.shared
}

export interface Entry {
  readonly record: string
  readonly action: HistoryAction
  /** The key of the parent; `null` without the option `parent`. */
  readonly parent: string | null
  /** JSON. */
  readonly before: string | null
  readonly after: string | null
}

/** The rows of a write, each with all columns. An update has both, in the same order. */
export interface WrittenRows {
  readonly before: readonly RawRow[]
  readonly after: readonly RawRow[]
}

export async function recordHistory(
  database: Database,
  history: History,
  kind: 'insert' | 'update' | 'delete',
  { before, after }: WrittenRows,
): Promise<void> {
  const reader = readerOf(history)
  const entries: Entry[] = []
  if (kind === 'insert') for (const row of after) entries.push(reader.whole(row, 'create'))
  else if (kind === 'delete') for (const row of before) entries.push(reader.whole(row, 'delete'))
  else {
    for (let i = 0; i < after.length; i++) {
      const entry = reader.changed(before[i] as RawRow, after[i] as RawRow)
      if (entry) entries.push(entry)
    }
  }
  // The request may change links of these records next.
  const isLinked = kind !== 'delete' && linksOf(history.model.table).size > 0
  const stored = await insertEntries(database, history, entries, isLinked)
  if (isLinked)
    noteStored(
      history,
      [...stored].map(([record, id]) => ({ id, record, links: NO_NAMES })),
    )
}

/** An entry that the current transaction has stored. */
export interface StoredEntry {
  readonly id: number | undefined
  readonly record: string
  /** The relations whose changes it has. */
  readonly links: ReadonlySet<string>
}

/** The latest entries of records whose links may change, by the transaction. */
const storedEntries = new WeakMap<object, Map<History, Map<string, StoredEntry>>>()
/** An import in one transaction may write a million records. The links of a record follow soon. */
const MOST_STORED = 5_000
const NO_NAMES: ReadonlySet<string> = new Set()

export function entriesOfTransaction(history: History): Map<string, StoredEntry> | undefined {
  const transaction = currentSession()?.transaction?.shared
  if (!transaction) return undefined
  const histories = storedEntries.get(transaction) ?? new Map<History, Map<string, StoredEntry>>()
  storedEntries.set(transaction, histories)
  const entries = histories.get(history) ?? new Map<string, StoredEntry>()
  histories.set(history, entries)
  return entries
}

export function noteStored(history: History, entries: readonly StoredEntry[]): void {
  const known = entriesOfTransaction(history)
  if (!known) return
  for (const entry of entries) {
    known.delete(entry.record)
    known.set(entry.record, entry)
  }
  for (const record of known.keys()) {
    if (known.size <= MOST_STORED) return
    known.delete(record)
  }
}

/** The name under which an entry lists the columns whose values it does not keep. No column has it. */
export const REDACTED = ''

interface EntryReader {
  whole(row: RawRow, action: 'create' | 'delete'): Entry
  /** `undefined` if nothing has changed that the history keeps. */
  changed(before: RawRow, after: RawRow): Entry | undefined
}

const readers = new WeakMap<History, EntryReader>()

function readerOf(history: History): EntryReader {
  const known = readers.get(history) ?? entryReader(history)
  readers.set(history, known)
  return known
}

interface ReadColumn {
  readonly at: number
  /** `"name":` */
  readonly name: string
  readonly isRedacted: boolean
  /** Whether entries of new and of deleted records have it. */
  readonly isKept: boolean
  readonly isCompared: boolean
  json(raw: unknown): string
}

function entryReader(history: History): EntryReader {
  const { model, options } = history
  const { ignore = [], redact = [] } = options
  const columns = model.columns.map((column, at): ReadColumn => {
    const write = model.dialect.jsonWriter(column)
    const isIgnored = AUDIT_FIELDS.has(column.key) || isVersionColumn(column) || ignore.includes(column.key)
    return {
      at,
      name: `${JSON.stringify(column.name)}:`,
      isRedacted: redact.includes(column.key),
      isKept: column.primaryKey || !ignore.includes(column.key),
      isCompared: !isIgnored && !column.primaryKey,
      json: raw => (raw === null ? 'null' : write(raw as never)),
    }
  })
  const keyAt = model.columns.indexOf(model.primaryKey)
  const keyOf = keyReader(model, model.primaryKey)
  const parentOf = parentReader(history)
  const activeAt = model.softDeletable ? model.columns.findIndex(({ key }) => key === 'isActive') : -1
  const isActive = (row: RawRow) => columns[activeAt]?.json(row[activeAt]) === 'true'
  return {
    whole(row, action) {
      let json = ''
      const hidden: string[] = []
      for (const { at, name, isRedacted, isKept, json: write } of columns) {
        if (!isKept) continue
        // An empty field has no value to hide, and an undo can bring it back.
        if (!isRedacted) json += `${json === '' ? '' : ','}${name}${write(row[at])}`
        else if (row[at] !== null) hidden.push(name.slice(0, -1))
      }
      const values = hidden.length === 0 ? `{${json}}` : `{${json},"":[${hidden.join()}]}`
      const isNew = action === 'create'
      return {
        record: keyOf(row[keyAt]),
        action,
        parent: parentOf(row),
        before: isNew ? null : values,
        after: isNew ? values : null,
      }
    },
    changed(before, after) {
      let old = ''
      let now = ''
      const hidden: string[] = []
      for (const { at, name, isRedacted, isCompared, json } of columns) {
        if (!isCompared || before[at] === after[at]) continue
        const [was, is] = [json(before[at]), json(after[at])]
        if (was === is) continue
        if (isRedacted) {
          hidden.push(name.slice(0, -1))
          continue
        }
        const comma = old === '' ? '' : ','
        old += `${comma}${name}${was}`
        now += `${comma}${name}${is}`
      }
      if (old === '' && hidden.length === 0) return undefined
      const redacted = hidden.length === 0 ? '' : `${old === '' ? '' : ','}"":[${hidden.join()}]`
      return {
        record: keyOf(after[keyAt]),
        action:
          activeAt === -1 || isActive(before) === isActive(after)
            ? 'update'
            : isActive(after)
              ? 'restore'
              : 'soft_delete',
        parent: parentOf(after),
        before: `{${old}${redacted}}`,
        after: `{${now}${redacted}}`,
      }
    },
  }
}

/** The text of a key in an entry. */
function keyReader({ dialect }: ModelInfo, column: ColumnInfo): (raw: unknown) => string {
  const decode = dialect.decoder(column)
  return raw => historyKey(decode(raw as never))
}

function parentReader({ model, options }: History): (row: RawRow) => string | null {
  const column = options.parent === undefined ? undefined : model.byKey.get(options.parent)
  if (!column) return () => null
  const at = model.columns.indexOf(column)
  const keyOf = keyReader(model, column)
  return row => (row[at] === null ? null : keyOf(row[at]))
}

/** The key of a record as its history names it. */
export function historyKey(key: unknown): string {
  return String(key)
}

const OF_ROWS = ['record', 'action', 'before', 'after'] as const
const OF_CHILDREN = [...OF_ROWS, 'parent'] as const

/**
 * One statement stores all entries. What they share is bound once.
 *
 * @returns if asked, the ids of the entries by the keys of their records
 */
export async function insertEntries(
  database: Database,
  history: History,
  entries: readonly Entry[],
  returnsIds = false,
): Promise<ReadonlyMap<string, number>> {
  if (entries.length === 0) return NO_IDS
  const { info, options } = history
  const { dialect } = database
  const ofRows = options.parent === undefined ? OF_ROWS : OF_CHILDREN
  const { user, change } = currentContext()
  const fixed = change?.fixed?.()
  const shared: Readonly<Record<string, unknown>> = {
    source: change?.source ?? null,
    at: momentOfWrite(),
    user: user ? String(user.id) : null,
    reason: change?.reason ?? null,
    requestId: change?.requestId ?? null,
    job: change?.job ?? null,
    fixed: fixed && Object.keys(fixed).length > 0 ? fixed : null,
  }
  const columnOf = (key: string) => info.byKey.get(key) as ColumnInfo
  const texts = ofRows.map((_, at): RowSetColumn => ({ name: `_value_${at}`, kind: 'text', sqlType: 'text' }))
  const cells = entries.map(entry => ofRows.map(key => entry[key]))
  const bound = new Bound(dialect)
  const names = Object.keys(shared)
  const text = dialect.writes.insert({
    table: tableName(info),
    columns: [...ofRows, ...names].map(key => quoteName(columnOf(key).name)),
    values: () => [
      ...ofRows.map((key, at) => asType(`${ROWS}."_value_${at}"`, columnOf(key))),
      ...names.map(key => {
        const column = columnOf(key)
        return bound.add(dialect.encode(column, shared[key]), position => dialect.typedPlaceholder(column, position))
      }),
    ],
    rows: () => bound.rows(texts, cells),
    returning: returnsIds ? ['id', 'record'].map(key => quoteName(columnOf(key).name)) : [],
  })
  const statement = database.statement(text, () => text)
  const { rows } = await runWrite(database, info, statement, bound.values)
  sweepLater(database, history)
  if (rows.length === 0) return NO_IDS
  // The text of a key as entries have it: the last entry of a record counts.
  return new Map(rows.map(([id, record]) => [String(record), Number(id)]))
}

const NO_IDS: ReadonlyMap<string, number> = new Map()

/** Notes in the entries of an import which rows of the file wrote each record. `rows` has the records' keys. */
export async function recordRows(
  database: Database,
  { info }: History,
  job: string,
  rows: ReadonlyMap<string, readonly number[]>,
): Promise<void> {
  if (rows.size === 0) return
  const { dialect } = database
  const columnOf = (key: string) => info.byKey.get(key) as ColumnInfo
  const named = (key: string) => quoteName(columnOf(key).name)
  const texts = ['_record', '_rows'].map((name): RowSetColumn => ({ name, kind: 'text', sqlType: 'text' }))
  const cells = [...rows].map(([record, numbers]) => [record, JSON.stringify(numbers)])
  const bound = new Bound(dialect)
  const value = asType(`${ROWS}."_rows"`, columnOf('rows'))
  const given = `(${bound.rows(texts, cells, true)}) as ${ROWS}`
  const table = tableName(info)
  const boundJob = () =>
    bound.add(dialect.encode(columnOf('job'), job), at => dialect.typedPlaceholder(columnOf('job'), at))
  // A database must not look for each record among all entries of the job, nor among all of the record.
  const first = `(select min(${named('id')}) from ${table} where ${named('job')} = ${boundJob()})`
  const isOfJob = `cast(${table}.${named('job')} as text) = cast(${boundJob()} as text)`
  const text =
    `update ${table} set ${named('rows')} = ${value} from ${given} ` +
    `where ${table}.${named('record')} = ${ROWS}."_record" and ${table}.${named('id')} >= ${first} and ${isOfJob} ` +
    `and ${table}.${named('rows')} is null`
  await runWrite(
    database,
    info,
    database.statement(text, () => text),
    bound.values,
  )
}

/** The rows carry JSON as text. */
export function asType(value: string, { kind, sqlType }: ColumnInfo): string {
  return kind === 'json' ? `cast(${value} as ${sqlType})` : value
}
