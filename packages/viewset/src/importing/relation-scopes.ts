import { and } from 'drizzle-orm'
import { isWritable, type ToOneRelation } from '../serializer/fields.ts'
import type { ModelSerializer } from '../serializer/model-serializer.ts'
import type { Scope } from '../store/projection.ts'
import type { ImportColumn, ImportLookup, ImportPlan } from './plan.ts'

/**
 * The same import, whose rows of the serializer's model refer to no other records than a client of the serializer may:
 * the scopes of its relation fields hold beside those of the import.
 */
export function withRelationScopes(plan: ImportPlan, serializer: ModelSerializer | undefined): ImportPlan {
  if (!serializer) return plan
  const models = plan.models.map(planned => {
    if (planned.model.table !== serializer.model) return planned
    return { ...planned, columns: planned.columns.map(column => narrowed(column, serializer)) }
  })
  return { ...plan, models }
}

function narrowed(column: ImportColumn, serializer: ModelSerializer): ImportColumn {
  const relations = relationsOf(column, serializer)
  const [relation] = relations
  if (!relation) return column
  const { model, target } = relation
  // A column that is a foreign key to the serializer alone holds a key of its relation.
  const lookup: ImportLookup = column.lookup ?? { model, by: target, ignoreCase: false, target, scope: undefined }
  return { ...column, lookup: { ...lookup, scope: allOf([lookup.scope, ...relations.map(({ scope }) => scope)]) } }
}

/** The relations that write a column, or else those that only show it. */
function relationsOf({ column }: ImportColumn, { fields }: ModelSerializer): readonly ToOneRelation[] {
  const related = fields.filter(field => field.kind === 'stored' && field.column === column)
  const writing = related.filter(isWritable)
  return (writing.length > 0 ? writing : related).flatMap(field =>
    field.kind === 'stored' && field.relation ? [field.relation] : [],
  )
}

function allOf(scopes: readonly (Scope | undefined)[]): Scope | undefined {
  const given = scopes.filter(scope => scope !== undefined)
  return given.length === 0 ? undefined : () => and(...given.map(scope => scope()))
}
