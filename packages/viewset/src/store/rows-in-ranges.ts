import type { Dialect, RowSetColumn } from '../model/dialect/dialect.ts'
import { quoteName } from '../model/drizzle.ts'
import type { ColumnInfo } from '../model/model-info.ts'
import { apart, caseRanges, otherCaseRanges } from './case-ranges.ts'
import type { Bound } from './sql-value.ts'

// A unique index that ignores case can know fewer letters than the database does. What it has in the ranges of a text is
// found by it, and then compared by the function that knows all letters.

/** A table, and the name by which a statement refers to its rows. */
interface NamedRows {
  readonly table: string
  readonly name: string
}

/** Whether an index that ignores the case of some columns knows fewer letters than the database does. */
export function needsRanges(dialect: Dialect, columns: readonly ColumnInfo[]): boolean {
  return dialect.asciiCaseFold !== dialect.caseFold && columns.some(isText)
}

/** A column's value without its case if it is a text. */
export function withoutCase(dialect: Dialect, fold: string, column: RowSetColumn, value: string): string {
  return isText(column) ? `${fold}(${value}${dialect.letterCase(column)})` : value
}

const LOW: RowSetColumn = { name: '_low', kind: 'text', sqlType: 'text' }
const HIGH: RowSetColumn = { name: '_high', kind: 'text', sqlType: 'text' }

/**
 * Selects all rows that may have one of some tuples of encoded values: one select for each text among the columns, with
 * its values bound in that order. Values that are `undefined` do not count.
 */
export function rowsInRanges(
  bound: Bound,
  { table, name }: NamedRows,
  columns: readonly ColumnInfo[],
  tuples: readonly (readonly unknown[])[],
  select: (from: string) => string,
): readonly string[] {
  const { dialect } = bound
  return columns.filter(isText).map(text => {
    const at = columns.indexOf(text)
    // A row that has another text in this column can have anything in the texts behind it.
    const isLast = !columns.slice(at + 1).some(isText)
    const kept = columns.flatMap((column, place) => {
      const counts = tuples.every(tuple => tuple[place] !== undefined) && (place < at || !isText(column))
      return counts ? [{ column, place }] : []
    })
    const found = tuples.map(tuple => ({
      values: kept.map(({ place }) => tuple[place]),
      ranges: (isLast ? caseRanges : otherCaseRanges)(String(tuple[at])),
    }))
    const groups = Map.groupBy(found, ({ values }) => JSON.stringify(values, bigintsAsText))
    const rows = [...groups.values()].flatMap(group => {
      const values = group[0]?.values ?? []
      return apart(group.flatMap(({ ranges }) => ranges)).map(range => [...values, ...range])
    })
    const ascii = (column: RowSetColumn, of: string) =>
      withoutCase(dialect, dialect.asciiCaseFold, column, `${of}.${quoteName(column.name)}`)
    const terms = kept.map(({ column }) => `${ascii(column, name)} = ${ascii(column, '"_range"')}`)
    terms.push(`${ascii(text, name)} between "_range"."_low" and "_range"."_high"`)
    const ranges = bound.rows([...kept.map(({ column }) => column), LOW, HIGH], rows)
    // CROSS JOIN keeps SQLite from going through the table first.
    return select(`(${ranges}) as "_range" cross join ${table} on ${terms.join(' and ')}`)
  })
}

function isText({ kind }: RowSetColumn): boolean {
  return kind === 'text'
}

function bigintsAsText(_: string, value: unknown): unknown {
  return typeof value === 'bigint' ? String(value) : value
}
