import type { Database } from '../../store/connection/database.ts'
import { ownProjection } from '../../store/projection.ts'
import type { QuerySet } from '../../store/queryset.ts'
import { keyIn, keyText } from '../../store/row-order.ts'
import { decodeRow } from '../../store/row-set.ts'
import { readLinks, type ToManyRelation } from '../../store/to-many.ts'
import type { Values } from '../../store/write/write.ts'
import type { ModelPlan } from '../plan/plan.ts'

/** The stored records with these keys, by the texts of their keys. */
export async function storedRecords(rows: QuerySet, keys: readonly unknown[]): Promise<ReadonlyMap<string, Values>> {
  const { model, database } = rows
  const found = await rows.withKeys(ownProjection(model), keys)
  return new Map(
    found.map(row => {
      const record = decodeRow(database.dialect, model, row)
      return [keyText(model, keyIn(model, record)), record]
    }),
  )
}

/** The links of stored records: by relation, and by the key of the record as text. */
export type LinkedKeys = ReadonlyMap<ToManyRelation, ReadonlyMap<string, readonly unknown[]>>

export async function linkedKeys(
  database: Database,
  { columns }: Pick<ModelPlan, 'columns'>,
  records: readonly Values[],
): Promise<LinkedKeys> {
  const linked = new Map<ToManyRelation, Map<string, unknown[]>>()
  for (const { links } of columns) {
    if (!links || records.length === 0) continue
    const { relation } = links
    const owners = records.map(record => record[relation.ownerKey.key])
    const ofRelation = Map.groupBy(await readLinks(database, relation, owners), link => String(link.source))
    linked.set(relation, new Map([...ofRelation].map(([owner, found]) => [owner, found.map(({ target }) => target)])))
  }
  return linked
}
