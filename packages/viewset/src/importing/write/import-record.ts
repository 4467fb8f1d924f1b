import type { RawRow } from '../../store/driver.ts'
import type { Values } from '../../store/write.ts'
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
  /** That record as it is stored, where somebody wants to see it. Each try to write it makes an object of its own. */
  stored: RawRow | undefined
}

/** The records of one model that rows say something of, each once. */
export function recordsOf(rows: readonly KeyedRow[], model: number): ImportRecord[] {
  const records = new Map<string, ImportRecord>()
  for (const { row, keys } of rows) {
    const key = keys[model]!
    const known = records.get(key)
    if (known) known.rows.push(row)
    else records.set(key, { cells: row.cells[model]!, rows: [row], values: {}, key: undefined, stored: undefined })
  }
  return [...records.values()]
}
