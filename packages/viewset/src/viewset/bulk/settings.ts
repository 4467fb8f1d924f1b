import { currentContext } from '../../core/context.ts'
import { ConfigError } from '../../core/errors.ts'
import { suggestion } from '../../core/suggestion.ts'
import type { ModelInfo } from '../../model/model-info.ts'
import type { ResourceConfig } from '../config.ts'

/** Most items that one bulk request of a resource may have, where no hook says otherwise. */
export function batchSize({ bulkBatchSize }: ResourceConfig): number {
  return bulkBatchSize ?? currentContext().settings.COMMON.BULK_OPERATION_BATCH_SIZE
}

/** @throws ConfigError for a bulk setting that cannot be met. */
export function checkBulkSettings(subject: string, model: ModelInfo, config: ResourceConfig): void {
  const { bulkBatchSize, bulkUpsert, bulkRestore } = config
  if (bulkBatchSize !== undefined && !(Number.isSafeInteger(bulkBatchSize) && bulkBatchSize > 0)) {
    throw new ConfigError(subject, 'bulkBatchSize', `${bulkBatchSize} is not a whole number above 0`)
  }
  if (bulkUpsert) checkUniqueFields(subject, model, bulkUpsert.uniqueFields)
  if (bulkRestore && !model.softDeletable) {
    throw new ConfigError(subject, 'bulkRestore', 'needs a model with SoftDeleteMixin()')
  }
}

/** Two requests at once can only be kept from creating a record twice by a constraint of the database. */
function checkUniqueFields(subject: string, model: ModelInfo, fields: readonly string[]): void {
  const stranger = fields?.find(field => !model.byKey.has(field))
  if (stranger !== undefined) {
    const problem = `unknown field "${stranger}" in uniqueFields${suggestion(stranger, model.byKey.keys())}`
    throw new ConfigError(subject, 'bulkUpsert', problem)
  }
  const generated = fields?.find(field => model.byKey.get(field)?.generated)
  if (generated !== undefined) {
    const problem = `"${generated}" is computed by the database, so no client can send it; name what it is computed from`
    throw new ConfigError(subject, 'bulkUpsert', problem)
  }
  const groups = [[model.primaryKey], ...model.uniques.map(unique => unique.columns)]
  const isUnique = groups.some(
    columns => columns.length === fields?.length && columns.every(column => fields.includes(column.key)),
  )
  if (isUnique) return
  const known = groups.map(columns => columns.map(column => column.key).join(', ')).join('; ')
  throw new ConfigError(subject, 'bulkUpsert', `uniqueFields must be unique in the database; unique are: ${known}`)
}
