import { and, or, type SQL, sql } from 'drizzle-orm'
import { type ColumnPath, resolvePath } from '../model/column-path.ts'
import type { ColumnInfo } from '../model/model-info.ts'
import type { StoredField, ToOneRelation } from '../serializer/fields.ts'
import type { ModelSerializer } from '../serializer/model-serializer.ts'
import type { FilterContext } from './filter-backend.ts'

/**
 * A condition on the column of a path, as a condition on the path's starting rows.
 *
 * It compares each foreign key with a set of keys instead of a join: `country_id in (select id from countries where
 * ...)`. Counts and look-ups of one record then stay simple, and both databases can start with the more selective
 * table.
 *
 * For a condition about the presence of a value, `missing` is set: `true` also matches rows with a null foreign key.
 */
export function pathCondition(
  { steps, column, relations }: ScopedPath,
  condition: (value: SQL) => SQL,
  missing?: boolean,
): SQL {
  return steps.reduceRight(
    (inner, { foreignKey, target, model }, index) => {
      const key = sql`${foreignKey.column}`
      const scoped = and(inner, relations[index]?.scope?.()) ?? inner
      const isAmong = sql`${key} in (select ${target.column} from ${model.table} where ${scoped})`
      return missing && foreignKey.nullable ? sql`(${key} is null or ${isAmong})` : isAmong
    },
    columnCondition(sql`${column.column}`, relations.at(-1), condition, missing),
  )
}

/** The condition on the column. A foreign key outside of the field's queryset counts as having no record. */
function columnCondition(
  value: SQL,
  relation: ToOneRelation | undefined,
  condition: (value: SQL) => SQL,
  missing: boolean | undefined,
): SQL {
  const holds = condition(value)
  const scope = relation?.scope?.()
  // Responses show such a record unless `scopeReads` is set; then the value is present.
  if (!relation || !scope || (missing !== undefined && !relation.scopeReads)) return holds
  const isSeen = sql`${value} in (select ${relation.target.column} from ${relation.model.table} where ${scope})`
  return (missing ? or(holds, sql`not ${isSeen}`) : and(holds, isSeen)) ?? holds
}

export interface ScopedPath extends ColumnPath {
  readonly relations: readonly (ToOneRelation | undefined)[]
}

/**
 * A path to filter by. Records outside of a relation field's queryset do not match, because a match would reveal data
 * that the field hides.
 *
 * @throws ConfigError with the part that does not exist.
 */
export function scopedPath({ subject, model, serializer }: FilterContext, setting: string, path: string): ScopedPath {
  const resolved = resolvePath(subject, setting, model, path)
  const relations: (ToOneRelation | undefined)[] = []
  let shownBy: ModelSerializer | undefined = serializer
  for (const column of [...resolved.steps.map(step => step.foreignKey), resolved.column]) {
    const relation: ToOneRelation | undefined = shownBy && relationOf(shownBy, column)
    relations.push(relation)
    shownBy = relation?.serializer
  }
  return { ...resolved, relations }
}

function relationOf({ fields }: ModelSerializer, column: ColumnInfo): ToOneRelation | undefined {
  const showing = fields.filter((field): field is StoredField => field.kind === 'stored' && field.column === column)
  return (showing.find(({ key }) => key === column.key) ?? showing[0])?.relation ?? undefined
}
