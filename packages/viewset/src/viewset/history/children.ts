import type { User } from '../../core/context.ts'
import { ConfigError } from '../../core/errors.ts'
import { type History, historyOf } from '../../model/history.ts'
import type { ModelInfo } from '../../model/model-info.ts'
import { isReadable, isWritable, type ManyField, takesRecords } from '../../serializer/fields.ts'
import type { ModelSerializer } from '../../serializer/model-serializer.ts'
import { hasJoinTable, type ToManyRelation } from '../../store/to-many.ts'
import { type ShownValues, shownValuesOf } from './shown-values.ts'

/** A list of children whose entries the history of their parent has. */
export interface ChildHistory {
  readonly relation: ToManyRelation
  readonly history: History
  readonly shown: ShownValues
  /** The lists of children that the children have. */
  readonly children: readonly ChildHistory[]
}

/** The lists of a serializer that show children as records, and whose model keeps a history with `parent`. */
export function childHistories(serializer: ModelSerializer, user: User | null): readonly ChildHistory[] {
  return serializer.fields.flatMap(field => {
    if (field.kind !== 'many' || !isReadable(field) || field.read !== 'data' || !field.serializer) return []
    const { relation } = field
    const history = childHistory(field)
    if (!history || history.options.parent !== relation.source.key || !relation.ownerKey.primaryKey) return []
    const { serializer: child } = field
    const shown = shownValuesOf(child.fields, history, user)
    return [{ relation, history, shown, children: childHistories(child, user) }]
  })
}

/**
 * Every list of children that clients write belongs to the history of their parent.
 *
 * @throws ConfigError for children whose history does not name its parent
 */
export function requireParents(subject: string, model: ModelInfo, serializers: readonly ModelSerializer[]): void {
  for (const field of serializers.flatMap(({ fields }) => fields)) {
    if (field.kind !== 'many' || !isWritable(field) || !takesRecords(field)) continue
    const { relation, serializer } = field
    if (serializer) requireParents(subject, relation.model, [serializer])
    const history = childHistory(field)
    if (!history || history.options.parent !== undefined) continue
    const { name } = relation.model
    const remedy = `write HistoryTable(${name}, { parent: '${relation.source.key}' })`
    throw new ConfigError(
      subject,
      'HistoryModelMixin',
      `the history of "${model.name}" has the entries of its "${relation.wire}", so ${remedy}`,
    )
  }
}

function childHistory({ relation }: ManyField): History | undefined {
  return hasJoinTable(relation) ? undefined : historyOf(relation.model.table)
}
