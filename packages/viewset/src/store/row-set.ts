import type { Decoder, Dialect, RowSetColumn } from '../model/dialect/dialect.ts'
import { ROWS } from '../model/dialect/write-text.ts'
import type { ColumnInfo, TableInfo } from '../model/model-info.ts'
import type { RawRow } from './connection/driver.ts'
import { columnName } from './select.ts'
import { isSql } from './sql-value.ts'
import type { Values } from './write/write.ts'

/** Bits that an integer column holds in every database. */
const BITS = 30

/**
 * Marks the columns that each row sets, if rows of a statement set different ones: null alone could mean "set to null"
 * or "keep". One bit for each column.
 */
interface GivenMarks {
  readonly columns: readonly RowSetColumn[]
  of(row: Values): readonly number[]
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

export interface RowColumns {
  readonly columns: readonly RowSetColumn[]
  of(column: ColumnInfo): string
}

/**
 * The columns of rows that travel with a statement. Their names are those of no table, because `version` in a user's SQL
 * must mean the written row's column.
 */
export function rowColumns(columns: readonly ColumnInfo[]): RowColumns {
  const places = new Map(columns.map((column, index) => [column, index]))
  return {
    columns: columns.map(({ kind, sqlType }, index) => ({ name: `_value_${index}`, kind, sqlType })),
    of: column => `${ROWS}."_value_${places.get(column)}"`,
  }
}

/** Whether a row of a table has the primary key of a row that travels with the statement. */
export function isRow(model: TableInfo, row: RowColumns): string {
  return model.key.map(column => `${columnName(model, column)} = ${row.of(column)}`).join(' and ')
}

export function valueSet(dialect: Dialect, column: ColumnInfo, values: readonly unknown[]): readonly unknown[] {
  return dialect.rowSet(
    [column],
    values.map(value => [dialect.encode(column, value)]),
  )
}

export interface GivenKeys {
  readonly all: ReadonlySet<string>
  readonly some: ReadonlySet<string>
  readonly sql: ReadonlySet<string>
}

export function givenKeys(rows: readonly Values[]): GivenKeys {
  const keys: string[] = []
  const counts: number[] = []
  const sql = new Set<string>()
  for (const row of rows) {
    // Rows usually list their fields in the same order, so the next field is expected at the same place.
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

function placeOf(key: string, keys: string[]): number {
  const at = keys.indexOf(key)
  return at < 0 ? keys.push(key) - 1 : at
}

/** By dialect too: two drivers of one database may deliver different forms. */
const decoders = new WeakMap<Dialect, WeakMap<TableInfo, readonly Decoder[]>>()

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
