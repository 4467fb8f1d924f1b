import type { ColumnInfo, ModelInfo } from '../../model/model-info.ts'
import { softCascadesOf } from '../../model/soft-cascades.ts'
import type { Database } from '../connection/database.ts'
import { inTransaction } from '../connection/session.ts'
import { ownProjection } from '../projection.ts'
import { keyIn } from '../row-order.ts'
import { decodeRow } from '../row-set.ts'
import { readByKeys, readByValues } from './guard.ts'
import type { UpdatePlan, Values, WritePlan, WriteResult } from './write.ts'

/** Whether a plan soft-deletes or restores records with others that follow them. */
export function cascades(plan: WritePlan): plan is UpdatePlan {
  return (
    plan.kind === 'update' && softCascadesOf(plan.model.table).length > 0 && plan.rows.some(row => isSet(plan, row))
  )
}

function isSet({ shared = {} }: UpdatePlan, { values }: { readonly values: Values }): boolean {
  return values.isActive !== undefined || shared.isActive !== undefined
}

/**
 * Writes a soft delete or a restore, and then the rows that follow it. A restore brings back those that were deleted
 * with their record: at the same time.
 */
export function writeWithCascade(
  database: Database,
  plan: UpdatePlan,
  write: () => Promise<WriteResult>,
  writeOthers: (plan: UpdatePlan) => Promise<WriteResult>,
): Promise<WriteResult> {
  return inTransaction(database, async () => {
    const { model, rows, shared = {} } = plan
    const before = await recordsOf(
      database,
      model,
      rows.map(({ key }) => key),
    )
    const result = await write()
    const now = new Map(rows.map(({ key, values }) => [String(key), { ...shared, ...values }]))
    for (const { model: other, column } of softCascadesOf(model.table)) {
      const followers = await readFollowers(database, other, column, [...before.keys()])
      const updates = followers.flatMap(follower => {
        const owner = String(follower[column.key])
        const [old, set] = [before.get(owner), now.get(owner)]
        if (!old || set?.isActive === undefined || set.isActive === old.isActive) return []
        const follows = set.isActive ? follower.deletedAt === old.deletedAt : true
        if (!follows || follower.isActive === set.isActive) return []
        const values = { isActive: set.isActive, deletedAt: set.deletedAt ?? null }
        return [{ key: keyIn(other, follower), values }]
      })
      if (updates.length > 0) await writeOthers({ kind: 'update', model: other, rows: updates })
    }
    return result
  })
}

async function recordsOf(
  database: Database,
  model: ModelInfo,
  keys: readonly unknown[],
): Promise<ReadonlyMap<string, Values>> {
  const rows = await readByKeys(database, ownProjection(model), keys)
  const records = rows.map(row => decodeRow(database.dialect, model, row))
  return new Map(records.map(record => [String(record[model.primaryKey.key]), record]))
}

async function readFollowers(
  database: Database,
  model: ModelInfo,
  column: ColumnInfo,
  owners: readonly unknown[],
): Promise<readonly Values[]> {
  const rows = await readByValues(database, ownProjection(model), column, owners, 'update')
  return rows.map(row => decodeRow(database.dialect, model, row))
}
