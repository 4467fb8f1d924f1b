import { kindOf } from '../kinds/kinds.ts'
import type { Dialect, StoredValue } from '../model/dialect/dialect.ts'
import { jsonOf } from '../model/dialect/json-text.ts'
import type { ModelInfo } from '../model/model-info.ts'
import type { Cell, TabularKind } from '../tabular/table.ts'

export function tabularType(value: StoredValue): { readonly kind: TabularKind; readonly scale?: number } {
  const { scale } = value
  return { kind: kindOf(value).tabular, ...(scale !== undefined && { scale }) }
}

/** A value as a cell: text, numbers and booleans unchanged, structures as JSON text, which an import can read. */
export function exportCell(value: unknown): Cell {
  switch (typeof value) {
    case 'string':
    case 'number':
    case 'bigint':
    case 'boolean':
      return value
    case 'object':
      return value === null ? null : exportJsonCell(jsonText(value))
    default:
      return null
  }
}

function jsonText(value: object): string {
  return JSON.stringify(value, (_, part: unknown) => (typeof part === 'bigint' ? JSON.parse(jsonOf(part)) : part))
}

export function exportJsonCell(json: string): Cell {
  return json.startsWith('{') || json.startsWith('[') ? json : (JSON.parse(json) as Cell)
}

/** Makes a cell of the driver's value: the JSON value, in each mode of a plain Drizzle column. */
export function exportCellReader({ dialect }: ModelInfo, value: StoredValue): (raw: unknown) => Cell {
  const read = readerOf(dialect, value)
  return raw => (raw === null ? null : read(raw))
}

function readerOf(dialect: Dialect, value: StoredValue): (raw: unknown) => Cell {
  const { cellForm } = kindOf(value)
  // JSON stays text, so that an import can read it.
  if (cellForm === 'json') {
    const write = dialect.jsonWriter(value)
    return raw => {
      const json = write(raw)
      return json === 'null' ? null : json
    }
  }
  const decode = dialect.kindDecoder(value)
  return cellForm === 'any' ? raw => exportCell(decode(raw)) : raw => decode(raw) as Cell
}
