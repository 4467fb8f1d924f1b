import { ConfigError } from '../core/errors.ts'
import type { ImportHooks } from './import-hooks.ts'
import type { ImportPlan, ModelPlan } from './plan.ts'

/**
 * The hooks of each model: the resource's for its own, and the fixed values that `scoped(...)` gives others.
 *
 * @throws ConfigError where a column that no file has is not among the fixed values either.
 */
export function hooksOf({ models }: ImportPlan, own: ModelPlan, hooks: ImportHooks): (plan: ModelPlan) => ImportHooks {
  const byModel = new Map(
    models.map(plan => {
      const fixedValues = { ...plan.fixedValues?.(), ...(plan === own && hooks.fixedValues) }
      const missing = plan.awaited.find(({ key }) => fixedValues[key] === undefined)
      if (missing) {
        const problem = `needs "${missing.key}", which neither the file has nor the fixed values of this request`
        throw new ConfigError('importFileConfig', `models.${plan.key}`, problem)
      }
      return [plan, plan === own ? { ...hooks, fixedValues } : { fixedValues, checkScope: 'create' as const }] as const
    }),
  )
  return plan => byModel.get(plan) ?? {}
}
