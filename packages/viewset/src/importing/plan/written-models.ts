import type { ModelInfo } from '../../model/model-info.ts'
import { isWritable, type SerializerField, takesRecords } from '../../serializer/fields.ts'
import type { ModelSerializer } from '../../serializer/model-serializer.ts'
import { hasJoinTable } from '../../store/to-many.ts'

/** The models of which a write of `fields` of a model stores records: each after those that its records refer to. */
export function writtenModels(model: ModelInfo, fields: readonly SerializerField[]): readonly ModelInfo[] {
  const before: ModelInfo[] = []
  const after: ModelInfo[] = []
  for (const field of fields.filter(isWritable)) {
    if (field.kind === 'stored' && field.relation) {
      const { write, model: related, serializer } = field.relation
      if (write === 'data' || write === 'flexible') before.push(...withNested(related, serializer))
    } else if (field.kind === 'many') {
      const { relation, serializer, createsMissing } = field
      const written = takesRecords(field) || createsMissing ? withNested(relation.model, serializer) : []
      if (hasJoinTable(relation)) before.push(...written)
      else after.push(...written)
    }
  }
  return [...new Set([...before, model, ...after])]
}

function withNested(model: ModelInfo, serializer: ModelSerializer | undefined): readonly ModelInfo[] {
  return writtenModels(model, serializer?.fields ?? [])
}
