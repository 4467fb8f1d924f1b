import { and, getTableName } from 'drizzle-orm'
import type { ReadContext } from '../../kinds/kind.ts'
import type { ColumnInfo } from '../../model/model-info.ts'
import { columnSchema } from '../../serializer/column-schema.ts'
import { isWritable, type StoredField, type ToOneRelation } from '../../serializer/fields.ts'
import type { ModelSerializer } from '../../serializer/model-serializer.ts'
import type { Scope } from '../../store/projection.ts'
import type { ImportServiceOptions } from '../options.ts'
import type { ConfigCheck } from './config-check.ts'
import type { ImportColumn, ImportLookup, ImportPlan, ModelPlan } from './plan.ts'

/**
 * The same import, whose rows of the serializer's model obey its fields: they refer to no other records than a client of
 * the serializer may. In the rows of all models, a text may be blank if a client's may.
 */
export function withSerializer(plan: ImportPlan, serializer: ModelSerializer | undefined): ImportPlan {
  const models = plan.models.map(planned => {
    const own = planned.model.table === serializer?.model ? serializer : undefined
    const { columns: keys } = planned.unique
    const columns = planned.columns.map(column => {
      // Rows with a blank key would all be about one record, each writing over the one before.
      const read = keys.includes(column.column) ? column : blankable(column, own)
      return own ? narrowed(read, own) : read
    })
    return { ...planned, columns }
  })
  return { ...plan, models }
}

const IN_UTC: ReadContext = { timeZone: 'UTC' }

/** A file cannot tell an empty text from nothing. It is the text if null is not allowed and blanks are. */
function blankable(imported: ImportColumn, serializer: ModelSerializer | undefined): ImportColumn {
  const { column, required, lookup } = imported
  if (!required || lookup || column.kind !== 'text') return imported
  const { checked, refinement } = fieldRules(column, serializer)
  const takesBlank = columnSchema(checked, refinement)(IN_UTC).safeParse('').success
  return takesBlank ? { ...imported, required: false, takesBlank } : imported
}

/** How a serializer reads the values of a column; without one, the column says all. */
export function fieldRules(
  column: ColumnInfo,
  serializer: ModelSerializer | undefined,
): Pick<StoredField, 'checked' | 'refinement'> {
  const field = serializer?.fields.find(candidate => candidate.kind === 'stored' && candidate.column === column)
  return field?.kind === 'stored' ? field : { checked: column, refinement: undefined }
}

function narrowed(imported: ImportColumn, serializer: ModelSerializer): ImportColumn {
  const relations = relationsOf(imported, serializer)
  const [relation] = relations
  if (!relation) return imported
  const { model, target } = relation
  // A column that is a foreign key to the serializer alone holds a key of its relation.
  const lookup: ImportLookup = imported.lookup ?? { model, by: target, ignoreCase: false, target, scope: undefined }
  return {
    ...imported,
    lookup: { ...lookup, scope: allScopes([lookup.scope, ...relations.map(({ scope }) => scope)]) },
  }
}

/** The relations that write a column, or else those that only show it. */
function relationsOf({ column }: ImportColumn, { fields }: ModelSerializer): readonly ToOneRelation[] {
  const related = fields.filter(field => field.kind === 'stored' && field.column === column)
  const writing = related.filter(isWritable)
  return (writing.length > 0 ? writing : related).flatMap(field =>
    field.kind === 'stored' && field.relation ? [field.relation] : [],
  )
}

/** What all of some scopes let pass. */
export function allScopes(scopes: readonly (Scope | undefined)[]): Scope | undefined {
  const given = scopes.filter(scope => scope !== undefined)
  return given.length === 0 ? undefined : () => and(...given.map(scope => scope()))
}

/** The model of a resource; without one, the last that is written. */
export function ownModel(
  check: ConfigCheck,
  { models }: ImportPlan,
  { model, serializer }: ImportServiceOptions,
): ModelPlan {
  const table = model ?? serializer?.model
  const own = table === undefined ? models.at(-1) : models.findLast(planned => planned.model.table === table)
  if (!own) return check.refuse('models', `has no entry for "${table && getTableName(table)}", which is the resource's`)
  if (serializer && serializer.model !== own.model.table) {
    check.refuse('serializer', `shows "${getTableName(serializer.model)}", not "${own.model.name}"`)
  }
  return own
}
