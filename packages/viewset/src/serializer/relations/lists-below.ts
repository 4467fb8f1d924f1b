import type { ListBelow } from '../../records/drafts.ts'
import { hasJoinTable } from '../../store/to-many.ts'
import { isWritable, takesRecords } from '../fields.ts'
import type { ModelSerializer } from '../model-serializer.ts'
import type { RelatedRecords } from './related-records.ts'

/**
 * The lists that a serializer writes with its record, and whose records keep it from being deleted. Records that a list
 * marks as deleted stay, so they are not among them.
 */
export async function listsBelow(serializer: ModelSerializer, related: RelatedRecords): Promise<readonly ListBelow[]> {
  const found: ListBelow[] = []
  for (const field of serializer.fields) {
    if (field.kind !== 'many' || !field.serializer || !isWritable(field) || !takesRecords(field)) continue
    const { relation } = field
    if (hasJoinTable(relation) || relation.softDelete) continue
    const below = await listsBelow(field.serializer, related)
    const isBlocking = relation.source.references?.restrictsDelete === true
    if (isBlocking || below.length > 0) {
      found.push({ relation, visible: await related.visible(field.serializer), below })
    }
  }
  return found
}
