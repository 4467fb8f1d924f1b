import { ConfigError } from '../../core/errors.ts'
import type { ImportHooks } from '../import-hooks.ts'
import type { ImportPlan, ModelPlan } from '../plan/plan.ts'
import type { ImportRow } from './import-row.ts'
import type { ImportedSheet } from './sheet-layout.ts'

/**
 * The hooks of each model: the resource's for its own, and the fixed values that `scoped(...)` gives others.
 *
 * @throws ConfigError where a column that no file has is not among the fixed values either.
 */
export function hooksOf({ models }: ImportPlan, own: ModelPlan, hooks: ImportHooks): (plan: ModelPlan) => ImportHooks {
  const byModel = new Map(
    models.map(plan => {
      const fixedValues = { ...plan.fixedValues?.(), ...(plan.model === own.model && hooks.fixedValues) }
      const missing = plan.awaited.find(({ key }) => fixedValues[key] === undefined)
      if (missing) {
        const problem = `needs "${missing.key}", which neither the file has nor the fixed values of this request`
        throw new ConfigError('importFileConfig', `models.${plan.key}`, problem)
      }
      return [
        plan,
        plan.model === own.model ? { ...hooks, fixedValues } : { fixedValues, checkScope: 'create' as const },
      ] as const
    }),
  )
  return plan => byModel.get(plan) ?? {}
}

/** Empties the cells of columns with fixed values: what a file has there does not count, and is no error either. */
export function withFixedCells(
  { models }: ImportedSheet,
  rows: readonly ImportRow[],
  hooks: (plan: ModelPlan) => ImportHooks,
): readonly ImportRow[] {
  for (const [index, { reader, columns }] of models.entries()) {
    const { fixedValues = {} } = hooks(reader.plan)
    for (const [at, { plan, field }] of columns.entries()) {
      const { key } = plan.column
      if (!(key in fixedValues)) continue
      for (const { cells, errors } of rows) {
        cells[index]![at] = undefined
        const mine = errors.findIndex(error => error.field === field && error.model === reader.plan.key)
        if (mine !== -1) errors.splice(mine, 1)
      }
    }
  }
  return rows
}
