import { is, SQL } from 'drizzle-orm'
import { type ColumnInfo, type ModelInfo, modelInfo } from '../../model/model-info.ts'
import type { SerializerField } from '../../serializer/fields.ts'
import { dependsOnUser, forUser, wholeOf } from '../../serializer/for-user.ts'
import type { ModelSerializer } from '../../serializer/model-serializer.ts'
import { GenericViewSet } from '../generic-viewset.ts'
import { makeView } from '../make-view.ts'
import type { AnyResourceClass } from '../mixin.ts'
import { choiceKey, type ResourceChoice } from './choice-setting.ts'
import { expandedFields } from './chosen-fields.ts'
import { type Shown, shownParts } from './shown-parts.ts'

/** The fields that another serializer of the resource shows, and none of this reader's does. Expanded records count. */
export interface HiddenFields {
  readonly isEmpty: boolean
  /** The hidden columns of the resource's model. */
  readonly columns: ReadonlySet<ColumnInfo>
  /** Whether a path, in names of code, leads to or through a hidden field: `salary`, `author__salary`. */
  hidesPath(path: string): boolean
  /** Whether an expression is a hidden field or contains a hidden column of the model. */
  hidesSql(expression: SQL): boolean
}

const NOTHING: HiddenFields = { isEmpty: true, columns: new Set(), hidesPath: () => false, hidesSql: () => false }

/** Views of an operator, who may read everything. */
const operators = new WeakSet<GenericViewSet>()

export function hideNothing(view: GenericViewSet): GenericViewSet {
  operators.add(view)
  return view
}

/** Whether an operator of the command line asks, whose permissions are those of the machine. */
export function isOperator(view: GenericViewSet): boolean {
  return operators.has(view)
}

/** A serializer for lists may be shorter than the one for records. The reader then reads both. */
const READING = ['list', 'retrieve']

/** The fields that the view's reader may not read. A resource with one serializer for all users hides nothing. */
export function hiddenFields(view: GenericViewSet): HiddenFields {
  const { serializer, serializers = [] } = view.config
  const isStandard = view.getSerializer === GenericViewSet.prototype.getSerializer
  const expanded = expandedFor(view)
  if ((isStandard && serializers.length < 2 && !expanded) || operators.has(view)) return NOTHING
  const current = view.getSerializer()
  const others = isStandard ? [] : READING.map(action => readerFor(view, action) ?? current)
  const readers = [current, ...others]
  // `getSerializer` may return one that the resource does not name.
  const all = [...new Set([serializer, ...serializers, ...readers.map(wholeOf)])]
  return hiddenFrom({ readers, all, expanded }, view)
}

/** The serializers of expanded records as the reader sees them; `undefined` if all users see the same. */
function expandedFor({ definition, user }: GenericViewSet): ResourceChoice['expandable'] | undefined {
  const expandable = [...(choiceKey.of(definition)?.expandable ?? [])]
  if (!expandable.some(([, serializer]) => dependsOnUser(serializer))) return undefined
  return new Map(expandable.map(([name, serializer]) => [name, forUser(serializer, user)]))
}

/** A view is made for the other action, since `getSerializer` may read the action. */
function readerFor(view: GenericViewSet, action: string): ModelSerializer | undefined {
  const Resource = view.constructor as AnyResourceClass
  if (view.action === action || !(action in view)) return undefined
  const { registered, request, user, database, settings } = view
  const context = { ...registered, request, user, database, settings, action, method: 'GET', spec: undefined }
  try {
    return makeView(Resource, { ...context, writes: false }).getSerializer()
  } catch {
    // A serializer that is refused for the other action shows nothing more.
    return undefined
  }
}

interface Known extends WeakMap<object, Known> {
  hidden?: HiddenFields
}

const known: Known = new WeakMap()

interface Compared {
  readonly readers: readonly ModelSerializer[]
  readonly all: readonly ModelSerializer[]
  readonly expanded: ResourceChoice['expandable'] | undefined
}

