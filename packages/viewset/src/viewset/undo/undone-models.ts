import { modelsWrittenBy } from '../../importing/plan/written-models.ts'
import { type History, historyOf } from '../../model/history.ts'
import { AUDIT_FIELDS, type ColumnInfo, type ModelInfo } from '../../model/model-info.ts'
import { isVersionColumn } from '../../model/version-column.ts'
import { isReadable, isWritable } from '../../serializer/fields.ts'
import type { ModelSerializer } from '../../serializer/model-serializer.ts'
import { hasJoinTable, type ToManyRelation } from '../../store/to-many.ts'
import { keepsHistories } from '../files/importer.ts'
import type { GenericViewSet } from '../generic-viewset.ts'
import { fixedColumnsOf } from '../history/change.ts'
import { isShownDropped, shownValues } from '../history/shown-values.ts'
import { translationOf } from '../history/translation.ts'
import type { AnyResourceClass } from '../mixin.ts'
import { FileImportMixin } from '../mixins/file-import-mixin.ts'
import { hiddenFields } from '../reading/hidden-fields.ts'
import type { UndoneColumns } from './plan-undo.ts'
import { fieldsOfLists, hiddenNames, namesIn, type UndoneFields, type UndoneList, undoneLists } from './undone-lists.ts'

/** A model of an import, with its history. */
export interface UndoneModel extends UndoneColumns {
  readonly history: History
  readonly model: ModelInfo
  /** The name of the model in the file. */
  readonly name: string
  readonly isOfResource: boolean
  readonly isOfLists: boolean
  /** The lists that the user sees, and whose records are of the model. */
  readonly lists: readonly UndoneList[]
  /** Whether the user may write none of its lists. */
  readonly isReadOnly: boolean
  /** The columns by which the import finds a record, as far as the reader sees them. */
  readonly unique: readonly string[]
  /** The relations with a join table, by their names in entries. */
  readonly relations: ReadonlyMap<string, ToManyRelation>
  /** The names of columns as the reader sees them. */
  namesOf(columns: readonly string[]): readonly string[]
  /** Whether the reader may not see a column or a relation. */
  isHidden(name: string): boolean
  /** Whether another user may write a column or a relation, and this one may not. */
  isRefused(name: string): boolean
}

interface ImportedModel {
  readonly key: string
  readonly model: ModelInfo
  readonly relations: readonly ToManyRelation[]
  /** Those that a file has, by which the import finds a record. */
  readonly unique: readonly ColumnInfo[]
}

/** The models that the imports of a resource write; none if it has no imports. */
export function importedModels({ definition }: Pick<AnyResourceClass, 'definition'>): readonly ImportedModel[] {
  if (!definition.states.has(FileImportMixin)) return []
  const { plan } = FileImportMixin.own(definition)(definition.config.serializer).service
  const found = plan.models.flatMap(planned => {
    const { key, model, columns, unique } = planned
    const relations = columns.flatMap(({ links }) => (links ? [links.relation] : []))
    return modelsWrittenBy(planned).map((written): ImportedModel => {
      if (written.model !== model) return { ...written, key: written.model.name, unique: [written.model.primaryKey] }
      // A fixed value, such as the tenant, is in no file.
      const inFile = unique.columns.filter(column => columns.some(planned => planned.column === column))
      return { key, model, relations: [...relations, ...written.relations], unique: inFile }
    })
  })
  // Two lists may write records of one model.
  return [...Map.groupBy(found, ({ key, model }) => `${model.id} ${key}`).values()].flatMap(([first, ...others]) =>
    first ? [{ ...first, relations: [first, ...others].flatMap(({ relations }) => relations) }] : [],
  )
}

/** Whether all that the imports of a resource write has a history. */
export function isUndoable({ definition }: Pick<AnyResourceClass, 'definition'>): boolean {
  if (!definition.states.has(FileImportMixin)) return false
  return keepsHistories(FileImportMixin.own(definition)(definition.config.serializer))
}

/** The models that a view's imports write, as the user of the view sees them. */
export function undoneModels(view: GenericViewSet): readonly UndoneModel[] {
  const all = undoneLists(view)
  return importedModels(view).flatMap(imported => {
    const history = historyOf(imported.model.table)
    const lists = all.filter(({ model }) => model === imported.model)
    return history ? [undoneModel(view, imported, history, lists)] : []
  })
}

function undoneModel(
  view: GenericViewSet,
  imported: ImportedModel,
  history: History,
  lists: readonly UndoneList[],
): UndoneModel {
  const { key, model, relations, unique } = imported
  const isOfResource = model === view.definition.model
  const { ignore = [] } = history.options
  const ignored = model.columns.filter(
    column => AUDIT_FIELDS.has(column.key) || isVersionColumn(column) || ignore.includes(column.key),
  )
  const ignoredNames = new Set(ignored.map(({ name }) => name))
  const { serializer, serializers = [] } = view.config
  const linked = isOfResource ? [serializer, ...serializers].flatMap(relationsOf) : []
  const known = [...linked, ...relations].filter(hasJoinTable).map(relation => [relation.wire, relation] as const)
  const { hidesPath } = hiddenFields(view)
  const fixed = isOfResource ? fixedColumnsOf(view) : {}
  const translation = translationOf(history)
  const fields = isOfResource
    ? fieldsOfResource(view, history)
    : lists.length > 0
      ? fieldsOfLists(view, history, lists)
      : undefined
  // No serializer limits the columns of other models of a file.
  const unlimitedName = (name: string) => {
    const meaning = translation.meaningOf(name)
    if (meaning.is === 'column') return meaning.column.wire
    return meaning.is === 'links' || isShownDropped(meaning, view.user) ? name : undefined
  }
  return {
    history,
    model,
    name: key,
    isOfResource,
    isOfLists: lists.length > 0,
    lists: lists.filter(({ path }) => !hidesPath(path.join('__'))),
    isReadOnly: fields?.isReadOnly ?? false,
    relations: new Map(known),
    unique: unique.map(({ name }) => name).filter(name => !fields?.hidden.has(name) && !(name in fixed)),
    required: model.columns
      .filter(
        ({ nullable, hasDefault, createValue, generated }) => !(nullable || hasDefault || createValue || generated),
      )
      .map(({ name }) => name),
    active: model.softDeletable ? model.byKey.get('isActive')?.name : undefined,
    hidesDeleted: isOfResource && view.config.softDelete === true,
    isIgnored: column => ignoredNames.has(column),
    isHidden: name => fields?.hidden.has(name) ?? false,
    isRefused: name => fields?.refused.has(name) ?? false,
    namesOf: names => (fields ? fields.shown.wiresOf(names) : names.flatMap(name => unlimitedName(name) ?? [])),
  }
}

function relationsOf({ fields }: ModelSerializer): readonly ToManyRelation[] {
  return fields.flatMap(field => (field.kind === 'many' && isReadable(field) ? [field.relation] : []))
}

function fieldsOfResource(view: GenericViewSet, history: History): UndoneFields {
  const { serializer, serializers = [] } = view.config
  const all = [serializer, ...serializers].flatMap(({ fields }) => fields)
  const taken = new Set(namesIn(view.getSerializer().fields.filter(isWritable)))
  return {
    hidden: new Set(hiddenNames(history.model, all.filter(isReadable), hiddenFields(view).hidesPath)),
    refused: new Set(namesIn(all.filter(isWritable)).filter(name => !taken.has(name))),
    shown: shownValues(view, history),
    isReadOnly: false,
  }
}
