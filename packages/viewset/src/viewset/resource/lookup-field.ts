import { ConfigError } from '../../core/errors.ts'
import { suggestion } from '../../core/suggestion.ts'
import { has } from '../../kinds/kinds.ts'
import type { ColumnInfo, ModelInfo } from '../../model/model-info.ts'
import { type Shown, shownParts } from '../reading/shown-parts.ts'

/**
 * The column by whose value a path names one record: it is unique, by itself or together with the tenant.
 *
 * @param tenant the column that each request compares with its tenant
 * @throws ConfigError for another field
 */
export function lookupColumn(
  subject: string,
  setting: string,
  model: ModelInfo,
  lookupField: string,
  tenant: ColumnInfo | undefined,
): ColumnInfo {
  const column = model.byKey.get(lookupField)
  const refuse = (problem: string) => new ConfigError(subject, setting, problem)
  if (!column) throw refuse(`unknown field "${lookupField}"${suggestion(lookupField, model.byKey.keys())}`)
  if (!isUnique(model, column) && !(tenant && isUniqueWithin(model, column, tenant))) {
    throw refuse(notUnique(model, column))
  }
  if (!has(column, 'comparable')) throw refuse(`"${lookupField}" has no values that a path can name`)
  return column
}

export function isUnique(model: ModelInfo, column: ColumnInfo): boolean {
  return column === model.primaryKey || uniquesOf(model).some(columns => columns.every(one => one === column))
}

function isUniqueWithin(model: ModelInfo, column: ColumnInfo, tenant: ColumnInfo): boolean {
  return uniquesOf(model).some(
    columns => columns.includes(column) && columns.every(one => one === column || one === tenant),
  )
}

/** The columns of each unique constraint. A composite key is one, too. */
function uniquesOf({ key, uniques, partialUniques }: ModelInfo): readonly (readonly ColumnInfo[])[] {
  return [...(key.length > 1 ? [key] : []), ...[...uniques, ...partialUniques].map(({ columns }) => columns)]
}

function notUnique(model: ModelInfo, column: ColumnInfo): string {
  const problem = `"${column.key}" must be unique: a path names one record`
  const remedy = `add c.unique(t.${column.key}) to "${model.name}"`
  const pair = uniquesOf(model).find(columns => columns.length === 2 && columns.includes(column))
  const other = pair?.find(one => one !== column)
  if (!other) return `${problem}; ${remedy}`
  const tenant = `tenant: { column: '${other.key}', of: ... }`
  return `${problem}, and it is unique only together with "${other.key}"; if that is the tenant, set ${tenant}; otherwise ${remedy}`
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
export function lookupOf(
  subject: string,
  model: ModelInfo,
  config: LookupConfig,
  tenant: ColumnInfo | undefined,
): ColumnInfo | undefined {
  const { lookupField, serializer, serializers = [] } = config
  if (lookupField === undefined) return model.key.length === 1 ? model.primaryKey : undefined
  const column = lookupColumn(subject, 'lookupField', model, lookupField, tenant)
  if ([serializer, ...serializers].some(one => shownParts(one, [column.key]) > 0)) return column
  const problem = `no serializer of the resource shows "${lookupField}", so its paths would show which values are stored`
  const remedy = 'add it to `fields`; `readableBy` limits it to some users, and others then get 404'
  throw new ConfigError(subject, 'lookupField', `${problem}; ${remedy}`)
}
