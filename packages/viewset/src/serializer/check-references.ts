import { modelInfo } from '../model/model-info.ts'
import type { Database } from '../store/database.ts'
import { QuerySet } from '../store/queryset.ts'
import type { StoredField } from './fields.ts'
import type { Draft } from './validate.ts'

/** Every record that a foreign key names must exist: one statement for each foreign key. */
export async function checkReferences(
  fields: readonly StoredField[],
  database: Database,
  drafts: readonly Draft[],
): Promise<void> {
  for (const { column, relation, wire } of fields) {
    const { references } = column
    // Text and objects name records in their own ways (see `check-relations.ts`).
    if (relation ? relation.write === 'str' || relation.write === 'data' : !references) continue
    const named = drafts.filter(({ values }) => isKey(values[column.key]))
    const keys = [...new Set(named.map(({ values }) => values[column.key]))]
    const target = relation?.model ?? modelInfo((references as NonNullable<typeof references>).target)
    const key = relation?.target ?? target.columns.find(candidate => candidate.name === references?.targetKey)
    const queryset = new QuerySet(database, target).filter(relation?.scope?.())
    const matches = await queryset.matches(
      [key ?? target.primaryKey],
      keys.map(value => [value]),
    )
    const found = new Set(matches.map(({ position }) => keys[position]))
    for (const { values, errors } of named) {
      const value = values[column.key]
      if (found.has(value)) continue
      errors[wire] = [`Invalid pk "${value}" - object does not exist.`]
      delete values[column.key]
    }
  }
}

function isKey(value: unknown): boolean {
  return value !== undefined && value !== null && typeof value !== 'object'
}
