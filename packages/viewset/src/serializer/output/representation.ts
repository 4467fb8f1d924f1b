import { jsonOf } from '../../core/json/json-of.ts'
import type { ColumnInfo, ModelInfo } from '../../model/model-info.ts'
import type { Database } from '../../store/connection/database.ts'
import type { Executor, RawRow } from '../../store/connection/driver.ts'
import { executorOf } from '../../store/connection/session.ts'
import { keyProjection, type Projection, projection } from '../../store/projection.ts'
import { decodeRow } from '../../store/row-set.ts'
import {
  type ComputedField,
  type ExpressionField,
  isReadable,
  type SerializerField,
  type ToOneRelation,
} from '../fields.ts'
import { expressionReader, loadAllRelated, projectedRelation, toManyPart, toOnePart } from './related-writers.ts'
import type { Part, Related, Representation, Writer } from './row-writer.ts'

/**
 * The second argument of `representation.open`; `undefined` without to-many relations. Check
 * `representation.loadRelated` first to avoid a needless `await`.
 */
export async function relatedOf(
  representation: Pick<Representation, 'loadRelated'>,
  database: Database,
  rows: readonly RawRow[],
  executor: Executor = executorOf(database),
): Promise<Related | undefined> {
  return representation.loadRelated?.(database, rows, 0, executor)
}

interface MoreColumns {
  /** Further columns of a row. */
  readonly also?: readonly ColumnInfo[]
  /** The version, which is written as `_etag`. */
  readonly tag?: ColumnInfo
}

/**
 * Compiles fields to a projection and a writer that turns the driver's values directly into JSON text, without objects
 * except for computed fields.
 *
 * `columns` says whether a row begins with only the needed columns, or all of the model's, as records have them.
 */
export function representation(
  model: ModelInfo,
  fields: readonly SerializerField[],
  columns: 'needed' | 'all',
  { also = [], tag }: MoreColumns = {},
): Representation {
  const shown = fields.filter(isReadable)
  const stored = shown.filter(field => field.kind === 'stored')
  const relations = stored.filter(field => field.nested).map(projectedRelation)
  const plain = stored.filter(field => !field.nested).map(field => field.column)
  const owners = shown.flatMap(field => (field.kind === 'many' ? [field.relation.ownerKey] : []))
  const needsAll = columns === 'all' || shown.some(field => field.kind === 'computed')
  const selected = needsAll
    ? model.columns
    : [...new Set([...plain, ...keyProjection(model).columns, ...owners, ...also, ...(tag ? [tag] : [])])]
  const expressions = shown.flatMap(field => (field.kind === 'expression' ? [field.expression] : []))
  const projected = projection(model, selected, relations, expressions)
  const parts = [...compile(projected, shown), ...(tag ? [tagPart(projected, tag)] : [])]
  const write = writerOf(parts)
  return {
    projection: projected,
    write,
    loadRelated: loadAllRelated(parts),
    open: (row, related) => write(row, 0, related),
  }
}

function compile(projected: Projection, fields: readonly SerializerField[]): readonly Part[] {
  const position = new Map(projected.columns.map((column, index) => [column, index]))
  const positionOf = (column: ColumnInfo) => position.get(column) as number
  const relations = projected.relations.values()
  let nextExpression = projected.columns.length
  let next = nextExpression + projected.expressions.length
  return fields.map((field, index): Part => {
    const name = `${index === 0 ? '{' : ','}${JSON.stringify(field.wire)}:`
    if (field.kind === 'input') throw new Error('An input is not shown.')
    if (field.kind === 'computed') return { write: computedWriter(name, projected.model, field), loadRelated: null }
    if (field.kind === 'expression') {
      return { write: expressionWriter(name, projected.model, field, nextExpression++), loadRelated: null }
    }
    if (field.kind === 'many') return toManyPart(name, field, positionOf(field.relation.ownerKey), index)
    if (!field.nested) {
      const { column } = field
      const write = valueWriter(name, projected.model, column, positionOf(column))
      return { write, loadRelated: null }
    }
    const at = next
    const related = relations.next().value?.projection as Projection
    next += related.width
    return toOnePart(name, field.nested as ToOneRelation, related, at, index)
  })
}

function writerOf(parts: readonly Part[]): Writer {
  const writers = parts.map(part => part.write)
  return (row, base, related) => {
    let json = ''
    for (let i = 0; i < writers.length; i++) json += writers[i]!(row, base, related)
    return json
  }
}

function valueWriter(name: string, model: ModelInfo, value: ColumnInfo, at: number): Writer {
  const json = model.dialect.jsonWriter(value)
  const whenNull = `${name}null`
  return (row, base) => {
    const raw = row[base + at]
    return raw === null ? whenNull : name + json(raw)
  }
}

function tagPart({ model, columns }: Projection, tag: ColumnInfo): Part {
  const json = model.dialect.jsonWriter(tag)
  const at = columns.indexOf(tag)
  // Tags are texts. The JSON of a timestamp is in quotes, and that of a number is not.
  const quote = tag.kind === 'timestamp' ? '' : '"'
  return { write: (row, base) => `,"_etag":${quote}${json(row[base + at])}${quote}`, loadRelated: null }
}

function expressionWriter(name: string, model: ModelInfo, field: ExpressionField, at: number): Writer {
  const { json } = expressionReader(model, field)
  return (row, base) => name + json(row[base + at])
}

/** Only computed fields build objects; their rows begin with all of the model's columns. */
function computedWriter(name: string, model: ModelInfo, field: ComputedField): Writer {
  const { dialect } = model
  return (row, base) => {
    const record = decodeRow(dialect, model, base === 0 ? row : row.slice(base))
    return name + jsonOf(field.compute(record))
  }
}
