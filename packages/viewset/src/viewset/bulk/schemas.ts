import type { JsonSchema } from '../../kinds/json-schema.ts'
import { kindOf } from '../../kinds/kinds.ts'
import type { ModelInfo } from '../../model/model-info.ts'
import { listSchema, objectSchema } from '../description/route-description.ts'
import type { ResourceDefinition } from '../resource.ts'

export function keyedSchema({ primaryKey }: Pick<ModelInfo, 'primaryKey'>): JsonSchema {
  return objectSchema({ [primaryKey.wire]: keySchema({ primaryKey }) })
}

function keySchema({ primaryKey }: Pick<ModelInfo, 'primaryKey'>): JsonSchema {
  return kindOf(primaryKey).jsonSchema(primaryKey).input
}

/** An item of a bulk delete, soft delete or restore: a key, or an object with the key and the values of a guard. */
export function keyItemSchema({ model, guards }: Pick<ResourceDefinition, 'model' | 'guards'>): JsonSchema {
  return guards.length === 0 ? keySchema(model) : { anyOf: [keySchema(model), keyedSchema(model)] }
}

interface BulkLimits {
  readonly bulkBatchSize: number | undefined
}

/** The items of a bulk request. Without `bulkBatchSize`, the API's settings limit their number. */
export function itemsSchema(items: JsonSchema, { bulkBatchSize }: BulkLimits): JsonSchema {
  return { ...listSchema(items), minItems: 1, ...(bulkBatchSize !== undefined && { maxItems: bulkBatchSize }) }
}
