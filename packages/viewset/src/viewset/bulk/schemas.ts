import type { JsonSchema } from '../../kinds/json-schema.ts'
import { kindOf } from '../../kinds/kinds.ts'
import type { ModelInfo } from '../../model/model-info.ts'
import { listSchema, objectSchema, WHOLE_NUMBER } from '../route-description.ts'

/** An item that names its record. */
export function keyedSchema({ primaryKey }: ModelInfo): JsonSchema {
  return objectSchema({ [primaryKey.wire]: kindOf(primaryKey).jsonSchema(primaryKey).input })
}

/** The keys of records. */
export function keysSchema({ primaryKey }: ModelInfo): JsonSchema {
  return listSchema(kindOf(primaryKey).jsonSchema(primaryKey).input)
}

/** A {@link BulkDeleteReport}. Keys that match nothing are told as they were submitted, whatever they are. */
export const DELETE_REPORT: JsonSchema = objectSchema({
  requested_count: WHOLE_NUMBER,
  count: WHOLE_NUMBER,
  missing_ids: listSchema({}),
})
