import { BoundedCache } from '../../core/bounded-cache.ts'
import type { User } from '../../core/context.ts'
import { ValidationError } from '../../core/errors.ts'
import { message } from '../../core/messages/message.ts'
import { type ApiRequest, queryValue } from '../../core/request.ts'
import { nearest } from '../../core/suggestion.ts'
import { type JsonSchema, orNull } from '../../kinds/json-schema.ts'
import { modelInfo } from '../../model/model-info.ts'
import type { QueryParameters } from '../../query/query-parameters.ts'
import { isReadable, type SerializerField, type StoredField, type ToOneRelation } from '../../serializer/fields.ts'
import { forUser } from '../../serializer/for-user.ts'
import type { ModelSerializer } from '../../serializer/model-serializer.ts'
import { withFields } from '../../serializer/with-fields.ts'
import { listSchema } from '../description/route-description.ts'
import type { ResourceDefinition } from '../resource/resource.ts'
import { choiceKey, type ResourceChoice } from './choice-setting.ts'
import type { Shown } from './shown-parts.ts'

const FIELDS = 'fields'
const EXPAND = 'expand'
/** The actions whose answers a client can choose. */
const READING = ['list', 'retrieve']
const MOST_KEPT = 200

interface ChoosingView {
  readonly action: string
  readonly user: User | null
  readonly isCustom: boolean
  readonly request: ApiRequest
  readonly definition: Pick<ResourceDefinition, 'states'>
  getSerializer(): ModelSerializer
}

/** The serializer of the view, with the fields that the request has chosen. @throws ValidationError */
export function shownSerializer(view: ChoosingView): ModelSerializer {
  const serializer = view.getSerializer()
  const choice = choiceKey.of(view.definition)
  if (!choice || view.isCustom || !READING.includes(view.action)) return serializer
  const fields = choice.isSparse ? (queryValue(view.request, FIELDS) ?? '') : ''
  const expand = choice.expandable.size > 0 ? (queryValue(view.request, EXPAND) ?? '') : ''
  return fields === '' && expand === '' ? serializer : chosen(serializer, choice, { fields, expand, user: view.user })
}

/** Whether the request shows whole related records in place of identifiers. */
export function expandsRecords({ request, definition }: Pick<ChoosingView, 'request' | 'definition'>): boolean {
  const choice = choiceKey.of(definition)
  return choice !== undefined && choice.expandable.size > 0 && (queryValue(request, EXPAND) ?? '') !== ''
}

/** The serializer with the fields whose columns a file has; `undefined` if the request has chosen none. */
export function chosenForFile(view: ChoosingView): ModelSerializer | undefined {
  const choice = choiceKey.of(view.definition)
  if (!choice?.isSparse || view.isCustom) return undefined
  const fields = queryValue(view.request, FIELDS) ?? ''
  if (fields === '') return undefined
  return chosen(view.getSerializer(), choice, { fields, expand: '', user: view.user })
}

/**
 * Those of a past record's fields that the request has chosen. Such a record shows ids in place of related records,
 * except for those that the request expands.
 *
 * @throws ValidationError
 */
export function chosenPastFields(
  { request, user, definition }: Pick<ChoosingView, 'request' | 'user' | 'definition'>,
  past: readonly StoredField[],
): readonly SerializerField[] {
  const choice = choiceKey.of(definition)
  const flat = past.map(field => ({ ...field, nested: null }))
  if (!choice) return flat
  const expand = choice.expandable.size > 0 ? (queryValue(request, EXPAND) ?? '') : ''
  const fields = choice.isSparse ? (queryValue(request, FIELDS) ?? '') : ''
  const all = expandedFields({ fields: flat }, expandedBy({ fields: flat }, choice, { expand, user }))
  return fields === '' ? all : narrowed(all, pathsOf(fields).tree, '')
}

interface Chosen {
  readonly fields: string
  readonly expand: string
  readonly user: User | null
}

const made = new WeakMap<ModelSerializer, BoundedCache<string, ModelSerializer>>()
/** Numbers of serializers, for the keys of the cache: users may see different ones. */
const numbers = new WeakMap<ModelSerializer, number>()
let count = 0

function numberOf(serializer: ModelSerializer): number {
  const known = numbers.get(serializer) ?? ++count
  numbers.set(serializer, known)
  return known
}

