import { type SQL, sql } from 'drizzle-orm'
import { message, type Text } from '../core/messages/message.ts'
import { readBoolean } from '../kinds/boolean.ts'
import type { JsonSchema } from '../kinds/json-schema.ts'
import type { ReadContext, Trait } from '../kinds/kind.ts'
import { kindOf } from '../kinds/kinds.ts'
import type { DatePart, Dialect, ExpressionValue, StoredValue, TextMatch } from '../model/dialect/dialect.ts'
import type { ColumnInfo } from '../model/model-info.ts'

type Condition = (value: SQL, dialect: Dialect) => SQL

export interface LookupDefinition {
  readonly needs: Trait | null
  read(column: StoredValue, text: string, context: ReadContext): Condition | undefined
  /** @param sent the text that could not be read */
  expected(column: StoredValue, sent: string): Text
  schema(column: StoredValue): JsonSchema
  /** The matching records, after the name of the field. */
  readonly meaning: string
  orMissing?(text: string): boolean
}

export const lookups = {
  exact: comparison(sql.raw('='), 'is this'),
  lt: comparison(sql.raw('<'), 'is less than this'),
  lte: comparison(sql.raw('<='), 'is at most this'),
  gt: comparison(sql.raw('>'), 'is more than this'),
  gte: comparison(sql.raw('>='), 'is at least this'),
  in: {
    needs: 'comparable',
    read: (column, text, context) => {
      const values = readList(column, text, context)
      return values && ((value, dialect) => dialect.isOneOf(value, column, encodeAll(dialect, column, values)))
    },
    expected: (column, sent) => message('expected.list', { each: expected(column, sent) }),
    schema: column => ({ type: 'array', items: itemSchema(column) }),
    meaning: 'is one of these',
  },
  range: {
    needs: 'comparable',
    read: (column, text, context) => {
      const values = readList(column, text, context)
      if (values?.length !== 2) return undefined
      return (value, dialect) => between(value, encodeAll(dialect, column, values))
    },
    expected: (column, sent) => message('expected.pair', { each: expected(column, sent) }),
    schema: column => ({ type: 'array', items: itemSchema(column), minItems: 2, maxItems: 2 }),
    meaning: 'is one of these two or lies between them',
  },
  isnull: {
    needs: null,
    read: (_column, text) => {
      const isNull = readBoolean(text)
      if (isNull === undefined) return undefined
      return value => (isNull ? sql`${value} is null` : sql`${value} is not null`)
    },
    expected: () => message('expected.boolean'),
    schema: () => ({ type: 'boolean' }),
    meaning: 'is missing, or is not',
    orMissing: text => readBoolean(text) === true,
  },
  iexact: {
    needs: 'text',
    read: (column, text) => (value, dialect) =>
      dialect.equalsInAnyCase(column, inAnyCase(dialect, column, value), text),
    expected: () => message('expected.text'),
    schema: () => ({ type: 'string' }),
    meaning: 'is this, in any case',
  },
  contains: textMatch('anywhere', false, 'contains this'),
  icontains: textMatch('anywhere', true, 'contains this, in any case'),
  startswith: textMatch('start', false, 'starts with this'),
  istartswith: textMatch('start', true, 'starts with this, in any case'),
  endswith: textMatch('end', false, 'ends with this'),
  iendswith: textMatch('end', true, 'ends with this, in any case'),
  date: {
    needs: 'calendar',
    read: (column, text, context) => withinDays(column, text, text, context),
    expected: () => message('expected.date'),
    schema: () => ({ type: 'string', format: 'date' }),
    meaning: 'lies on this day',
  },
  year: {
    needs: 'calendar',
    // A range of time can use an index on the column.
    read: (column, text, context) => {
      return /^(?!0000)\d{4}$/.test(text) ? withinDays(column, `${text}-01-01`, `${text}-12-31`, context) : undefined
    },
    expected: () => message('expected.year'),
    schema: () => ({ type: 'integer', minimum: 1000, maximum: 9999 }),
    meaning: 'lies in this year',
  },
  quarter: datePart('quarter', 4, 'lies in this quarter of the year'),
  month: datePart('month', 12, 'lies in this month'),
  day: datePart('day', 31, 'lies on this day of the month'),
  iso_week_day: datePart('iso_week_day', 7, 'lies on this day of the week, from 1 for Monday to 7 for Sunday'),
  state: {
    needs: 'truth',
    read: (column, text) => {
      if (text === 'all') return () => sql`true`
      if (text !== 'active' && text !== 'deleted') return undefined
      return (value, dialect) => sql`${value} = ${dialect.encodeKind(column, text === 'active')}`
    },
    expected: () => message('expected.state'),
    schema: () => ({ type: 'string', enum: ['active', 'deleted', 'all'] }),
    meaning: 'says so',
  },
} as const satisfies Record<string, LookupDefinition>

