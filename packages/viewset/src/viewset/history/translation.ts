import { currentContext } from '../../core/context.ts'
import { readBoolean } from '../../kinds/boolean.ts'
import { type ReadContext, readContextOf } from '../../kinds/kind.ts'
import { has, kindOf } from '../../kinds/kinds.ts'
import { type DroppedColumn, type History, linksOf } from '../../model/history.ts'
import type { ColumnInfo } from '../../model/model-info.ts'
import type { HistoryValues } from '../../model/tables/history-tables.ts'
import { isVersionColumn } from '../../model/version-column.ts'
import { REDACTED } from '../../store/write/record-history.ts'

// Entries have the names and the kinds of their time. Everything that reads entries reads them through this file.

/** What a name in an entry means today. */
export type Meaning =
  | { readonly is: 'column'; readonly name: string; readonly column: ColumnInfo }
  | { readonly is: 'links'; readonly name: string; readonly key: ColumnInfo }
  | { readonly is: 'dropped'; readonly name: string; readonly column: DroppedColumn }
  | { readonly is: 'unknown'; readonly name: string }

/** The values of an entry by the names of today. */
export interface PastValues {
  /** By the names of today's columns. */
  readonly columns: Readonly<Record<string, unknown>>
  /** The ids of relations to many. */
  readonly links: ReadonlyMap<string, readonly unknown[]>
  /** Of columns that the table no longer has, as they were stored. */
  readonly dropped: Readonly<Record<string, unknown>>
  /** Columns of today whose values are not kept, and names that are no columns. */
  readonly redacted: readonly string[]
  /** The same of names that the history's options do not explain. */
  readonly unknown: Readonly<Record<string, unknown>>
}

const NO_VALUES: PastValues = { columns: {}, links: new Map(), dropped: {}, redacted: [], unknown: {} }

/** Translates the names of entries and the forms of their values into those of today. */
export class Translation {
  readonly history: History
  /** The column of today with a name. */
  readonly columnOf: (name: string) => ColumnInfo | undefined
  readonly #meanings = new Map<string, Meaning>()

  constructor(history: History) {
    this.history = history
    const columns = new Map(history.model.columns.map(column => [column.name, column]))
    this.columnOf = name => columns.get(name)
  }

  meaningOf(name: string): Meaning {
    const known = this.#meanings.get(name)
    if (known) return known
    const meaning = this.#find(name)
    // A serializer that is built later may have a relation of this name.
    if (meaning.is !== 'unknown') this.#meanings.set(name, meaning)
    return meaning
  }

  #find(name: string): Meaning {
    const { model, options } = this.history
    const { renamed = {}, renamedRelations = {}, dropped = {} } = options
    const field = own(renamed, name)
    const column = field === undefined ? this.columnOf(name) : model.byKey.get(field)
    if (column) return { is: 'column', name: column.name, column }
    const relation = own(renamedRelations, name) ?? name
    const key = linksOf(model.table).get(relation)
    if (key) return { is: 'links', name: relation, key }
    const old = own(dropped, name)
    return old ? { is: 'dropped', name, column: old } : { is: 'unknown', name }
  }

  /** The names in entries that mean a column or a relation of today. */
  namesOf(name: string): readonly string[] {
    const { renamed = {}, renamedRelations = {} } = this.history.options
    const before = [...Object.keys(renamed), ...Object.keys(renamedRelations)]
    return [name, ...before.filter(old => this.meaningOf(old).name === name)]
  }

  /** The names in entries of columns that the table no longer has. */
  get dropped(): readonly string[] {
    return Object.keys(this.history.options.dropped ?? {})
  }

  /** Whether entries have all values of a column. Of the others, only today's value is known. */
  isKept(column: ColumnInfo): boolean {
    const { ignore = [], redact = [] } = this.history.options
    const { key } = column
    return ![...ignore, ...redact, 'updatedAt', 'updatedBy'].includes(key) && !isVersionColumn(column)
  }

  /** Values of an entry, with the names of today. Their forms are those of their time: see {@link valueToday}. */
  read(values: HistoryValues | null): PastValues {
    if (values === null) return NO_VALUES
    const columns: Record<string, unknown> = {}
    const links = new Map<string, readonly unknown[]>()
    const dropped: Record<string, unknown> = {}
    const unknown: Record<string, unknown> = {}
    for (const name in values) {
      if (name === REDACTED) continue
      const meaning = this.meaningOf(name)
      const value = values[name]
      if (meaning.is === 'links') links.set(meaning.name, idsToday(meaning.key, value))
      else if (meaning.is === 'dropped') dropped[name] = value
      else if (meaning.is === 'unknown') unknown[name] = value
      // While a column is replaced by another one, entries may have both names. The new one is empty until it is filled.
      else if (meaning.name === name ? !(name in columns) || value !== null : (values[meaning.name] ?? null) === null) {
        columns[meaning.name] = value
      }
    }
    return { columns, links, dropped, redacted: this.#redactedIn(values), unknown }
  }

  #redactedIn(values: HistoryValues): readonly string[] {
    const names = values[REDACTED]
    return Array.isArray(names) ? names.map(name => this.meaningOf(String(name)).name) : []
  }
}

