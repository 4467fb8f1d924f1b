import type { Model } from '../../model/kit.ts'
import type { ModelRecord } from '../../records/record.ts'
import type { ManyField } from '../../serializer/fields.ts'
import { readLinks } from '../../store/to-many.ts'
import { linkId } from '../../store/write/record-links.ts'
import type { HistoryView } from './entries.ts'

/** The ids of linked records, in the form of a history. */
export async function currentLinks(
  { database }: HistoryView,
  record: ModelRecord<Model>,
  fields: readonly ManyField[],
): Promise<ReadonlyMap<string, readonly unknown[]>> {
  const lists = new Map<string, readonly unknown[]>()
  for (const { wire, relation } of fields) {
    const owner: unknown = Reflect.get(record, relation.ownerKey.key)
    const links = await readLinks(database, relation, [owner])
    lists.set(
      wire,
      links.map(({ target }) => linkId(relation.relatedKey, target)),
    )
  }
  return lists
}
