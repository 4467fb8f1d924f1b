import { getTableName, type Table } from 'drizzle-orm'
import { ConfigError } from '../core/errors.ts'
import { type ColumnInfo, type ModelInfo, modelInfo } from './model-info.ts'

/** A foreign key whose rows are soft-deleted and restored with the record that they refer to. */
export interface SoftCascade {
  readonly model: ModelInfo
  readonly column: ColumnInfo
}

const declared = new WeakMap<Table, { readonly table: Table; readonly key: string }[]>()
const found = new WeakMap<Table, readonly SoftCascade[]>()
const NONE: readonly SoftCascade[] = []

/** Rows of `table` follow a soft delete of the record that their column `key` refers to. */
export function cascadeSoftDelete(target: Table, table: Table, key: string): void {
  declared.set(target, [...(declared.get(target) ?? []), { table, key }])
}

/** @throws ConfigError for a model that knows no soft delete */
export function softCascadesOf(target: Table): readonly SoftCascade[] {
  const all = declared.get(target)
  if (!all) return NONE
  let known = found.get(target)
  if (!known) {
    for (const { table, key } of all) {
      const hard = [target, table].find(one => !modelInfo(one).softDeletable)
      if (!hard) continue
      const problem = `onSoftDelete of "${key}" needs SoftDeleteMixin() in "${getTableName(hard)}"`
      throw new ConfigError(getTableName(table), 'foreignKey', problem)
    }
    known = all.map(({ table, key }) => {
      const model = modelInfo(table)
      return { model, column: model.byKey.get(key) as ColumnInfo }
    })
    found.set(target, known)
  }
  return known
}
