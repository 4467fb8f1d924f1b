import { type ColumnInfo, modelInfo, type TableInfo } from '../../model/model-info.ts'
import { noSuchRecord } from '../../model/no-such-record.ts'
import { absent } from '../../store/absent.ts'
import type { Database } from '../../store/connection/database.ts'
import { QuerySet } from '../../store/queryset.ts'
import type { StoredField } from '../fields.ts'
import { keepsValue, type ValidatedItem } from '../item.ts'

/** Every referenced record must exist. One statement for all foreign keys. */
export async function checkReferences(
  fields: readonly StoredField[],
  database: Database,
  validated: readonly ValidatedItem[],
): Promise<void> {
  const checks = fields.flatMap(field => {
    const referred = referredBy(field)
    if (!referred) return []
    const { key } = field.column
    const named = new Set<unknown>()
    for (const entry of validated) {
      const value = entry.values[key]
      // The database guarantees the record of a stored reference, but not that it is still in the scope.
      if (isKey(value) && (field.relation?.scope || !keepsValue(entry, field.column))) named.add(value)
    }
    if (named.size === 0) return []
    const wanted = { queryset: referred.among(database), column: referred.column, values: [...named] }
    return [{ field, wanted, among: referred }]
  })
  const missing = await absent(
    database,
    checks.map(({ wanted }) => wanted),
  )
  checks.forEach(({ field: { column, wire }, among }, index) => {
    if (missing[index]?.size === 0) return
    for (const { values, errors } of validated) {
      const value = values[column.key]
      if (!missing[index]?.has(value)) continue
      errors[wire] = [noSuchRecord(among.model, among.column, value)]
      delete values[column.key]
    }
  })
}

export interface Referred {
  readonly model: TableInfo
  readonly column: ColumnInfo
  among(database: Database): QuerySet
}

/**
 * `undefined` for a field without a foreign key, and for relations written as text or objects (see
 * `check-relations.ts`).
 */
export function referredBy({ column: { references }, relation }: StoredField): Referred | undefined {
  if (relation) {
    const { write, model, target, scope } = relation
    if (write === 'str' || write === 'data') return undefined
    return { model, column: target, among: database => new QuerySet(database, model).filter(scope?.()) }
  }
  if (!references) return undefined
  const model = modelInfo(references.target)
  return { model, column: references.column ?? model.primaryKey, among: database => new QuerySet(database, model) }
}

export function isKey(value: unknown): boolean {
  return value !== undefined && value !== null && typeof value !== 'object'
}
