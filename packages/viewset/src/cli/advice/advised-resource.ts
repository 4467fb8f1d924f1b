import { is, SQL } from 'drizzle-orm'
import { runInContext, type User } from '../../core/context.ts'
import { resolveSettings } from '../../core/settings.ts'
import { equalColumns } from '../../model/equal-columns.ts'
import { type ColumnInfo, type ModelInfo, modelInfo } from '../../model/model-info.ts'
import type { FilterBackend } from '../../query/filter-backend.ts'
import type { ModelSerializer } from '../../serializer/model-serializer.ts'
import { readQueryset } from '../../serializer/scoped.ts'
import type { Database } from '../../store/database.ts'
import { asResourceClass, checkResource } from '../../viewset/as-resource-class.ts'
import { DestroyModelMixin } from '../../viewset/mixins/destroy-model-mixin.ts'
import { FilterModelMixin } from '../../viewset/mixins/filter-model-mixin.ts'
import { ListModelMixin } from '../../viewset/mixins/list-model-mixin.ts'
import type { AnyResourceClass } from '../../viewset/resource-class.ts'
import { viewWithoutRequest } from '../../viewset/view-without-request.ts'
import type { ViewsetConfig } from '../config.ts'
import { isResource } from '../find-resource.ts'

/** What a resource's requests do to its table, as far as its declaration tells. */
export interface AdvisedResource {
  readonly name: string
  readonly model: ModelInfo
  readonly serializer: ModelSerializer
  /** The columns that its queryset holds to one value each. */
  readonly scope: readonly ColumnInfo[]
  readonly filters: readonly FilterBackend[]
  /** Whether its lists come in pages, which have an order. */
  readonly isPaginated: boolean
  /** Whether `orderingFields` says what lists may be ordered by. */
  readonly namesOrderings: boolean
  readonly writes: boolean
  /** The models whose rows it deletes. */
  readonly deletes: readonly ModelInfo[]
}

const WRITING = /^(?:Create|Update|BulkCreate|BulkUpdate|BulkUpsert|FileImport)(?:Model)?Mixin$/

/** Somebody, whatever is asked of them: a queryset is then the one of an ordinary user. */
const SAMPLE_USER: User = new Proxy<User>(
  { id: '1' },
  { get: (_, name) => (typeof name === 'string' ? '1' : undefined) },
)

/** The resources of a configuration, each once, by the names that commands take. @throws ConfigError */
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
  const has = (mixin: { readonly name: string }) => mixins.some(own => own.name === mixin.name)
  return {
    name,
    model,
    serializer: config.serializer,
    scope: scopeOf(resource, database, settings),
    filters: has(FilterModelMixin) ? FilterModelMixin.own(definition) : [],
    isPaginated: has(ListModelMixin) && ListModelMixin.own(definition).isPaginated,
    namesOrderings: Reflect.get(config, 'orderingFields') !== undefined,
    writes: mixins.some(mixin => WRITING.test(mixin.name)),
    deletes: deletedBy(resource, database, settings),
  }
}

/** The columns of the scope of an ordinary user, or else of nobody. */
function scopeOf(resource: AnyResourceClass, database: Database, given: ViewsetConfig['settings']) {
  const settings = resolveSettings(given)
  const { table, columns } = resource.definition.model
  for (const user of [SAMPLE_USER, null]) {
    const view = viewWithoutRequest(resource, database, settings, undefined, user)
    const condition = runInContext({ user, settings }, () => {
      try {
        return database.use((): unknown => view?.getScope()?.(view as never))
      } catch {
        // It asks for more than a declaration has.
        return undefined
      }
    })
    const held = is(condition, SQL) ? equalColumns(condition, table) : []
    if (held.length > 0) return columns.filter(({ name }) => held.some(column => column.name === name))
  }
  return []
}

/** A resource whose deletions only mark its records deletes no rows, but for what an import replaces. */
function deletedBy(resource: AnyResourceClass, database: Database, settings: ViewsetConfig['settings']) {
  const { definition, mixins } = resource
  const { model, config } = definition
  const view = viewWithoutRequest(resource, database, resolveSettings(settings))
  const isOwn = model.softDeletable && view !== undefined && DestroyModelMixin.overrides(view, 'performDestroy')
  const removes = mixins.some(({ name }) => name === 'DestroyModelMixin' || name === 'BulkHardDeleteModelMixin')
  const { models = {} } = (Reflect.get(config, 'importFileConfig') ?? {}) as {
    readonly models?: Readonly<Record<string, { readonly model: unknown }>>
  }
  const replaced = Object.values(models).flatMap(
    imported => readQueryset('importFileConfig', imported.model)?.model ?? [],
  )
  return [...new Set([...(removes && !isOwn ? [model] : []), ...replaced.map(modelInfo)])]
}
