import type { Decoder, Dialect } from '../model/dialect/dialect.ts'
import type { TableInfo } from '../model/model-info.ts'
import type { RawRow } from './driver.ts'

const decoders = new WeakMap<TableInfo, readonly Decoder[]>()

/** The fields of a row that holds all of a model's columns in their order. */
export function decodeRow(dialect: Dialect, model: TableInfo, row: RawRow): Record<string, unknown> {
  let known = decoders.get(model)
  if (!known) {
    known = model.columns.map(column => dialect.decoder(column))
    decoders.set(model, known)
  }
  const fields: Record<string, unknown> = {}
  for (let i = 0; i < known.length; i++) {
    const raw = row[i]
    fields[model.columns[i]!.key] = raw === null ? null : known[i]!(raw)
  }
  return fields
}
