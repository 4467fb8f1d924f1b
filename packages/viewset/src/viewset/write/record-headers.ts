import { reportError } from '../../core/context.ts'
import type { ApiRequest } from '../../core/request.ts'
import type { ColumnInfo } from '../../model/model-info.ts'
import type { ModelSerializer } from '../../serializer/model-serializer.ts'
import { representation } from '../../serializer/output/representation.ts'
import type { Representation } from '../../serializer/output/row-writer.ts'
import type { Database } from '../../store/connection/database.ts'
import type { RawRow } from '../../store/connection/driver.ts'
import type { Values } from '../../store/write/write.ts'
import { whyUnsendable } from '../answer/respond.ts'
import type { ResourceDefinition } from '../resource/resource.ts'

export interface HeadersView {
  readonly request: Pick<ApiRequest, 'body' | 'logError' | 'logWarning'>
  readonly definition: ResourceDefinition
}

const NONE: Readonly<Record<string, string>> = {}

/** The headers that mixins make of a record. A header that fails is logged and left out: the write is done by then. */
export function recordHeaders(view: HeadersView, record: Values | undefined): Readonly<Record<string, string>> {
  const { headers } = view.definition
  if (headers.length === 0 || record === undefined) return NONE
  const all = headers.map(({ columns, of }) => {
    try {
      // TypeScript cannot check this: each function expects a view with its own mixin, and this view has it.
      const made = of(Object.fromEntries(columns.map(({ key }) => [key, record[key]])), view as never)
      const fault = whyUnsendable({ headers: made })
      if (fault) throw fault
      return made
    } catch (error) {
      reportError(error, 'a header of a mixin failed', view.request)
      return NONE
    }
  })
  return Object.assign({}, ...all)
}

const representations = new WeakMap<ResourceDefinition, WeakMap<ModelSerializer, Representation>>()

export function listedWithHeaders({ definition }: HeadersView, serializer: ModelSerializer): Representation {
  const { listed } = serializer
  const needed = neededColumns(definition)
  if (needed.every(column => listed.projection.columns.includes(column))) return listed
  const known = representations.get(definition) ?? new WeakMap<ModelSerializer, Representation>()
  representations.set(definition, known)
  const made = known.get(serializer) ?? representation(definition.model, serializer.fields, 'needed', { also: needed })
  known.set(serializer, made)
  return made
}

export function headerFields(
  { definition, database }: HeadersView & { readonly database: Database },
  { projection }: Representation,
  row: RawRow,
): Values | undefined {
  if (definition.headers.length === 0) return undefined
  const { columns } = projection
  const fields = neededColumns(definition).map(column => {
    const raw = row[columns.indexOf(column)]
    return [column.key, raw === null ? null : database.dialect.decoder(column)(raw)]
  })
  return Object.fromEntries(fields)
}

function neededColumns({ headers }: ResourceDefinition): readonly ColumnInfo[] {
  return headers.flatMap(({ columns }) => columns)
}
