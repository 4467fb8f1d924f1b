import { type ColumnPath, resolvePath } from '../model/column-path.ts'
import type { ColumnInfo } from '../model/model-info.ts'
import type { StoredField, ToOneRelation } from '../serializer/fields.ts'
import type { ModelSerializer } from '../serializer/model-serializer.ts'
import type { FilterContext } from './filter-backend.ts'

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