function own<T>(values: Readonly<Record<string, T>>, name: string): T | undefined {
  return Object.hasOwn(values, name) ? values[name] : undefined
}

const translations = new WeakMap<History, Translation>()

export function translationOf(history: History): Translation {
  const known = translations.get(history) ?? new Translation(history)
  translations.set(history, known)
  return known
}

/** The ids of links in the form of their key: entries of earlier releases have texts. */
function idsToday(key: ColumnInfo, ids: unknown): readonly unknown[] {
  return Array.isArray(ids) ? ids.map(id => valueToday(key, id)?.value ?? id) : []
}

/**
 * A value of an entry in the form in which its column shows values today, as SQL would convert it without a loss.
 * `undefined` if the column's kind has no such value.
 *
 * @example
 * valueToday(price, 5) // { value: '5.00' } if the integer has become a decimal
 */
export function valueToday(column: ColumnInfo, value: unknown): { readonly value: unknown } | undefined {
  if (value === null || value === undefined) return { value: null }
  const read = FORMS[column.kind]
  if (!read) return { value }
  const today = read(column, value)
  return today === undefined ? undefined : { value: today }
}

type Form = (column: ColumnInfo, value: unknown) => unknown

/** The kinds whose values have a form. `json`, `other` and `binary` keep what they hold. */
const FORMS: { readonly [K in ColumnInfo['kind']]?: Form } = {
  text: textOf,
  enumeration: textOf,
  integer: wholeNumber,
  bigint: wholeNumber,
  decimal: decimalText,
  float: (column, value) => (typeof value === 'number' || isNumberName(value) ? value : asRead(column, value)),
  boolean: (_column, value) => (typeof value === 'object' ? undefined : readBoolean(String(value))),
  timestamp: asRead,
  date: (column, value) => asRead(column, String(value).replace(/T00:00:00(\.0+)?Z$/, '')),
  time: asRead,
  uuid: asRead,
  array: (_column, value) => (Array.isArray(value) ? value : undefined),
}

function isNumberName(value: unknown): boolean {
  return value === 'NaN' || value === 'Infinity' || value === '-Infinity'
}

/** Times that only PostgreSQL has, such as `infinity` and those beyond the year 9999. */
const REMOTE = /^(-?infinity|\d{5,}-.*|.* BC)$/

function textOf(_column: ColumnInfo, value: unknown): unknown {
  return typeof value === 'object' ? JSON.stringify(value) : String(value)
}

/** The value that the query string of a request would have as this text. */
function asRead(column: Pick<ColumnInfo, 'kind'>, value: unknown): unknown {
  if (typeof value !== 'string' && typeof value !== 'number') return undefined
  if (REMOTE.test(String(value)) && has(column, 'calendar')) return value
  return kindOf({ kind: column.kind }).readText(column, String(value), context())
}

function context(): ReadContext {
  return readContextOf(currentContext().settings)
}

/** Numbers beyond 2^53 are texts. */
function wholeNumber({ kind }: ColumnInfo, value: unknown): unknown {
  const [, whole] = /^([+-]?\d{1,19})(?:\.0+)?$/.exec(String(value)) ?? []
  if (whole === undefined || typeof value === 'boolean' || typeof value === 'object') return undefined
  const number = Number(whole)
  if (Number.isSafeInteger(number)) return number
  return kind === 'bigint' ? String(BigInt(whole)) : undefined
}

/** With the places of the column. */
function decimalText(column: ColumnInfo, value: unknown): unknown {
  if (isNumberName(value)) return value
  const text = asRead(column, value)
  if (typeof text !== 'string' || column.scale === undefined) return text
  const [, sign = '', whole = '', fraction = ''] = /^\+?(-?)0*(\d+)(?:\.(\d+))?$/.exec(text) ?? []
  const places = fraction.replace(/0+$/, '')
  if (places.length > column.scale) return undefined
  return sign + whole + (column.scale === 0 ? '' : `.${places.padEnd(column.scale, '0')}`)
}
