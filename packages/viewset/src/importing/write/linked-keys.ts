import type { Database } from '../../store/connection/database.ts'
import { readLinks, type ToManyRelation } from '../../store/to-many.ts'
import type { Values } from '../../store/write/write.ts'
import type { ModelPlan } from '../plan/plan.ts'

/** What stored records are linked to: by relation, and by the key of the record as text. */
export type LinkedKeys = ReadonlyMap<ToManyRelation, ReadonlyMap<string, readonly unknown[]>>

/** Reads the links that an import may set, as far as they are the import's to change: a statement for each relation. */
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
