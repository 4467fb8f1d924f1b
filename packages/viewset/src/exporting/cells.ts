import { jsonOf } from '../core/json/json-of.ts'
import { EMPTY_LIST } from '../kinds/json.ts'
import { kindOf } from '../kinds/kinds.ts'
import { isSimpleList, listText } from '../kinds/list-text.ts'
import type { Dialect, StoredValue } from '../model/dialect/dialect.ts'
import { emptyCellValue } from '../model/empty-cell.ts'
import type { ColumnInfo, ModelInfo } from '../model/model-info.ts'
import type { PlainCell, TabularKind } from '../tabular/table.ts'

export function tabularType(value: StoredValue): { readonly kind: TabularKind; readonly scale?: number } {
  const { scale } = value
  return { kind: kindOf(value).tabular, ...(scale !== undefined && { scale }) }
}

/** A value as a cell: text, numbers and booleans unchanged, structures as JSON text, which an import can read. */
export function exportCell(value: unknown): PlainCell {
  switch (typeof value) {
    case 'string':
    case 'number':
    case 'bigint':
    case 'boolean':
      return value
    case 'object':
      return value === null ? null : exportJsonCell(jsonOf(value))
    default:
      return null
  }
}

export function exportJsonCell(json: string): PlainCell {
  return json.startsWith('{') || json.startsWith('[') ? json : (JSON.parse(json) as PlainCell)
}

interface ListForm {
  /** The cell of an empty list. Default: an empty text. */
  readonly empty?: string
  readonly separator?: string | undefined
}

/** A list of simple values as `a, b`. Other values as {@link exportCell} has them. */
export function listCell(value: unknown, { empty = '', separator }: ListForm = {}): PlainCell {
  if (!isSimpleList(value)) return exportCell(value)
  return value.length === 0 ? empty : listText(value, separator)
}

/** Where an empty cell means null or a default, an empty list is `[]`. */
function emptyListCell(column: ColumnInfo): string {
  const empty = emptyCellValue(column)
  return Array.isArray(empty) && empty.length === 0 ? '' : EMPTY_LIST
}

/** Makes a cell of a client's value for a column. A list in a JSON column is JSON, as an import reads it. */
export function clientCellOf(column: ColumnInfo): (value: unknown) => PlainCell {
  if (kindOf(column).cellForm !== 'list') return exportCell
  const form = { empty: emptyListCell(column) }
  return value => listCell(value, form)
}

/** Makes a cell of the driver's value: the JSON value, in each mode of a plain Drizzle column. */
export function exportCellReader({ dialect }: ModelInfo, value: StoredValue | ColumnInfo): (raw: unknown) => PlainCell {
  const read = readerOf(dialect, value)
  return raw => (raw === null ? null : read(raw))
}

function readerOf(dialect: Dialect, value: StoredValue | ColumnInfo): (raw: unknown) => PlainCell {
  const { cellForm } = kindOf(value)
  if (cellForm === 'list') {
    const write = dialect.jsonWriter(value)
    const form = { empty: 'nullable' in value ? emptyListCell(value) : '' }
    return raw => listCell(JSON.parse(write(raw)), form)
  }
  // JSON stays text, so that an import can read it.
  if (cellForm === 'json') {
    const write = dialect.jsonWriter(value)
    return raw => {
      const json = write(raw)
      return json === 'null' ? null : json
    }
  }
  const decode = dialect.kindDecoder(value)
  return cellForm === 'any' ? raw => exportCell(decode(raw)) : raw => decode(raw) as PlainCell
}
