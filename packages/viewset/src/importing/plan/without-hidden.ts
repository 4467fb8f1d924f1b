import type { ImportColumn, ImportPlan, ModelPlan } from './plan.ts'

/**
 * The plan without the main model's columns that are hidden from the user: no cell fills them, and no report shows
 * them. Values of the application stay.
 */
export function withoutHidden(
  plan: ImportPlan,
  main: ModelPlan,
  isHidden: ((path: string) => boolean) | undefined,
): ImportPlan {
  if (!isHidden) return plan
  const models = plan.models.map(model =>
    model === main
      ? { ...model, columns: model.columns.filter(column => column.appValue || !isHiddenColumn(column, isHidden)) }
      : model,
  )
  return { ...plan, models }
}

/** Whether rows cannot do without a hidden column: it finds the stored records, or each new record needs it. */
export function needsHidden({ columns, unique }: ModelPlan, isHidden: (path: string) => boolean): boolean {
  return columns.some(column => {
    const isNeeded = column.required || unique.columns.includes(column.column)
    return isNeeded && !column.appValue && isHiddenColumn(column, isHidden)
  })
}

function isHiddenColumn({ column, lookup }: ImportColumn, isHidden: (path: string) => boolean): boolean {
  return isHidden(column.key) || (lookup !== null && isHidden(`${column.key}__${lookup.by.key}`))
}
