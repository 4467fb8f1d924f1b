import { ValidationError } from '../../core/errors.ts'
import { message } from '../../core/messages/message.ts'
import { type JsonSchema, keyOrObject } from '../../kinds/json-schema.ts'
import { kindOf } from '../../kinds/kinds.ts'
import { jsonType } from '../../kinds/schema-parts.ts'
import type { ModelInfo } from '../../model/model-info.ts'
import type { RecordList } from '../../records/record-list.ts'
import { isPlain } from '../../store/projection.ts'
import type { ListPage } from '../answer/reply.ts'
import { listSchema, objectSchema, type RouteDescription } from '../description/route-description.ts'
import type { GenericViewSet } from '../generic-viewset.ts'
import type { ResourceDefinition } from '../resource/resource.ts'

export interface BulkView extends GenericViewSet {
  getBulkBatchSize(): number
}

/** @throws ValidationError for a body that is no array, is empty, or has too many items */
export function bulkItems(view: BulkView): readonly unknown[] {
  const { body } = view.request
  if (!Array.isArray(body)) {
    throw new ValidationError(message('not_a_list', { found: jsonType(body) }))
  }
  if (body.length === 0) throw new ValidationError(message('empty'))
  const limit = limitOf(view)
  if (body.length > limit) throw new ValidationError(message('max_length.items', { max: limit }))
  return body
}

function limitOf(view: BulkView): number {
  const limit = view.getBulkBatchSize()
  // No length exceeds NaN or a promise: such a mistake in the hook would remove the limit.
  if (Number.isSafeInteger(limit) && limit > 0) return limit
  throw new TypeError(`getBulkBatchSize must return a whole number above 0, not ${String(limit)}.`)
}

/** The answer of a bulk write without `returnData`. */
export interface BulkCount {
  readonly count: number
}

export async function bulkAnswer(
  view: GenericViewSet,
  returnData: boolean | undefined,
  records: RecordList,
): Promise<ListPage | BulkCount> {
  return (returnData ?? true) ? view.serializeMany(records) : { count: records.length }
}

export function returnsRows(view: GenericViewSet, returnData: boolean | undefined): boolean {
  return (returnData ?? true) && isPlain(view.getSerializer().listed.projection)
}

/** An object with the primary key, of one column or of several. */
export function keyedSchema({ key }: Pick<ModelInfo, 'key'>): JsonSchema {
  return objectSchema(Object.fromEntries(key.map(column => [column.wire, kindOf(column).jsonSchema(column).input])))
}

function keySchema({ primaryKey }: Pick<ModelInfo, 'primaryKey'>): JsonSchema {
  return kindOf(primaryKey).jsonSchema(primaryKey).input
}

export const NOT_AS_EXPECTED = 'A record is not as the request expects it.'

/** The refusal of a route that changes stored records, if a mixin guards them. */
export function guardErrors({ guards }: Pick<ResourceDefinition, 'guards'>): Pick<RouteDescription, 'errors'> {
  return guards.length === 0 ? {} : { errors: { 412: NOT_AS_EXPECTED } }
}

/** An item of a bulk delete, soft delete or restore: a key, or an object with the key and the values of a guard. */
export function keyItemSchema({ model, guards }: Pick<ResourceDefinition, 'model' | 'guards'>): JsonSchema {
  if (model.key.length > 1) return keyOrObject({ type: 'string', pattern: ',' }, keyedSchema(model))
  return guards.length === 0 ? keySchema(model) : keyOrObject(keySchema(model), keyedSchema(model))
}

interface BulkLimits {
  readonly bulkBatchSize: number | undefined
}

/** The items of a bulk request. Without `bulkBatchSize`, the API's settings limit their number. */
export function itemsSchema(items: JsonSchema, { bulkBatchSize }: BulkLimits): JsonSchema {
  return { ...listSchema(items), minItems: 1, ...(bulkBatchSize !== undefined && { maxItems: bulkBatchSize }) }
}
