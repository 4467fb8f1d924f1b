import { foldCase } from '../core/text.ts'
import type { Dialect, RowSetColumn } from '../model/dialect/dialect.ts'
import { quoteName } from '../model/drizzle.ts'
import type { ColumnInfo } from '../model/model-info.ts'
import type { Bound } from './sql-value.ts'

// A unique index that ignores case may fold fewer letters than the database. Index ranges find the candidates, which
// are then compared with the complete folding.

interface NamedRows {
  readonly table: string
  readonly name: string
}

export function needsRanges(dialect: Dialect, columns: readonly ColumnInfo[]): boolean {
  return dialect.indexesFoldOnlyAscii && columns.some(isText)
}

export function withoutCase(dialect: Dialect, column: RowSetColumn, value: string): string {
  return isText(column) ? dialect.foldCase(column, value) : value
}

const LOW: RowSetColumn = { name: '_low', kind: 'text', sqlType: 'text' }
const HIGH: RowSetColumn = { name: '_high', kind: 'text', sqlType: 'text' }

/**
 * Selects all rows that may match one of some tuples of encoded values: one select for each text column, binding its
 * values in order. `undefined` values do not count.
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
    // If this text differs, the texts of later columns may have any value.
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
      return mergedRanges(group.flatMap(({ ranges }) => ranges)).map(range => [...values, ...range])
    })
    const ascii = (column: RowSetColumn, of: string) => {
      const value = `${of}.${quoteName(column.name)}`
      return isText(column) ? dialect.foldInIndex(column, value) : value
    }
    const terms = kept.map(({ column }) => `${ascii(column, name)} = ${ascii(column, '"_range"')}`)
    terms.push(`${ascii(text, name)} between "_range"."_low" and "_range"."_high"`)
    const ranges = bound.rows([...kept.map(({ column }) => column), LOW, HIGH], rows)
    // CROSS JOIN prevents SQLite from scanning the table first.
    return select(`(${ranges}) as "_range" cross join ${table} on ${terms.join(' and ')}`)
  })
}

function isText({ kind }: RowSetColumn): boolean {
  return kind === 'text'
}

function bigintsAsText(_: string, value: unknown): unknown {
  return typeof value === 'bigint' ? String(value) : value
}

// SQLite's `lower` and indexes over it fold only ASCII. A text that differs only in case may have other entries in the
// index: they lie in these ranges.

export type CaseRange = readonly [low: string, high: string]

/** The only letters outside of ASCII with an ASCII lower case: `İ` and the Kelvin sign. */
const OTHER_CAPITALS: Readonly<Record<string, string>> = { i: '\u0130', k: '\u212a' }
/** Letters for which the index may have another one than the folded text. */
const UNSURE = /[ik]|[^\0-\x7f]/
/** After this many letters, one range covers all that follow. */
const LOOKED_AT = 64
const LAST = '\u{10ffff}'

/**
 * Ranges that contain all texts which differ from one only in case, and possibly others. They do not overlap. The last
 * one contains the text itself, and nothing else unless there are letters outside of ASCII.
 *
 * @example
 * caseRanges('Tim') // [['tİm', 'tİm'], ['tim', 'tim']]
 */
export function caseRanges(text: string): readonly CaseRange[] {
  const folded = foldCase(text)
  const ranges: CaseRange[] = []
  let at = folded.search(UNSURE)
  while (at !== -1) {
    const before = folded.slice(0, at)
    const other = OTHER_CAPITALS[folded.charAt(at)]
    if (other === undefined || at > LOOKED_AT) {
      ranges.push([before, before + LAST])
      return ranges
    }
    const length = folded.slice(at + 1).search(UNSURE)
    const start = before + other + folded.slice(at + 1, length === -1 ? undefined : at + 1 + length)
    ranges.push([start, length === -1 ? start : start + LAST])
    at = length === -1 ? -1 : at + 1 + length
  }
  ranges.push([folded, folded])
  return ranges
}

export function otherCaseRanges(text: string): readonly CaseRange[] {
  const folded = foldCase(text)
  return caseRanges(text).filter(([low, high]) => low !== folded || high !== folded)
}

export function mergedRanges(ranges: readonly CaseRange[]): readonly CaseRange[] {
  const result: CaseRange[] = []
  for (const [low, high] of ranges.toSorted(([a], [b]) => (a < b ? -1 : 1))) {
    const last = result.at(-1)
    if (!last || last[1] < low) result.push([low, high])
    else if (last[1] < high) result[result.length - 1] = [last[0], high]
  }
  return result
}
