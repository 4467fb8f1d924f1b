import type { History } from '../../model/history.ts'
import type { ColumnInfo, ModelInfo } from '../../model/model-info.ts'
import { isReadable, isWritable, type SerializerField, takesRecords } from '../../serializer/fields.ts'
import type { ModelSerializer } from '../../serializer/model-serializer.ts'
import type { Scope } from '../../store/projection.ts'
import { hasJoinTable } from '../../store/to-many.ts'
import type { GenericViewSet } from '../generic-viewset.ts'
import { type ShownValues, shownValuesOf } from '../history/shown-values.ts'
import type { AnyResourceClass } from '../mixin.ts'
import { FileImportMixin } from '../mixins/file-import-mixin.ts'
import { hiddenFields } from '../reading/hidden-fields.ts'

/** A list of an import, at any depth, or a record to which an entry of a list refers. */
export interface UndoneList {
  /** The fields that lead to it from a record of the resource: `tracks`, `takes`. */
  readonly path: readonly string[]
  readonly model: ModelInfo
  readonly scope: Scope | undefined
  /** `undefined` if its records belong to no other record. */
  readonly owner: ListOwner | undefined
}

/** The record to which the records of a list belong. */
export interface ListOwner {
  readonly model: ModelInfo
  /** The column to which the foreign key refers. */
  readonly key: ColumnInfo
  /** The foreign key of the list's records. */
  readonly source: ColumnInfo
  /** The list in which the owner is; `undefined` for a record of the resource. */
  readonly list: UndoneList | undefined
}

/** What a user may see and write of the records of a model. */
export interface UndoneFields {
  /** The columns and relations that the user may not see, by their names in entries. */
  readonly hidden: ReadonlySet<string>
  /** Those that another user may write, and this one may not. */
  readonly refused: ReadonlySet<string>
  readonly shown: ShownValues
  /** Whether the user may write none of them. */
  readonly isReadOnly: boolean
}

/** The lists of a resource's imports. Records of the resource itself count as its own, also in a list. */
export function undoneLists({ definition }: Pick<AnyResourceClass, 'definition'>): readonly UndoneList[] {
  if (!definition.states.has(FileImportMixin)) return []
  const { plan } = FileImportMixin.own(definition)(definition.config.serializer).service
  const { model } = definition
  const lists = plan.models.flatMap(({ columns }) => columns.flatMap(({ list }) => list ?? []))
  return listsIn(lists, { path: [], model, list: undefined }).filter(list => list.model !== model)
}

interface Place extends Pick<ListOwner, 'model' | 'list'> {
  readonly path: readonly string[]
}

function listsIn(fields: readonly SerializerField[], place: Place): readonly UndoneList[] {
  return fields.filter(isWritable).flatMap(field => {
    const found = listOf(field, place)
    if (!found) return []
    const { path, model } = found
    return [found, ...listsIn(serializerOf(field)?.fields ?? [], { path, model, list: found })]
  })
}

function listOf(field: SerializerField, { path, model, list }: Place): UndoneList | undefined {
  const at = [...path, field.key]
  if (field.kind === 'many' && (takesRecords(field) || field.createsMissing)) {
    const { relation } = field
    const owner = { model, key: relation.ownerKey, source: relation.source, list }
    return {
      path: at,
      model: relation.model,
      scope: relation.scopeWithDeleted,
      owner: hasJoinTable(relation) ? undefined : owner,
    }
  }
  if (field.kind !== 'stored' || !field.relation || !takesRelated(field.relation.write)) return undefined
  return { path: at, model: field.relation.model, scope: field.relation.scope, owner: undefined }
}

function takesRelated(write: string | null): boolean {
  return write === 'data' || write === 'flexible'
}

function serializerOf(field: SerializerField): ModelSerializer | undefined {
  if (field.kind === 'many') return field.serializer
  return field.kind === 'stored' ? field.relation?.serializer : undefined
}

/** What a user may see and write of the records of lists. Their owner is no field of theirs: the list has it. */
export function fieldsOfLists(view: GenericViewSet, history: History, lists: readonly UndoneList[]): UndoneFields {
  const { serializer, serializers = [] } = view.config
  const whole = [serializer, ...serializers]
  const own = [view.getSerializer()]
  const { hidesPath } = hiddenFields(view)
  const hides = (key: string) => lists.every(({ path }) => hidesPath([...path, key].join('__')))
  const owners = new Set(lists.flatMap(({ owner }) => (owner ? [owner.source.name] : [])))
  const writable = fieldsAt(own, lists, isWritable)
  const taken = new Set(namesIn(writable))
  const takenByAny = namesIn(fieldsAt(whole, lists, isWritable))
  const all = fieldsAt(whole, lists, isReadable)
  return {
    hidden: new Set(hiddenNames(history.model, all, hides).filter(name => !owners.has(name))),
    refused: new Set(takenByAny.filter(name => !taken.has(name) && !owners.has(name))),
    isReadOnly: writable.length === 0,
    shown: shownValuesOf(fieldsAt(own, lists, isReadable), history, view.user),
  }
}

/** The fields of the records of lists, as far as all fields on the way to them pass the test as well. */
function fieldsAt(
  serializers: readonly ModelSerializer[],
  lists: readonly UndoneList[],
  test: (field: SerializerField) => boolean,
): readonly SerializerField[] {
  const passing = (some: readonly ModelSerializer[]) => some.flatMap(({ fields }) => fields.filter(test))
  return lists.flatMap(({ path }) => {
    let at = passing(serializers)
    for (const name of path) {
      at = passing(at.filter(({ key }) => key === name).flatMap(field => serializerOf(field) ?? []))
    }
    return at
  })
}

/** The names that entries of a history have for fields: those of columns, and of relations with a join table. */
export function namesIn(fields: readonly SerializerField[]): readonly string[] {
  return fields.flatMap(field => {
    if (field.kind === 'stored') return [field.column.name]
    return field.kind === 'many' && hasJoinTable(field.relation) ? [field.relation.wire] : []
  })
}

/** The same names of what is hidden: of columns, and of relations that `fields` show. */
export function hiddenNames(
  { columns }: ModelInfo,
  fields: readonly SerializerField[],
  hides: (key: string) => boolean,
): readonly string[] {
  const relations = fields.filter(field => field.kind === 'many' && hides(field.key))
  const hidden = columns.filter(({ key }) => hides(key)).map(({ name }) => name)
  return [...hidden, ...namesIn(relations)]
}