function hiddenFrom(compared: Compared, { definition }: GenericViewSet): HiddenFields {
  const { readers, expanded } = compared
  let at = known
  for (const key of [definition, ...readers, ...(expanded?.values() ?? [])]) {
    const next: Known = at.get(key) ?? new WeakMap()
    at.set(key, next)
    at = next
  }
  at.hidden ??= make(compared, choiceKey.of(definition)?.expandable)
  return at.hidden
}

function make(
  { readers, all, expanded }: Compared,
  expandable: ResourceChoice['expandable'] = new Map(),
): HiddenFields {
  const own = [...new Set(readers)]
  const everyone = [...new Set([...all, ...readers])]
  const isSame =
    own.length === everyone.length && [...(expanded ?? [])].every(([key, one]) => expandable.get(key) === one)
  if (isSame) return NOTHING
  const { info } = own[0] as ModelSerializer
  const shownToReader = withExpanded(own, expanded)
  const shownToAll = withExpanded(everyone, expanded && expandable)
  const isLess = (path: readonly string[]) => mostShown(shownToReader, path) < mostShown(shownToAll, path)
  const columns = new Set([...info.byKey.values()].filter(({ key }) => isLess([key])))
  const stored = new Set<unknown>([...columns].map(({ column }) => column))
  const expressions = new Set(
    everyone.flatMap(({ fields }) => fields).flatMap(field => (field.kind === 'expression' ? [field] : [])),
  )
  const hidden = new Set([...expressions].filter(({ key }) => isLess([key])).map(({ expression }) => expression))
  return {
    isEmpty: false,
    columns,
    hidesPath(path) {
      const parts = path.split('__')
      return isLess(parts) || leadsTo({ model: info, fields: everyone.flatMap(({ fields }) => fields) }, parts, columns)
    },
    hidesSql: expression => hidden.has(expression) || contains(expression, stored),
  }
}

/** A client can expand a record or leave it as it is, so both forms count. */
function withExpanded(
  serializers: readonly ModelSerializer[],
  expanded: ResourceChoice['expandable'] | undefined,
): readonly Shown[] {
  if (!expanded) return serializers
  return serializers.flatMap(serializer => [serializer, { fields: expandedFields(serializer, expanded) }])
}

interface Place {
  readonly model: ModelInfo
  /** The fields of all serializers that show a record of this place. */
  readonly fields: readonly SerializerField[]
}

/** A path can come back to the model, as in `manager__salary` or `reports__salary`. */
function leadsTo(start: Place, path: readonly string[], columns: ReadonlySet<ColumnInfo>): boolean {
  let at: Place | undefined = start
  return path.some(name => {
    const column: ColumnInfo | undefined = at?.model.byKey.get(name)
    at = at && nextPlace(at, name, column)
    return column !== undefined && columns.has(column)
  })
}

function nextPlace({ fields }: Place, name: string, column: ColumnInfo | undefined): Place | undefined {
  const relations = fields.filter(field =>
    field.kind === 'stored' ? column !== undefined && field.column === column : field.key === name,
  )
  const serializers = relations.map(field => {
    if (field.kind === 'many') return field.serializer
    return field.kind === 'stored' ? field.relation?.serializer : undefined
  })
  const many = relations.find(field => field.kind === 'many')
  const model = many?.relation.model ?? (column?.references && modelInfo(column.references.target))
  return model ? { model, fields: serializers.flatMap(serializer => serializer?.fields ?? []) } : undefined
}

function contains(part: unknown, columns: ReadonlySet<unknown>): boolean {
  if (Array.isArray(part)) return part.some(item => contains(item, columns))
  return columns.has(part) || (is(part, SQL) && contains(part.queryChunks, columns))
}

function mostShown(serializers: readonly Shown[], path: readonly string[]): number {
  return Math.max(...serializers.map(serializer => shownParts(serializer, path)))
}