/** Equal choices share one serializer, and with it their statements. */
function chosen(
  serializer: ModelSerializer,
  choice: ResourceChoice,
  { fields, expand, user }: Chosen,
): ModelSerializer {
  const cache = made.get(serializer) ?? new BoundedCache<string, ModelSerializer>(MOST_KEPT)
  made.set(serializer, cache)
  const others = expandedBy(serializer, choice, { expand, user })
  const paths = fields === '' ? undefined : pathsOf(fields)
  const key = [...others].map(([name, other]) => `${name}:${numberOf(other)}`).join()
  return cache.get(paths ? `${key} ${paths.text}` : key, () => {
    const all = expandedFields(serializer, others)
    return withFields(serializer, paths ? narrowed(all, paths.tree, '') : all)
  })
}

/** The serializers of the related records that a request expands, by the field's name in JSON. @throws ValidationError */
function expandedBy(
  { fields }: Shown,
  { expandable }: ResourceChoice,
  { expand, user }: Omit<Chosen, 'fields'>,
): ResourceChoice['expandable'] {
  const expanded = expand === '' ? [] : [...new Set(expand.split(',').map(name => name.trim()))].sort()
  // A field that this reader does not see cannot be expanded either.
  const shown = new Set(fields.filter(isReadable).map(({ wire }) => wire))
  const offered = [...expandable.keys()].filter(name => shown.has(name))
  const stranger = expanded.find(name => !offered.includes(name))
  if (stranger !== undefined) throw new ValidationError({ [EXPAND]: [unknownField(stranger, offered)] })
  return new Map(expanded.map(name => [name, forUser(expandable.get(name) as ModelSerializer, user)]))
}

function unknownField(name: string, known: readonly string[]) {
  const meant = nearest(name.slice(0, 60), known)
  const hint =
    meant === undefined ? message('hint.names', { names: known }) : message('hint.did_you_mean', { name: meant })
  return message('unknown_field.shown', { name: name.slice(0, 60), hint })
}

/** The chosen names at each level. An empty level means the whole field. */
interface Tree extends Map<string, Tree> {}

interface ChosenPaths {
  readonly tree: Tree
  /** The cache key: equal choices have equal texts. */
  readonly text: string
}

/** A path below another chosen path is left out: the whole field shows it. */
function pathsOf(fields: string): ChosenPaths {
  const tree: Tree = new Map()
  // In this order, `author` comes before `author.name`.
  const paths = [...new Set(fields.split(',').map(path => path.trim()))].sort()
  return { tree, text: paths.filter(path => addPath(tree, path)).join() }
}

/** Returns false if the whole field is chosen already. */
function addPath(tree: Tree, path: string): boolean {
  let at = tree
  for (const name of path.split('.')) {
    const known = at.get(name)
    if (known?.size === 0) return false
    const next: Tree = known ?? new Map()
    at.set(name, next)
    at = next
  }
  return true
}

/** @throws ValidationError for a name that no readable field has */
function narrowed(fields: readonly SerializerField[], tree: Tree, place: string): readonly SerializerField[] {
  const readable = fields.filter(isReadable)
  const names = readable.map(({ wire }) => wire)
  const stranger = [...tree.keys()].find(name => !names.includes(name))
  if (stranger !== undefined) {
    throw new ValidationError({
      [FIELDS]: [
        unknownField(
          place + stranger,
          names.map(name => place + name),
        ),
      ],
    })
  }
  return readable.flatMap(field => {
    const below = tree.get(field.wire)
    if (!below) return []
    return below.size === 0 ? [field] : [narrowedField(field, below, `${place}${field.wire}.`)]
  })
}

function narrowedField(field: SerializerField, tree: Tree, place: string): SerializerField {
  const serializer = nestedSerializer(field)
  if (!serializer) return narrowedToNothing(tree, place)
  const inner = withFields(serializer, narrowed(serializer.fields, tree, place))
  return field.kind === 'many' ? { ...field, serializer: inner } : withNested(field, inner)
}

function nestedSerializer(field: SerializerField): ModelSerializer | undefined {
  if (field.kind === 'many') return field.read === 'data' ? field.serializer : undefined
  return field.kind === 'stored' && field.nested?.read === 'data' ? field.nested.serializer : undefined
}

