import { message } from '../../core/messages/message.ts'
import { kindOf } from '../../kinds/kinds.ts'
import { isParentKey } from '../../model/nestings.ts'
import { absent } from '../../store/absent.ts'
import type { Database } from '../../store/connection/database.ts'
import { QuerySet } from '../../store/queryset.ts'
import type { Values } from '../../store/write/write.ts'
import type { StoredField, ToOneRelation } from '../fields.ts'
import { isNewItem, type ValidatedItem } from '../item.ts'

type ParentField = StoredField & { readonly relation: ToOneRelation & { readonly scope: object } }

/** The fields that move a child from one parent to another, if a queryset limits the parents. */
export function limitedParents(fields: readonly StoredField[]): readonly ParentField[] {
  return fields.filter(
    (field): field is ParentField => field.relation?.scope !== undefined && isParentKey(field.column),
  )
}

/** Whether values may move a child to another parent, so that the stored one has to be read. */
export function mayMove(fields: readonly StoredField[], values: Values): boolean {
  return limitedParents(fields).some(({ column }) => values[column.key] !== undefined)
}

/** Checks that the request may write the parents that children leave, since a move changes both parents. */
export async function checkLeftParents(
  fields: readonly StoredField[],
  database: Database,
  validated: readonly ValidatedItem[],
): Promise<void> {
  const checks = limitedParents(fields).flatMap(({ column, wire, relation }) => {
    const leaving = validated.flatMap(item => {
      const value = item.values[column.key]
      if (value === undefined || isNewItem(item)) return []
      const left = item.record?.[column.key] ?? null
      return left === null || kindOf(column).isSame(value, left) ? [] : [{ item, left }]
    })
    if (leaving.length === 0) return []
    const parents = new QuerySet(database, relation.model).filter(relation.scope())
    return [{ column, wire, leaving, wanted: { queryset: parents, column: relation.target } }]
  })
  const hidden = await absent(
    database,
    checks.map(({ wanted, leaving }) => ({ ...wanted, values: [...new Set(leaving.map(({ left }) => left))] })),
  )
  for (const [index, { column, wire, leaving }] of checks.entries()) {
    for (const { item, left } of leaving) {
      if (!hidden[index]?.has(left)) continue
      item.errors[wire] = [message('not_movable')]
      delete item.values[column.key]
    }
  }
}
