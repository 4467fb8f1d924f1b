import { and, or, type SQL, sql } from 'drizzle-orm'
import { type ColumnPath, resolvePath } from '../model/column-path.ts'
import type { ColumnInfo } from '../model/model-info.ts'
import type { StoredField, ToOneRelation } from '../serializer/fields.ts'
import type { ModelSerializer } from '../serializer/model-serializer.ts'
import type { FilterContext } from './filter-backend.ts'

/**
 * A condition on the column that a path leads to, as one on the rows that the path starts from.
 *
 * It is a set of keys for each foreign key (`country_id in (select id from countries where ...)`) and no join: the
 * count and the lookup of one record stay as they are, and both databases read the other table first when that is
 * where few rows remain.
 *
 * `missing` is for a question about there being a value at all: `true` also lets rows through whose foreign key is null.
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
    ownCondition(sql`${column.column}`, relations.at(-1), condition, missing),
  )
}

/** The condition on the column itself. A foreign key to a record that the field cannot see names none. */
function ownCondition(
  value: SQL,
  relation: ToOneRelation | undefined,
  condition: (value: SQL) => SQL,
  missing: boolean | undefined,
): SQL {
  const holds = condition(value)
  const scope = relation?.scope?.()
  // Reading shows such a record all the same, unless it is told not to; then there is a value.
  if (!relation || !scope || (missing !== undefined && !relation.scopeReads)) return holds
  const isSeen = sql`${value} in (select ${relation.target.column} from ${relation.model.table} where ${scope})`
  return (missing ? or(holds, sql`not ${isSeen}`) : and(holds, isSeen)) ?? holds
}

/** A path, and the relation fields of the serializer that it leads through. */
export interface ScopedPath extends ColumnPath {
  /** One for each step, then one for the column; `undefined` where no field has something to say. */
  readonly relations: readonly (ToOneRelation | undefined)[]
}

/**
 * A path to filter by. What the queryset of a relation field leaves out cannot be filtered for through that relation
 * (CONTRACT, "Reading"): an answer would tell what the field itself does not.
 *
 * @throws ConfigError naming the part that does not exist.
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

/** The field named after the column, before one that shows the column in another way. */
function relationOf({ fields }: ModelSerializer, column: ColumnInfo): ToOneRelation | undefined {
  const showing = fields.filter((field): field is StoredField => field.kind === 'stored' && field.column === column)
  return (showing.find(({ key }) => key === column.key) ?? showing[0])?.relation ?? undefined
}
