import type { Decoder, Dialect, RowSetColumn } from '../model/dialect/dialect.ts'
import { ROWS } from '../model/dialect/write-text.ts'
import type { ColumnInfo, TableInfo } from '../model/model-info.ts'
import type { RawRow } from './connection/driver.ts'
import { isSql } from './sql-value.ts'
import type { Values } from './write/write.ts'

/** Bits of an integer column that are safe on every database. */
const BITS = 30

/**
 * Says of each row which columns it gives, where rows of one statement give different ones: a null does not tell
 * "make it null" from "leave it alone". One bit for each column.
 */
interface GivenMarks {
  /** The columns that hold the marks, behind the rows' own. */
  readonly columns: readonly RowSetColumn[]
  /** The marks of a row. */
  of(row: Values): readonly number[]
  /** SQL that tells whether a row gives the column. */
  test(column: ColumnInfo): string
}

export function givenMarks(marked: readonly ColumnInfo[]): GivenMarks {
  const words = Array.from({ length: Math.ceil(marked.length / BITS) }, (_, word) => word)
  const isMarked = (row: Values, at: number) => marked[at] !== undefined && row[marked[at].key] !== undefined
  return {
    columns: words.map(word => ({ name: `_given_${word}`, kind: 'integer', sqlType: 'integer' })),
    of: row =>
      words.map(word => {
        let bits = 0
        for (let bit = 0; bit < BITS; bit++) if (isMarked(row, word * BITS + bit)) bits |= 1 << bit
        return bits
      }),
    test: column => {
      const at = marked.indexOf(column)
      return `(${ROWS}."_given_${Math.floor(at / BITS)}" & ${2 ** (at % BITS)}) <> 0`
    },
  }
}

/** The columns in which the values of rows travel with a statement. */
export interface RowColumns {
  readonly columns: readonly RowSetColumn[]
  /** The one that holds the values of a column of the table. */
  of(column: ColumnInfo): string
}

/** Under names that no table has: in SQL of the user's own, `version` is the column of the row that is written. */
export function rowColumns(columns: readonly ColumnInfo[]): RowColumns {
  const places = new Map(columns.map((column, index) => [column, index]))
  return {
    columns: columns.map(({ kind, sqlType }, index) => ({ name: `_value_${index}`, kind, sqlType })),
    of: column => `${ROWS}."_value_${places.get(column)}"`,
  }
}

/** Values of one column, as a statement that selects a set of rows with only this column takes them. */
export function valueSet(dialect: Dialect, column: ColumnInfo, values: readonly unknown[]): readonly unknown[] {
  return dialect.rowSet(
    [column],
    values.map(value => [dialect.encode(column, value)]),
  )
}

/** The fields that some rows give. */
export interface GivenKeys {
  readonly all: ReadonlySet<string>
  /** Those that not every row gives. */
  readonly some: ReadonlySet<string>
  /** Those for which some row gives SQL. */
  readonly sql: ReadonlySet<string>
}

export function givenKeys(rows: readonly Values[]): GivenKeys {
  const keys: string[] = []
  const counts: number[] = []
  const sql = new Set<string>()
  for (const row of rows) {
    // Rows give their fields in one order, as a rule: the next one is where it was in the row before.
    let at = 0
    for (const key in row) {
      const value = row[key]
      if (value === undefined) continue
      if (keys[at] !== key) at = placeOf(key, keys)
      counts[at] = (counts[at] ?? 0) + 1
      if (isSql(value)) sql.add(key)
      at++
    }
  }
  return { all: new Set(keys), some: new Set(keys.filter((_, at) => counts[at]! < rows.length)), sql }
}

/** Where a key stands among others, behind which it is put if it is new. */
function placeOf(key: string, keys: string[]): number {
  const at = keys.indexOf(key)
  return at < 0 ? keys.push(key) - 1 : at
}

/** By dialect as well: two drivers of one database may deliver values in forms of their own. */
const decoders = new WeakMap<Dialect, WeakMap<TableInfo, readonly Decoder[]>>()

/** The fields of a row that holds all of a model's columns in their order. */
export function decodeRow(dialect: Dialect, model: TableInfo, row: RawRow): Record<string, unknown> {
  const known = decoders.get(dialect)?.get(model) ?? rememberDecoders(dialect, model)
  const fields: Record<string, unknown> = {}
  for (let i = 0; i < known.length; i++) {
    const raw = row[i]
    fields[model.columns[i]!.key] = raw === null ? null : known[i]!(raw)
  }
  return fields
}

function rememberDecoders(dialect: Dialect, model: TableInfo): readonly Decoder[] {
  const made = model.columns.map(column => dialect.decoder(column))
  const ofDialect = decoders.get(dialect) ?? new WeakMap<TableInfo, readonly Decoder[]>()
  decoders.set(dialect, ofDialect.set(model, made))
  return made
}
