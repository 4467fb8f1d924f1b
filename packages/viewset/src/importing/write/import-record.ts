import type { RawRow } from '../../store/connection/driver.ts'
import type { Values } from '../../store/write/write.ts'
import type { ImportRow } from '../read/import-row.ts'
import type { KeyedRow } from './row-groups.ts'

/** A record to write, for one row or for several rows with equal values. */
export interface ImportRecord {
  /** The cells, by the positions of the model's columns. */
  readonly cells: readonly unknown[]
  readonly rows: ImportRow[]
  /** The values to write, after the foreign keys are resolved. */
  values: Values
  /** The primary key of the stored record to update; `undefined` for a new one. */
  key: unknown
  /** The primary key after the write. */
  writtenKey: unknown
  /** The stored row, if a check needs it. Each attempt to write makes an object of its own from it. */
  stored: RawRow | undefined
}

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
