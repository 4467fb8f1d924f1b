import { ConfigError } from '../../core/errors.ts'
import { suggestion } from '../../core/suggestion.ts'
import { has } from '../../kinds/kinds.ts'
import type { ColumnInfo, ModelInfo } from '../../model/model-info.ts'
import { type Shown, shownParts } from '../reading/shown-parts.ts'

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

interface LookupConfig {
  readonly lookupField?: string
  readonly serializer: Shown
  readonly serializers?: readonly Shown[]
}

/**
 * The column in the paths of a resource; `undefined` if its key does not have one column.
 *
 * @throws ConfigError for a field that no serializer shows: the answers of the paths would show which values it has
 */
export function lookupOf(subject: string, model: ModelInfo, config: LookupConfig): ColumnInfo | undefined {
  const { lookupField, serializer, serializers = [] } = config
  if (lookupField === undefined) return model.key.length === 1 ? model.primaryKey : undefined
  const column = lookupColumn(subject, 'lookupField', model, lookupField)
  if ([serializer, ...serializers].some(one => shownParts(one, [column.key]) > 0)) return column
  const problem = `no serializer of the resource shows "${lookupField}", so its paths would show which values are stored`
  const remedy = 'add it to `fields`; `readableBy` limits it to some users, and others then get 404'
  throw new ConfigError(subject, 'lookupField', `${problem}; ${remedy}`)
}
