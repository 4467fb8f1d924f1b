import { modelInfo } from '../model/model-info.ts'
import type { Database } from '../store/database.ts'
import { existing } from '../store/existing.ts'
import { QuerySet } from '../store/queryset.ts'
import type { StoredField } from './fields.ts'
import type { ValidatedItem } from './item.ts'

/** Every record that a foreign key names must exist: one statement for all foreign keys. */
export async function checkReferences(
  fields: readonly StoredField[],
  database: Database,
  validated: readonly ValidatedItem[],
): Promise<void> {
  const checks = fields.flatMap(field => {
    const { column, relation } = field
    const { references } = column
    // Text and objects name records in their own ways (see `check-relations.ts`).
    if (relation ? relation.write === 'str' || relation.write === 'data' : !references) return []
    const named = validated.filter(({ values }) => isKey(values[column.key]))
    if (named.length === 0) return []
    const target = relation?.model ?? modelInfo((references as NonNullable<typeof references>).target)
    const key = relation?.target ?? references?.column ?? target.primaryKey
    const queryset = new QuerySet(database, target).filter(relation?.scope?.())
    const values = [...new Set(named.map(entry => entry.values[column.key]))]
    return [{ field, named, wanted: { queryset, column: key, values } }]
  })
  const found = await existing(
    database,
    checks.map(({ wanted }) => wanted),
  )
  checks.forEach(({ field: { column, wire }, named }, index) => {
    for (const { values, errors } of named) {
      const value = values[column.key]
      if (found[index]?.has(value)) continue
      errors[wire] = [`Invalid pk "${value}" - object does not exist.`]
      delete values[column.key]
    }
  })
}

function isKey(value: unknown): boolean {
  return value !== undefined && value !== null && typeof value !== 'object'
}
