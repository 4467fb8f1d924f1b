import { ConfigError } from '../../core/errors.ts'
import { suggestion } from '../../core/suggestion.ts'
import { has } from '../../kinds/kinds.ts'
import type { ColumnInfo, ModelInfo } from '../../model/model-info.ts'

/** @throws ConfigError for a field that does not name one record */
export function lookupColumn(subject: string, setting: string, model: ModelInfo, lookupField: string): ColumnInfo {
  const column = model.byKey.get(lookupField)
  const refuse = (problem: string) => new ConfigError(subject, setting, problem)
  if (!column) throw refuse(`unknown field "${lookupField}"${suggestion(lookupField, model.byKey.keys())}`)
  const uniques = [...model.uniques, ...model.partialUniques]
  const isUnique = column === model.primaryKey || uniques.some(({ columns }) => columns.every(one => one === column))
  if (isUnique && has(column, 'comparable')) return column
  throw refuse(`"${lookupField}" must be unique: a path names one record`)
}

/** The column in the paths of a resource; `undefined` if its key does not have one column. */
export function lookupOf(subject: string, model: ModelInfo, lookupField: string | undefined): ColumnInfo | undefined {
  if (lookupField !== undefined) return lookupColumn(subject, 'lookupField', model, lookupField)
  return model.key.length === 1 ? model.primaryKey : undefined
}