/** The name of a lookup, for `filterFields`. */
export type Lookup =
  | keyof typeof lookups
  | keyof typeof arrayLookups
  | keyof typeof jsonLookups
  | keyof typeof negatedLookups

/** The lookups that match all other rows, also those without a value. A negated lookup comes with the one after it. */
export const negatedLookups = { ne: 'exact', not_in: 'in' } as const satisfies Record<string, keyof typeof lookups>

/** The lookups of lists. */
export const arrayLookups = {
  contains: itemMatch('contains', 'contains all of these'),
  overlap: itemMatch('overlaps', 'contains one of these'),
} as const satisfies Record<string, LookupDefinition>

/** The lookups of JSON. */
export const jsonLookups = {
  has_key: {
    needs: null,
    read: (_column, text) => (value, dialect) => dialect.hasJsonKey(value, text),
    expected: () => message('expected.text'),
    schema: () => ({ type: 'string' }),
    meaning: 'is an object with this key',
  },
} as const satisfies Record<string, LookupDefinition>

function itemMatch(how: 'contains' | 'overlaps', meaning: string): LookupDefinition {
  const itemOf = ({ item }: StoredValue): ExpressionValue => ({ kind: 'text', ...item }) as ExpressionValue
  return {
    needs: null,
    read: (column, text, context) => {
      const values = readList(itemOf(column), text, context)
      return values && ((value, dialect) => dialect.matchesItems(how, value, column, values))
    },
    expected: (column, sent) => message('expected.list', { each: expected(itemOf(column), sent) }),
    schema: column => ({ type: 'array', items: itemSchema(itemOf(column)) }),
    meaning,
  }
}

/** A range of time can use an index on the column. */
function withinDays(column: StoredValue, first: string, last: string, context: ReadContext): Condition | undefined {
  const kind = kindOf(column)
  const ends = kind.tabular === 'date' ? [first, last] : [`${first}T00:00`, `${last}T23:59:59.999999`]
  const bounds = ends.map(end => kind.readText(column, end, context))
  if (bounds.includes(undefined)) return undefined
  return (value, dialect) => between(value, encodeAll(dialect, column, bounds))
}

function comparison(operator: SQL, meaning: string): LookupDefinition {
  return {
    needs: 'comparable',
    read: (column, text, context) => {
      const wanted = kindOf(column).readText(column, text, context)
      if (wanted === undefined) return undefined
      return (value, dialect) => sql`${value} ${operator} ${dialect.encodeKind(column, wanted)}`
    },
    expected,
    schema: column => kindOf(column).textSchema(column),
    meaning,
  }
}

function textMatch(at: TextMatch['at'], ignoreCase: boolean, meaning: string): LookupDefinition {
  return {
    needs: 'text',
    read: (column, text) => (value, dialect) =>
      dialect.matchesText(ignoreCase ? inAnyCase(dialect, column, value) : value, text, { at, ignoreCase }),
    expected: () => message('expected.text'),
    schema: () => ({ type: 'string' }),
    meaning,
  }
}

function datePart(part: DatePart, last: number, meaning: string): LookupDefinition {
  return {
    needs: 'calendar',
    read: (column, text, { timeZone }) => {
      const wanted = /^\d{1,2}$/.test(text) ? Number(text) : 0
      if (wanted < 1 || wanted > last) return undefined
      return (value, dialect) => sql`${dialect.datePart(part, value, column, timeZone)} = ${wanted}`
    },
    expected: () => message('expected.whole', { min: '1', max: String(last) }),
    schema: () => ({ type: 'integer', minimum: 1, maximum: last }),
    meaning,
  }
}

function readList(column: StoredValue, text: string, context: ReadContext): readonly unknown[] | undefined {
  const values = text.split(',').map(item => kindOf(column).readText(column, item, context))
  return values.includes(undefined) ? undefined : values
}

function itemSchema(column: StoredValue): JsonSchema {
  const schema = kindOf(column).textSchema(column)
  const isAnyText = schema.type === 'string' && schema.pattern === undefined && schema.format === undefined
  return isAnyText ? { ...schema, pattern: '^[^,]*$' } : schema
}

function encodeAll(dialect: Dialect, column: StoredValue, values: readonly unknown[]): readonly unknown[] {
  return values.map(value => dialect.encodeKind(column, value))
}

function between(value: SQL, [low, high]: readonly unknown[]): SQL {
  return sql`${value} between ${low} and ${high}`
}

function expected(column: StoredValue, sent: string): Text {
  const value = kindOf(column).expected(column, sent)
  const { references } = column as Partial<ColumnInfo>
  return references ? message('expected.key', { key: references.column.wire, value }) : value
}

/** A column's value for comparisons that ignore case, in any script and with any collation of the column. */
export function inAnyCase(dialect: Dialect, column: StoredValue, value: SQL): SQL {
  const suffix = dialect.letterCase(column)
  return suffix === '' ? value : sql`(${value}${sql.raw(suffix)})`
}
