import type { ModelInfo } from '../../model/model-info.ts'
import { isWritable, type ManyField, type SerializerField, takesRecords } from '../../serializer/fields.ts'
import type { ModelSerializer } from '../../serializer/model-serializer.ts'
import { hasJoinTable, type ToManyRelation } from '../../store/to-many.ts'
import type { ModelPlan } from './plan.ts'

/** A model of which an import stores records. */
export interface WrittenModel {
  readonly model: ModelInfo
  /** The relations with a join table whose links it stores. */
  readonly relations: readonly ToManyRelation[]
}

/** The models of which the rows of a model store records, its lists included: each after those that it refers to. */
export function modelsWrittenBy({ model, columns }: Pick<ModelPlan, 'model' | 'columns'>): readonly WrittenModel[] {
  return writtenModels(
    model,
    columns.flatMap(({ list }) => list ?? []),
  )
}

/** The models of which a write of `fields` of a model stores records: each after those that its records refer to. */
export function writtenModels(model: ModelInfo, fields: readonly SerializerField[]): readonly WrittenModel[] {
  const before: WrittenModel[] = []
  const after: WrittenModel[] = []
  const relations: ToManyRelation[] = []
  for (const field of fields.filter(isWritable)) {
    if (field.kind === 'stored' && field.relation) {
      const { write, model: related, serializer } = field.relation
      if (write === 'data' || write === 'flexible') before.push(...withNested(related, serializer))
    } else if (field.kind === 'many') {
      const { relation, serializer, createsMissing } = field
      const written = takesRecords(field) || createsMissing ? withNested(relation.model, serializer) : []
      if (hasJoinTable(relation)) {
        relations.push(relation)
        before.push(...written)
      } else after.push(...written)
    }
  }
  return [...before, { model, relations }, ...after]
}

/** Whether records of a list refer to a model, at any depth. */
export function refersTo({ serializer, relation }: ManyField, model: ModelInfo): boolean {
  return (serializer?.fields ?? []).filter(isWritable).some(field => {
    if (field.kind === 'many') return field.relation.model === model || refersTo(field, model)
    // A child's owner is the record around it.
    if (field.kind !== 'stored' || field.column === relation.source) return false
    return field.relation?.model === model || field.column.references?.target === model.table
  })
}

function withNested(model: ModelInfo, serializer: ModelSerializer | undefined): readonly WrittenModel[] {
  return writtenModels(model, serializer?.fields ?? [])
}
