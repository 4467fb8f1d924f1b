import type { User } from '../../core/context.ts'
import { ConfigError } from '../../core/errors.ts'
import { type History, historyOf } from '../../model/history.ts'
import type { ModelInfo } from '../../model/model-info.ts'
import { isParentKey } from '../../model/nestings.ts'
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
  for (const { owner, relation, history } of writtenChildren(model, serializers)) {
    if (history.options.parent !== undefined) continue
    const problem = `the history of "${owner.name}" has the entries of its "${relation.wire}"`
    throw new ConfigError(subject, 'HistoryModelMixin', `${problem}, so write ${declaredParent(relation)}`)
  }
}

/**
 * A history names its parent by the foreign key of a list. All serializers of the application are made by now.
 *
 * @throws ConfigError for children whose history names another foreign key than that of their list
 */
export function checkParents(subject: string, model: ModelInfo, serializers: readonly ModelSerializer[]): void {
  for (const { relation, history } of writtenChildren(model, serializers)) {
    const { parent = '' } = history.options
    const named = relation.model.byKey.get(parent)
    if (parent === relation.source.key || (named && isParentKey(named))) continue
    const problem = `the history of "${relation.model.name}" names "${parent}" as the parent, which is no list's foreign key`
    throw new ConfigError(subject, 'HistoryModelMixin', `${problem}; write ${declaredParent(relation)}`)
  }
}

interface WrittenChildren {
  readonly owner: ModelInfo
  readonly relation: ToManyRelation
  readonly history: History
}

/** The lists of children, at all levels, that clients write and whose models keep a history. */
function writtenChildren(owner: ModelInfo, serializers: readonly ModelSerializer[]): readonly WrittenChildren[] {
  return serializers
    .flatMap(({ fields }) => fields)
    .flatMap(field => {
      if (field.kind !== 'many' || !isWritable(field) || !takesRecords(field)) return []
      const { relation, serializer } = field
      const history = childHistory(field)
      return [
        ...(serializer ? writtenChildren(relation.model, [serializer]) : []),
        ...(history ? [{ owner, relation, history }] : []),
      ]
    })
}

function declaredParent({ model, source }: ToManyRelation): string {
  return `HistoryTable(${model.name}, { parent: '${source.key}' })`
}

function childHistory({ relation }: ManyField): History | undefined {
  return hasJoinTable(relation) ? undefined : historyOf(relation.model.table)
}