function narrowedToNothing(tree: Tree, place: string): never {
  const [name = ''] = tree.keys()
  throw new ValidationError({ [FIELDS]: [unknownField(place + name, [place.slice(0, -1)])] })
}

function withNested(field: SerializerField, serializer: ModelSerializer): SerializerField {
  if (field.kind !== 'stored' || !field.nested) return field
  return { ...field, nested: { ...field.nested, serializer } }
}

/** The fields of a serializer with whole related records in place of identifiers. */
export function expandedFields({ fields }: Shown, expanded: ResourceChoice['expandable']): readonly SerializerField[] {
  return fields.map(field => {
    const other = expanded.get(field.wire)
    return other ? expandedField(field, other) : field
  })
}

function expandedField(field: SerializerField, serializer: ModelSerializer): SerializerField {
  if (field.kind === 'many') return { ...field, read: 'data', serializer }
  if (field.kind !== 'stored') return field
  const relation = field.relation ?? plainRelation(field.column)
  return relation ? { ...field, nested: { ...relation, read: 'data', serializer } } : field
}

/** The relation of a foreign key that the serializer shows as it is. */
function plainRelation({ references }: Extract<SerializerField, { kind: 'stored' }>['column']): ToOneRelation | null {
  if (!references) return null
  const none = { scope: undefined, fixedValues: undefined, serializer: undefined, str: undefined } as const
  const sides = { write: 'id', read: 'id', scopeReads: false, output: undefined, input: undefined } as const
  return { target: references.column, model: modelInfo(references.target), ...none, ...sides }
}

/** The query parameters of a choice. */
export function choiceParameters({ isSparse, expandable }: ResourceChoice): QueryParameters {
  const names = [...expandable.keys()]
  return {
    ...(isSparse && {
      [FIELDS]: {
        type: 'array',
        items: { type: 'string' },
        description: 'The fields to show, with points for those of nested records: `id,author.name`. Default: all.',
      },
    }),
    ...(names.length > 0 && {
      [EXPAND]: {
        type: 'array',
        items: { type: 'string', enum: names },
        description: 'The fields that show the whole related record.',
      },
    }),
  }
}

/** The query parameter that chooses the columns of a file; none for a resource without `sparseFields`. */
export function fileParameters(choice: ResourceChoice | undefined): QueryParameters {
  if (!choice?.isSparse) return {}
  return {
    [FIELDS]: {
      type: 'array',
      items: { type: 'string' },
      description:
        'The fields whose columns the file has, in the order of the record: `id,title`. Default: the standard columns.',
    },
  }
}

/** The schema of a record of which a client can choose the fields. */
export function chosenSchema(serializer: ModelSerializer, { isSparse, expandable }: ResourceChoice): JsonSchema {
  const { properties, required, examples: _, title, ...schema } = serializer.outputSchema()
  const shown = Object.entries(Object(properties) as Record<string, JsonSchema>).map(([name, own]) => {
    const field = serializer.fields.find(({ wire }) => wire === name)
    const nested = field && isSparse ? nestedSerializer(field) : undefined
    const shown = field && nested ? nestedSchema(field, partOf(nested, isSparse)) : own
    const expanded = expandable.get(name)
    const whole = field && expanded && nestedSchema(field, partOf(expanded, isSparse))
    return [name, whole ? { anyOf: [shown, whole] } : shown] as const
  })
  return {
    ...schema,
    title: `Chosen${title}`,
    properties: Object.fromEntries(shown),
    ...(!isSparse && { required }),
  }
}

/** The schema of a nested record, of which a client can choose the fields, too. */
function partOf(serializer: ModelSerializer, isSparse: boolean): JsonSchema {
  return isSparse ? chosenSchema(serializer, { isSparse, expandable: new Map() }) : serializer.outputSchema()
}

function nestedSchema(field: SerializerField, record: JsonSchema): JsonSchema {
  if (field.kind === 'many') return listSchema(record)
  const isAlways = field.kind === 'stored' && !field.column.nullable && !field.nested?.scopeReads
  return isAlways ? record : orNull(record)
}

/** Whether a client can choose what an action shows. */
export function isChosen(action: string, isCustom: boolean): boolean {
  return !isCustom && READING.includes(action)
}
