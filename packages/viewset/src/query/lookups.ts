import { type SQL, sql } from 'drizzle-orm'
import type { Kind } from '../model/column-kind.ts'
import type { ColumnInfo } from '../model/model-info.ts'
import { readTimestamp } from '../model/timestamps.ts'
import type { Dialect } from '../store/dialect/dialect.ts'
import { expectedForm, readBoolean, readFilterValue } from './filter-value.ts'
import { inAnyCase } from './letter-case.ts'

/** Makes a condition of what a request asks for. */
export type Condition = (value: SQL, dialect: Dialect) => SQL

/** How a declared field may be asked for. */
export interface LookupDefinition {
  /** Kinds of column that can be asked so; without it, all whose values a query string can hold. */
  readonly kinds?: readonly Kind[]
  /**
   * The condition that `text` stands for; `undefined` when it is not in the expected form. A datetime without an offset
   * is one in `timeZone`.
   */
  read(column: ColumnInfo, text: string, timeZone: string): Condition | undefined
  /** What the text must be, behind "Enter ". */
  expected(column: ColumnInfo): string
  /** Whether `text` also means the rows whose relation is missing. */
  orMissing?(text: string): boolean
}

const TEXT: readonly Kind[] = ['text', 'enumeration']
const DATES: readonly Kind[] = ['date', 'timestamp']

/** The lookups by the names that django-filter has for them. */
export const lookups = {
  exact: comparison(sql.raw('=')),
  lt: comparison(sql.raw('<')),
  lte: comparison(sql.raw('<=')),
  gt: comparison(sql.raw('>')),
  gte: comparison(sql.raw('>=')),
  in: {
    read: (column, text, timeZone) => {
      const values = readList(column, text, timeZone)
      return values && ((value, dialect) => dialect.isOneOf(value, column, encodeAll(dialect, column, values)))
    },
    expected: column => `values with commas between them, each ${expectedForm(column)}`,
  },
  range: {
    read: (column, text, timeZone) => {
      const values = readList(column, text, timeZone)
      if (values?.length !== 2) return undefined
      return (value, dialect) => between(value, encodeAll(dialect, column, values))
    },
    expected: column => `two values with a comma between them, each ${expectedForm(column)}`,
  },
  isnull: {
    kinds: [
      'text',
      'enumeration',
      'integer',
      'bigint',
      'decimal',
      'float',
      'boolean',
      'timestamp',
      'date',
      'uuid',
      'json',
      'other',
    ],
    read: (_column, text) => {
      const isNull = readBoolean(text)
      if (isNull === undefined) return undefined
      return value => (isNull ? sql`${value} is null` : sql`${value} is not null`)
    },
    expected: () => 'true or false',
    orMissing: text => readBoolean(text) === true,
  },
  iexact: {
    kinds: TEXT,
    read: (column, text) => (value, dialect) => {
      const fold = sql.raw(dialect.caseFold)
      return sql`${fold}(${inAnyCase(dialect, column, value)}) = ${fold}(${text})`
    },
    expected: () => 'a text',
  },
  contains: textMatch('anywhere', false),
  icontains: textMatch('anywhere', true),
  startswith: textMatch('start', false),
  istartswith: textMatch('start', true),
  year: {
    kinds: DATES,
    // A range of time, so that an index on the column serves it.
    read: (column, text, timeZone) => {
      if (!/^(?!0000)\d{4}$/.test(text)) return undefined
      const days = [`${text}-01-01`, `${text}-12-31`]
      const bounds = column.kind === 'date' ? days : days.map((day, i) => readTimestamp(day + DAY_ENDS[i], timeZone))
      if (bounds.includes(undefined)) return undefined
      return (value, dialect) => between(value, encodeAll(dialect, column, bounds))
    },
    expected: () => 'a year of four digits, such as 2026',
  },
  month: datePart('month', 12),
  day: datePart('day', 31),
  state: {
    kinds: ['boolean'],
    read: (column, text) => {
      if (text === 'all') return () => sql`true`
      if (text !== 'active' && text !== 'deleted') return undefined
      return (value, dialect) => sql`${value} = ${dialect.encodeKind(column, text === 'active')}`
    },
    expected: () => 'active, deleted or all',
  },
} as const satisfies Record<string, LookupDefinition>

/** The name of a lookup, as `filterFields` takes it. */
export type Lookup = keyof typeof lookups

const DAY_ENDS = ['T00:00', 'T23:59:59.999999'] as const

function comparison(operator: SQL): LookupDefinition {
  return {
    read: (column, text, timeZone) => {
      const wanted = readFilterValue(column, text, timeZone)
      if (wanted === undefined) return undefined
      return (value, dialect) => sql`${value} ${operator} ${dialect.encodeKind(column, wanted)}`
    },
    expected: expectedForm,
  }
}

function textMatch(at: 'start' | 'anywhere', ignoreCase: boolean): LookupDefinition {
  return {
    kinds: TEXT,
    read: (column, text) => (value, dialect) =>
      dialect.matchesText(ignoreCase ? inAnyCase(dialect, column, value) : value, text, { at, ignoreCase }),
    expected: () => 'a text',
  }
}

function datePart(part: 'month' | 'day', last: number): LookupDefinition {
  return {
    kinds: DATES,
    read: (column, text, timeZone) => {
      const wanted = /^\d{1,2}$/.test(text) ? Number(text) : 0
      if (wanted < 1 || wanted > last) return undefined
      return (value, dialect) => sql`${dialect.datePart(part, value, column, timeZone)} = ${wanted}`
    },
    expected: () => `a whole number from 1 to ${last}`,
  }
}

function readList(column: ColumnInfo, text: string, timeZone: string): readonly unknown[] | undefined {
  const values = text.split(',').map(item => readFilterValue(column, item, timeZone))
  return values.includes(undefined) ? undefined : values
}

function encodeAll(dialect: Dialect, column: ColumnInfo, values: readonly unknown[]): readonly unknown[] {
  return values.map(value => dialect.encodeKind(column, value))
}

function between(value: SQL, [low, high]: readonly unknown[]): SQL {
  return sql`${value} between ${low} and ${high}`
}
