import { quoteName } from '../model/drizzle.ts'
import type { ColumnInfo } from '../model/model-info.ts'
import type { RowSetColumn } from './dialect/dialect.ts'
import type { Values } from './write.ts'

/** The name under which a statement knows the rows that travel with it. */
export const ROWS = '"_rows"'

/** Bits of an integer column that are safe on every database. */
const BITS = 30

/**
 * Says of each row which columns it gives, where rows of one statement give different ones: a null does not tell
 * "make it null" from "leave it alone". One bit for each column.
 */
export interface GivenMarks {
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

/** A column of the rows that travel with the statement. */
export function rowsColumn(column: ColumnInfo): string {
  return `${ROWS}.${quoteName(column.name)}`
}
