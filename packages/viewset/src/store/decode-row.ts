import type { Decoder, Dialect } from '../model/dialect/dialect.ts'
import type { TableInfo } from '../model/model-info.ts'
import type { RawRow } from './driver.ts'

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
