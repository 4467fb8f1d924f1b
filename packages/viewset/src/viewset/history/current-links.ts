import type { Model } from '../../model/kit.ts'
import type { ModelRecord } from '../../records/record.ts'
import type { ManyField } from '../../serializer/fields.ts'
import { readLinks } from '../../store/to-many.ts'
import type { HistoryView } from './entries.ts'

/** The ids of linked records, in the form of a history. */
export async function currentLinks(
  { database }: HistoryView,
  record: ModelRecord<Model>,
  fields: readonly ManyField[],
): Promise<Record<string, readonly string[]>> {
  const lists: Record<string, readonly string[]> = {}
  for (const { wire, relation } of fields) {
    const owner: unknown = Reflect.get(record, relation.ownerKey.key)
    lists[wire] = (await readLinks(database, relation, [owner])).map(({ target }) => String(target))
  }
  return lists
}
