import { reportError } from '../../core/context.ts'
import type { ApiRequest } from '../../core/request.ts'
import type { ColumnInfo } from '../../model/model-info.ts'
import type { ModelSerializer } from '../../serializer/model-serializer.ts'
import { representation } from '../../serializer/output/representation.ts'
import type { Representation } from '../../serializer/output/row-writer.ts'
import type { Database } from '../../store/connection/database.ts'
import type { RawRow } from '../../store/connection/driver.ts'
import { decoderOf } from '../../store/row-order.ts'
import type { Values } from '../../store/write/write.ts'
import { whyUnsendable } from '../answer/respond.ts'
import type { ResourceDefinition } from '../resource/resource.ts'
import type { MixinHeaders } from '../seams.ts'

export interface HeadersView {
  readonly request: Pick<ApiRequest, 'body' | 'logError' | 'logWarning'>
  readonly definition: ResourceDefinition
}

const NONE: Readonly<Record<string, string>> = {}

/** The headers that mixins make of a record. A header that fails is logged and left out: the write is done by then. */
export function recordHeaders(view: HeadersView, record: Values | undefined): Readonly<Record<string, string>> {
  const { headers } = view.definition
  if (headers.length === 0 || record === undefined) return NONE
  const [only] = headers
  if (only && headers.length === 1) return headersOf(view, only, record)
  return Object.assign({}, ...headers.map(each => headersOf(view, each, record)))
}

function headersOf(
  view: HeadersView,
  { columns, of, isTrusted }: MixinHeaders,
  record: Values,
): Readonly<Record<string, string>> {
  // TypeScript cannot check this: each function expects a view with its own mixin, and this view has it.
  if (isTrusted) return of(record, view as never)
  try {
    const made = of(Object.fromEntries(columns.map(({ key }) => [key, record[key]])), view as never)
    const fault = whyUnsendable({ headers: made })
    if (fault) throw fault
    return made
  } catch (error) {
    reportError(error, 'a header of a mixin failed', view.request)
    return NONE
  }
}

/** How the fields of headers are read from the rows of a serializer. */
interface HeaderReads {
  readonly listed: Representation
  readonly fields: readonly { readonly key: string; readonly at: number; readonly column: ColumnInfo }[]
}

const reads = new WeakMap<ResourceDefinition, WeakMap<ModelSerializer, HeaderReads>>()

function headerReads({ definition }: HeadersView, serializer: ModelSerializer): HeaderReads {
  const known = reads.get(definition) ?? new WeakMap<ModelSerializer, HeaderReads>()
  reads.set(definition, known)
  let made = known.get(serializer)
  if (!made) {
    const needed = definition.headers.flatMap(({ columns }) => columns)
    const isListed = needed.every(column => serializer.listed.projection.columns.includes(column))
    const listed = isListed
      ? serializer.listed
      : representation(definition.model, serializer.fields, 'needed', { also: needed })
    const { columns } = listed.projection
    made = { listed, fields: needed.map(column => ({ key: column.key, at: columns.indexOf(column), column })) }
    known.set(serializer, made)
  }
  return made
}

export function listedWithHeaders(view: HeadersView, serializer: ModelSerializer): Representation {
  return view.definition.headers.length === 0 ? serializer.listed : headerReads(view, serializer).listed
}

export function headerFields(
  view: HeadersView & { readonly database: Database },
  serializer: ModelSerializer,
  row: RawRow,
): Values | undefined {
  if (view.definition.headers.length === 0) return undefined
  const values: Record<string, unknown> = {}
  for (const { key, at, column } of headerReads(view, serializer).fields) {
    const raw = row[at]
    values[key] = raw === null ? null : decoderOf(view.database.dialect, column)(raw)
  }
  return values
}
