import { momentOfWrite } from '../../core/clock.ts'
import { currentContext } from '../../core/context.ts'
import type { RowSetColumn } from '../../model/dialect/dialect.ts'
import { ROWS } from '../../model/dialect/write-text.ts'
import { quoteName } from '../../model/drizzle.ts'
import type { History } from '../../model/history.ts'
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
import type { Values } from './write.ts'

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

interface Entry {
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

export function recordHistory(
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
  return insertEntries(database, history, entries)
}

/** Changed links of a record. */
export interface ChangedLinks {
  /** The values of the record. */
  readonly owner: Values
  readonly removed: readonly unknown[]
  readonly added: readonly unknown[]
}

/** Links count as a field of the record that lists them: the removed ids before, the added ids after. */
export function recordLinks(
  database: Database,
  history: History,
  field: string,
  changes: ReadonlyMap<string, ChangedLinks>,
): Promise<void> {
  const listed = (ids: readonly unknown[]) => JSON.stringify({ [field]: ids.map(String) })
  const { parent } = history.options
  const entries = [...changes].map(([record, { owner, removed, added }]): Entry => {
    const of = parent === undefined ? null : (owner[parent] ?? null)
    return {
      record,
      action: 'update',
      parent: of === null ? null : historyKey(of),
      before: listed(removed),
      after: listed(added),
    }
  })
  return insertEntries(database, history, entries)
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
      isCompared: !isIgnored && !column.primaryKey,
      json: raw => (raw === null ? 'null' : write(raw as never)),
    }
  })
  const redactedNames = model.columns.filter(({ key }) => redact.includes(key)).map(({ name }) => name)
  const keyAt = model.columns.indexOf(model.primaryKey)
  const keyOf = keyReader(model, model.primaryKey)
  const parentOf = parentReader(history)
  const activeAt = model.softDeletable ? model.columns.findIndex(({ key }) => key === 'isActive') : -1
  const isActive = (row: RawRow) => columns[activeAt]?.json(row[activeAt]) === 'true'
  return {
    whole(row, action) {
      let json = ''
      for (const { at, name, isRedacted, json: write } of columns) {
        if (!isRedacted) json += `${json === '' ? '' : ','}${name}${write(row[at])}`
      }
      const values = redactedNames.length === 0 ? `{${json}}` : `{${json},"":${JSON.stringify(redactedNames)}}`
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

/** One statement stores all entries. What they share is bound once. */
async function insertEntries(database: Database, history: History, entries: readonly Entry[]): Promise<void> {
  if (entries.length === 0) return
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
    returning: [],
  })
  const statement = database.statement(text, () => text)
  await runWrite(database, info, statement, bound.values)
  sweepLater(database, history)
}

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
  const jobIs = bound.add(dialect.encode(columnOf('job'), job), at => dialect.typedPlaceholder(columnOf('job'), at))
  const text =
    `update ${table} set ${named('rows')} = ${value} from ${given} ` +
    `where ${table}.${named('record')} = ${ROWS}."_record" and ${table}.${named('job')} = ${jobIs} ` +
    `and ${table}.${named('rows')} is null`
  await runWrite(
    database,
    info,
    database.statement(text, () => text),
    bound.values,
  )
}

/** The rows carry JSON as text. */
function asType(value: string, { kind, sqlType }: ColumnInfo): string {
  return kind === 'json' ? `cast(${value} as ${sqlType})` : value
}
