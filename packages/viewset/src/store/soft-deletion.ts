import { eq, type SQL, sql } from 'drizzle-orm'
import { momentOfWrite } from '../core/clock.ts'
import type { ModelInfo } from '../model/model-info.ts'
import type { Values } from './write/write.ts'

/** The rows that are not marked as deleted. @throws TypeError for a model without soft delete */
export function activeRows({ name, byKey }: ModelInfo): SQL {
  const isActive = byKey.get('isActive')
  if (!isActive) throw new TypeError(`"${name}" has no soft delete.`)
  const { column, nullable } = isActive
  return nullable ? sql`(${column} is null or ${eq(column, true)})` : eq(column, true)
}

/** The rows that are marked as deleted. @throws TypeError for a model without soft delete */
export function deletedRows({ name, byKey }: ModelInfo): SQL {
  const isActive = byKey.get('isActive')
  if (!isActive) throw new TypeError(`"${name}" has no soft delete.`)
  return eq(isActive.column, false)
}

/** What a soft delete or a restore writes to a row. */
export function deletionValues(deleted: boolean): Values {
  return { isActive: !deleted, deletedAt: deleted ? momentOfWrite() : null }
}
