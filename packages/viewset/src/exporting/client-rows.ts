import type { Cell, CellRow } from '../tabular/table.ts'
import { exportCell } from './cells.ts'
import type { ExportColumn } from './export-columns.ts'

/** A row that somebody brings along, by the names of the wire. */
export type ExportRow = Readonly<Record<string, unknown>>

/** Makes rows of a file from objects: a column is looked up as a key of the row, then as a nested path. */
export function clientRowReader(columns: readonly ExportColumn[]): (row: ExportRow) => CellRow {
  const paths = columns.map(({ wire }) => ({ wire, path: wire.split('__') }))
  return row =>
    paths.map(({ wire, path }): Cell => {
      if (Object.hasOwn(row, wire)) return exportCell(row[wire])
      return exportCell(path.reduce<unknown>(valueIn, row))
    })
}

function valueIn(value: unknown, key: string): unknown {
  return typeof value === 'object' && value !== null && Object.hasOwn(value, key) ? Reflect.get(value, key) : undefined
}
