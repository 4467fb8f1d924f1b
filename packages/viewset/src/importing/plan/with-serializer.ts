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
 * Applies the serializer's rules to rows of its model: they may refer only to records that a client of the serializer
 * can use. In rows of all models, a text may be blank if a client's may.
 */
export function withSerializer(plan: ImportPlan, serializer: ModelSerializer | undefined): ImportPlan {
  const models = plan.models.map(planned => {
    const rules = planned.model.table === serializer?.model ? serializer : undefined
    const { columns: keys } = planned.unique
    const columns = planned.columns.map(column => {
      // Rows with a blank key would all update the same record.
      const read = keys.includes(column.column) ? column : blankable(column, rules)
      return rules ? narrowed(read, rules) : read
    })
    return { ...planned, columns }
  })
  return { ...plan, models }
}

const IN_UTC: ReadContext = { timeZone: 'UTC' }

/**
 * A file cannot distinguish an empty text from an empty cell. If null is not allowed and blanks are, the cell is the
 * empty text.
 */
function blankable(imported: ImportColumn, serializer: ModelSerializer | undefined): ImportColumn {
  const { column, required, lookup } = imported
  if (!required || lookup || column.kind !== 'text') return imported
  const { checked, refinement } = fieldRules(column, serializer)
  const takesBlank = columnSchema(checked, refinement)(IN_UTC).safeParse('').success
  return takesBlank ? { ...imported, required: false, takesBlank } : imported
}

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
  // A foreign key that only the serializer knows holds a key of its relation.
  const lookup: ImportLookup = imported.lookup ?? { model, by: target, ignoreCase: false, target, scope: undefined }
  return {
    ...imported,
    lookup: { ...lookup, scope: allScopes([lookup.scope, ...relations.map(({ scope }) => scope)]) },
  }
}

function relationsOf({ column }: ImportColumn, { fields }: ModelSerializer): readonly ToOneRelation[] {
  const related = fields.filter(field => field.kind === 'stored' && field.column === column)
  const writing = related.filter(isWritable)
  return (writing.length > 0 ? writing : related).flatMap(field =>
    field.kind === 'stored' && field.relation ? [field.relation] : [],
  )
}

export function allScopes(scopes: readonly (Scope | undefined)[]): Scope | undefined {
  const given = scopes.filter(scope => scope !== undefined)
  return given.length === 0 ? undefined : () => and(...given.map(scope => scope()))
}

export function mainModelOf(
  check: ConfigCheck,
  { models }: ImportPlan,
  { model, serializer }: ImportServiceOptions,
): ModelPlan {
  const table = model ?? serializer?.model
  const main = table === undefined ? models.at(-1) : models.findLast(planned => planned.model.table === table)
  if (!main)
    return check.refuse('models', `has no entry for "${table && getTableName(table)}", which is the resource's`)
  if (serializer && serializer.model !== main.model.table) {
    check.refuse('serializer', `shows "${getTableName(serializer.model)}", not "${main.model.name}"`)
  }
  return main
}
