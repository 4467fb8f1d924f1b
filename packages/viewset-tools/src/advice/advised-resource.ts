import { is, SQL } from 'drizzle-orm'
import {
  type ColumnInfo,
  type Database,
  DestroyModelMixin,
  type FilterBackend,
  FilterModelMixin,
  ListModelMixin,
  type ModelInfo,
  type ModelSerializer,
  type User,
  type ViewsetConfig,
} from 'viewset'
import {
  type AnyResourceClass,
  asResourceClass,
  checkResource,
  isResource,
  modelInfo,
  readQueryset,
  resolveSettings,
  runInContext,
  viewWithoutRequest,
} from 'viewset/internal'
import { equalColumns } from './equal-columns.ts'

/** The reads and writes of a resource, as far as its declaration shows them. */
export interface AdvisedResource {
  readonly name: string
  readonly model: ModelInfo
  readonly serializer: ModelSerializer
  /** The columns that its queryset compares with one value each. */
  readonly scope: readonly ColumnInfo[]
  readonly filters: readonly FilterBackend[]
  /** Pages need an order. */
  readonly isPaginated: boolean
  /** Whether `orderingFields` limits the possible orderings. */
  readonly namesOrderings: boolean
  readonly writes: boolean
  readonly deletes: readonly ModelInfo[]
}

const WRITING = /^(?:Create|Update|BulkCreate|BulkUpdate|BulkUpsert|FileImport)(?:Model)?Mixin$/

/** An ordinary user for evaluating querysets. Every property has the value "1". */
const SAMPLE_USER: User = new Proxy<User>(
  { id: '1' },
  { get: (_, name) => (typeof name === 'string' ? '1' : undefined) },
)

/** The resources of a configuration, each once, by their names on the command line. @throws ConfigError */
export function advisedResources(
  { resources, api, settings }: ViewsetConfig,
  database: Database,
): readonly AdvisedResource[] {
  const named = new Map<AnyResourceClass, string>()
  for (const [name, value] of [...Object.entries(resources), ...Object.entries(api?.resources ?? {})]) {
    if (!isResource(value)) continue
    const resource = asResourceClass(name, value)
    if (!named.has(resource)) named.set(resource, name)
  }
  return [...named].map(([resource, name]) => {
    checkResource(name, resource, database, resolveSettings(settings))
    return describe(name, resource, database, settings)
  })
}

function describe(
  name: string,
  resource: AnyResourceClass,
  database: Database,
  settings: ViewsetConfig['settings'],
): AdvisedResource {
  const { definition, mixins } = resource
  const { model, config } = definition
  const has = (mixin: { readonly name: string }) => mixins.some(candidate => candidate.name === mixin.name)
  return {
    name,
    model,
    serializer: config.serializer,
    scope: scopeOf(resource, database, settings),
    filters: has(FilterModelMixin) ? FilterModelMixin.own(definition)() : [],
    isPaginated: has(ListModelMixin) && ListModelMixin.own(definition).isPaginated,
    namesOrderings: Reflect.get(config, 'orderingFields') !== undefined,
    writes: mixins.some(mixin => WRITING.test(mixin.name)),
    deletes: deletedBy(resource, database, settings),
  }
}

/** The columns of the scope of an ordinary user, or else of a request without a user. */
function scopeOf(resource: AnyResourceClass, database: Database, given: ViewsetConfig['settings']) {
  const settings = resolveSettings(given)
  const { model, config } = resource.definition
  const { table, columns } = model
  // The scope of the setting is not part of the queryset.
  const own = columns.filter(({ key }) => config.softDelete && key === 'isActive')
  for (const user of [SAMPLE_USER, null]) {
    const view = viewWithoutRequest(resource, database, settings, undefined, user)
    const condition = runInContext({ user, settings }, () => {
      try {
        return database.use((): unknown => view?.getScope()?.(view as never))
      } catch {
        // The queryset needs more than a declaration has.
        return undefined
      }
    })
    const held = is(condition, SQL) ? equalColumns(condition, table) : []
    const isHeld = (column: ColumnInfo) => held.some(({ name }) => name === column.name)
    if (held.length > 0) return columns.filter(column => own.includes(column) || isHeld(column))
  }
  return own
}

/** A resource whose deletions only mark records deletes no rows, except when an import replaces them. */
function deletedBy(resource: AnyResourceClass, database: Database, settings: ViewsetConfig['settings']) {
  const { definition, mixins } = resource
  const { model, config } = definition
  const view = viewWithoutRequest(resource, database, resolveSettings(settings))
  const isOverridden = view !== undefined && DestroyModelMixin.overrides(view, 'performDestroy')
  const isOwn = config.softDelete === true || (model.softDeletable && isOverridden)
  const removes = mixins.some(({ name }) => name === 'DestroyModelMixin' || name === 'BulkHardDeleteModelMixin')
  const { models = {} } = (Reflect.get(config, 'importFileConfig') ?? {}) as {
    readonly models?: Readonly<Record<string, { readonly model: unknown }>>
  }
  const replaced = Object.values(models).flatMap(
    imported => readQueryset('importFileConfig', imported.model)?.model ?? [],
  )
  return [...new Set([...(removes && !isOwn ? [model] : []), ...replaced.map(modelInfo)])]
}
