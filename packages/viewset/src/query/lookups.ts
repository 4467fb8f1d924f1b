import { type SQL, sql } from 'drizzle-orm'
import { readBoolean } from '../kinds/boolean.ts'
import type { ReadContext, Trait } from '../kinds/kind.ts'
import { kindOf } from '../kinds/kinds.ts'
import type { Dialect } from '../model/dialect/dialect.ts'
import type { ColumnInfo } from '../model/model-info.ts'
import { inAnyCase } from './letter-case.ts'

/** Makes a condition of what a request asks for. */
export type Condition = (value: SQL, dialect: Dialect) => SQL

/** How a declared field may be asked for. */
export interface LookupDefinition {
  /** What a column's kind has to have; `null` for what can be asked of any. */
  readonly needs: Trait | null
  /** The condition that `text` stands for; `undefined` when it is not in the expected form. */
  read(column: ColumnInfo, text: string, context: ReadContext): Condition | undefined
  /** What the text must be, behind "Enter ". */
  expected(column: ColumnInfo): string
  /** Whether `text` also means the rows whose relation is missing. */
  orMissing?(text: string): boolean
}

/** The lookups by the names that django-filter has for them. */
export const lookups = {
  exact: comparison(sql.raw('=')),
  lt: comparison(sql.raw('<')),
  lte: comparison(sql.raw('<=')),
  gt: comparison(sql.raw('>')),
  gte: comparison(sql.raw('>=')),
  in: {
    needs: 'comparable',
    read: (column, text, context) => {
      const values = readList(column, text, context)
      return values && ((value, dialect) => dialect.isOneOf(value, column, encodeAll(dialect, column, values)))
    },
    expected: column => `values with commas between them, each ${expected(column)}`,
  },
  range: {
    needs: 'comparable',
    read: (column, text, context) => {
      const values = readList(column, text, context)
      if (values?.length !== 2) return undefined
      return (value, dialect) => between(value, encodeAll(dialect, column, values))
    },
    expected: column => `two values with a comma between them, each ${expected(column)}`,
  },
  isnull: {
    needs: null,
    read: (_column, text) => {
      const isNull = readBoolean(text)
      if (isNull === undefined) return undefined
      return value => (isNull ? sql`${value} is null` : sql`${value} is not null`)
    },
    expected: () => 'true or false',
    orMissing: text => readBoolean(text) === true,
  },
  iexact: {
    needs: 'text',
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
    needs: 'calendar',
    // A range of time, so that an index on the column serves it.
    read: (column, text, context) => {
      if (!/^(?!0000)\d{4}$/.test(text)) return undefined
      const kind = kindOf(column)
      const ends = kind.tabular === 'date' ? DAYS : MOMENTS
      const bounds = ends.map(end => kind.readText(column, text + end, context))
      if (bounds.includes(undefined)) return undefined
      return (value, dialect) => between(value, encodeAll(dialect, column, bounds))
    },
    expected: () => 'a year of four digits, such as 2026',
  },
  month: datePart('month', 12),
  day: datePart('day', 31),
  state: {
    needs: 'truth',
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

/** The ends of a year, in days and in points in time. */
const DAYS = ['-01-01', '-12-31'] as const
const MOMENTS = ['-01-01T00:00', '-12-31T23:59:59.999999'] as const

function comparison(operator: SQL): LookupDefinition {
  return {
    needs: 'comparable',
    read: (column, text, context) => {
      const wanted = kindOf(column).readText(column, text, context)
      if (wanted === undefined) return undefined
      return (value, dialect) => sql`${value} ${operator} ${dialect.encodeKind(column, wanted)}`
    },
    expected,
  }
}

function textMatch(at: 'start' | 'anywhere', ignoreCase: boolean): LookupDefinition {
  return {
    needs: 'text',
    read: (column, text) => (value, dialect) =>
      dialect.matchesText(ignoreCase ? inAnyCase(dialect, column, value) : value, text, { at, ignoreCase }),
    expected: () => 'a text',
  }
}

function datePart(part: 'month' | 'day', last: number): LookupDefinition {
  return {
    needs: 'calendar',
    read: (column, text, { timeZone }) => {
      const wanted = /^\d{1,2}$/.test(text) ? Number(text) : 0
      if (wanted < 1 || wanted > last) return undefined
      return (value, dialect) => sql`${dialect.datePart(part, value, column, timeZone)} = ${wanted}`
    },
    expected: () => `a whole number from 1 to ${last}`,
  }
}

function readList(column: ColumnInfo, text: string, context: ReadContext): readonly unknown[] | undefined {
  const values = text.split(',').map(item => kindOf(column).readText(column, item, context))
  return values.includes(undefined) ? undefined : values
}

function encodeAll(dialect: Dialect, column: ColumnInfo, values: readonly unknown[]): readonly unknown[] {
  return values.map(value => dialect.encodeKind(column, value))
}

function between(value: SQL, [low, high]: readonly unknown[]): SQL {
  return sql`${value} between ${low} and ${high}`
}

function expected(column: ColumnInfo): string {
  return kindOf(column).expected(column)
}
