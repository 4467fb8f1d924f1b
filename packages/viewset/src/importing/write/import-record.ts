import type { RawRow } from '../../store/connection/driver.ts'
import type { Values } from '../../store/write/write.ts'
import type { ImportRow } from '../read/import-row.ts'
import type { KeyedRow } from './row-groups.ts'

/** A record that is to be written for one row, or for several that say the same of it. */
export interface ImportRecord {
  /** What the rows say, by the positions of the model's columns. */
  readonly cells: readonly unknown[]
  readonly rows: ImportRow[]
  /** What is to be written, once the foreign keys are found. */
  values: Values
  /** The primary key of the stored record that is updated; `undefined` for a new one. */
  key: unknown
  /** The primary key that it has once it is written. */
  writtenKey: unknown
  /** The stored record as it is, where somebody wants to see it. Each try to write it makes an object of its own. */
  stored: RawRow | undefined
}

/** The records of one model that rows say something of, each once. */
export function recordsOf(rows: readonly KeyedRow[], model: number): ImportRecord[] {
  const records = new Map<string, ImportRecord>()
  for (const { row, keys } of rows) {
    const key = keys[model]!
    const known = records.get(key)
    if (known) known.rows.push(row)
    else records.set(key, newRecord(row, row.cells[model]!))
  }
  return [...records.values()]
}

function newRecord(row: ImportRow, cells: readonly unknown[]): ImportRecord {
  return { cells, rows: [row], values: {}, key: undefined, writtenKey: undefined, stored: undefined }
}
