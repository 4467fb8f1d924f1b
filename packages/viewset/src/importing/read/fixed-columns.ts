import { ConfigError } from '../../core/errors.ts'
import type { ImportHooks } from '../import-hooks.ts'
import { fillsField, type ImportPlan, type ModelPlan } from '../plan/plan.ts'
import type { ImportedSheet, SheetColumn } from './sheet-layout.ts'

/**
 * The hooks of each model: the resource's for its own, and the fixed values of `scoped(...)` for others.
 *
 * @throws ConfigError if a column is neither in files nor a fixed value.
 */
export function hooksOf(
  { models }: ImportPlan,
  mainModel: ModelPlan,
  hooks: ImportHooks,
): (plan: ModelPlan) => ImportHooks {
  const byModel = new Map(
    models.map(plan => {
      const fixedValues = { ...plan.fixedValues?.(), ...(plan.model === mainModel.model && hooks.fixedValues) }
      const missing = plan.awaited.find(({ key }) => fixedValues[key] === undefined)
      if (missing) {
        const problem = `needs "${missing.key}", which neither the file has nor the fixed values of this request`
        throw new ConfigError('importFileConfig', `models.${plan.key}`, problem)
      }
      return [
        plan,
        plan.model === mainModel.model ? { ...hooks, fixedValues } : { fixedValues, checkScope: 'create' as const },
      ] as const
    }),
  )
  return plan => byModel.get(plan) ?? {}
}

export function fixedColumns(
  { models }: ImportedSheet,
  hooks: (plan: ModelPlan) => ImportHooks,
): ReadonlySet<SheetColumn> {
  return new Set(
    models.flatMap(({ reader, columns }) => {
      const { fixedValues = {} } = hooks(reader.plan)
      return columns.filter(({ plan }) => fillsField(plan) && plan.column.key in fixedValues)
    }),
  )
}
