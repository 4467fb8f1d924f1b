import { isWritable, type SerializerField } from '../../serializer/fields.ts'
import type { ModelSerializer } from '../../serializer/model-serializer.ts'
import type { ImportColumn, ImportPlan, ModelPlan } from './plan.ts'

/** What a user may not read, and the serializer that says which of it the user may write. */
export interface Hiding {
  readonly isHidden: (path: string) => boolean
  readonly serializer: ModelSerializer | undefined
}

/**
 * The plan without the main model's columns that the user may neither read nor write: no cell fills them, and no report
 * shows them. Values of the application stay.
 */
export function withoutHidden(plan: ImportPlan, main: ModelPlan, hiding: Hiding | undefined): ImportPlan {
  if (!hiding) return plan
  const isLeft = (column: ImportColumn) => column.appValue !== undefined || isFillable(column, hiding)
  const models = plan.models.map(model =>
    model === main ? { ...model, columns: model.columns.filter(isLeft) } : model,
  )
  return { ...plan, models }
}

/** Whether rows cannot do without a hidden column: it finds the stored records, or each new record needs it. */
export function needsHidden({ columns, unique }: ModelPlan, hiding: Hiding): boolean {
  return columns.some(column => {
    if (column.appValue) return false
    if (unique.columns.includes(column.column)) return isHiddenColumn(column, hiding)
    return column.required && !isFillable(column, hiding)
  })
}

/** A write-only column can be filled: its stored values stay secret anyway. */
function isFillable(column: ImportColumn, hiding: Hiding): boolean {
  if (!isHiddenColumn(column, hiding)) return true
  const { fields = [] } = hiding.serializer ?? {}
  const isOf = (field: SerializerField) =>
    column.list ? field.key === column.list.key : field.kind === 'stored' && field.column === column.column
  return fields.some(field => isOf(field) && isWritable(field)) && column.lookup === null
}

function isHiddenColumn({ column, lookup }: ImportColumn, { isHidden }: Hiding): boolean {
  return isHidden(column.key) || (lookup !== null && isHidden(`${column.key}__${lookup.by.key}`))
}
