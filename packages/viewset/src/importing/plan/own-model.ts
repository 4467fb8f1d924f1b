import { getTableName } from 'drizzle-orm'
import type { ImportServiceOptions } from '../options.ts'
import type { ConfigCheck } from './config-check.ts'
import type { ImportPlan, ModelPlan } from './plan.ts'

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
