import { nest } from '../../model/nestings.ts'
import { isWritable } from '../../serializer/fields.ts'
import type { ModelSerializer } from '../../serializer/model-serializer.ts'
import { hasJoinTable } from '../../store/to-many.ts'

/** From now on, each write of a child that a serializer writes with its record moves the versions above it. */
export function nestLists(serializer: ModelSerializer, known = new Set<ModelSerializer>()): void {
  if (known.has(serializer)) return
  known.add(serializer)
  for (const field of serializer.fields) {
    if (field.kind !== 'many' || !isWritable(field) || hasJoinTable(field.relation)) continue
    const { model, source, ownerKey } = field.relation
    nest(model, { parent: serializer.info, column: source, ownerKey })
    if (field.serializer) nestLists(field.serializer, known)
  }
}
