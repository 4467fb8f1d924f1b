import type { SQL } from 'drizzle-orm'
import { ConfigError } from '../core/errors.ts'
import { suggestion } from '../core/suggestion.ts'
import type { ExportSettings } from '../exporting/export-service.ts'
import type { Model } from '../model/kit.ts'
import { modelInfo } from '../model/model-info.ts'
import type { FilterContext, FilterSource } from '../query/filter-backend.ts'
import { filterBackends } from '../query/filter-backends.ts'
import { Pagination, type PaginationClass, StandardPageNumberPagination } from '../query/pagination.ts'
import type { CheckScope } from '../records/check-scope.ts'
import { isReadable } from '../serializer/fields.ts'
import type { ModelSerializer } from '../serializer/model-serializer.ts'
import type { Values } from '../store/write.ts'
import type { ActionSpec } from './actions.ts'
import { checkBulkSettings } from './bulk/settings.ts'
import { checkActionValues, checkValues } from './check-values.ts'
import { exporterOf } from './exporter.ts'
import type { ResourceDefinition } from './generic-viewset.ts'
import { type ImportSettings, importersOf } from './import/importer.ts'
import { type Mixin, settingOwner } from './mixin.ts'
import type { PermissionClass } from './permissions.ts'

/** A resource's configuration as the implementation reads it; `Config` in types.ts is the typed face of it. */
export interface ResourceConfig extends ListSettings, ExportSettings, ImportSettings {
  readonly model: Model
  readonly serializer: ModelSerializer
  readonly permissionClasses: readonly PermissionClass[]
  readonly queryset?: (view: never) => SQL | undefined
  readonly fixedValues?: (view: never) => Values
  readonly checkScope?: CheckScope
  readonly actions?: Readonly<Record<string, ActionSpec>>
  readonly filterBackends?: readonly FilterSource[]
  readonly appendIndexes?: boolean
  readonly paginationClass?: PaginationClass | null
  readonly allowUnpaginated?: boolean | PermissionClass
  readonly returnDataOnCreate?: boolean
  readonly returnDataOnUpdate?: boolean
  readonly destroyStatus?: 200 | 204
  readonly bulkBatchSize?: number
  readonly useSaveOnBulkUpdate?: boolean
  readonly bulkUpsert?: { readonly uniqueFields: readonly string[] }
  readonly bulkRestore?: boolean | { readonly queryset: (view: never) => SQL | undefined }
  readonly exportPermissionClasses?: readonly PermissionClass[]
  readonly importPermissionClasses?: readonly PermissionClass[]
  readonly allowExportData?: boolean
}

/** The settings that filters read. */
type ListSettings = FilterContext['settings']

const BASE_SETTINGS = ['model', 'serializer', 'permissionClasses', 'queryset', 'fixedValues', 'checkScope', 'actions']
const ACTION_SETTINGS = [
  'method',
  'detail',
  'path',
  'status',
  'queryset',
  'permissionClasses',
  'input',
  'output',
  'handler',
]
const METHODS = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE']

/**
 * Checks a resource's configuration and prepares what all of its requests share. The types refuse most mistakes
 * already; this is for those that pass them (a spread, plain JavaScript).
 *
 * @throws ConfigError naming the resource, the setting and what to write instead.
 */
export function defineResource(mixins: readonly Mixin[], config: ResourceConfig): ResourceDefinition {
  const subject = `resource of "${describeModel(config.model)}"`
  const info = modelInfo(config.model)
  checkSettings(subject, mixins, Object.keys(config))
  if (config.serializer?.model !== config.model) {
    throw new ConfigError(
      subject,
      'serializer',
      "is not a serializer of the resource's model; make it with BaseModelSerializer(model, ...)",
    )
  }
  if (!Array.isArray(config.permissionClasses) || config.permissionClasses.length === 0) {
    throw new ConfigError(subject, 'permissionClasses', 'is required; say [AllowAny] if everyone may use the resource')
  }
  checkValues(subject, config)
  refuseIndex(subject, mixins, config)
  for (const [name, action] of Object.entries(config.actions ?? {})) checkAction(subject, name, action)
  checkBulkSettings(subject, info, config)
  const { paginationClass = StandardPageNumberPagination } = config
  const pagination = paginationClass === null ? null : new paginationClass()
  if (pagination && !(pagination instanceof Pagination)) {
    throw new ConfigError(subject, 'paginationClass', 'must extend Pagination or one of the classes that do')
  }
  const context: FilterContext = { subject, model: info, serializer: config.serializer, settings: config }
  // A resource without pages of its own still gives those of the standard class to whoever asks for them.
  const taken = ['paginated', ...(pagination ?? new StandardPageNumberPagination()).queryParameters]
  return {
    config,
    filters: filterBackends(context, taken, config.filterBackends),
    pagination,
    exporter: exporterOf(subject, config),
    importers: mixins.some(({ settings }) => settings.includes('importFileConfig'))
      ? importersOf(subject, config)
      : undefined,
  }
}

/** @throws ConfigError for what a kind of ViewSet cannot have a default for. */
export function checkDefaults(mixins: readonly Mixin[], defaults: Partial<ResourceConfig>): void {
  const subject = 'defaults of a viewset'
  for (const setting of Object.keys(defaults)) {
    if (BASE_SETTINGS.includes(setting)) throw new ConfigError(subject, setting, 'is for each resource to say')
  }
  checkSettings(subject, mixins, Object.keys(defaults))
  checkValues(subject, defaults)
}

function describeModel(model: unknown): string {
  if (typeof model !== 'object' || model === null)
    throw new ConfigError('resource', 'model', 'is required; give a table')
  return modelInfo(model as Model).name
}

function checkSettings(subject: string, mixins: readonly Mixin[], settings: readonly string[]): void {
  const known = [...BASE_SETTINGS, ...mixins.flatMap(mixin => mixin.settings)]
  for (const setting of settings) {
    if (known.includes(setting)) continue
    const owner = settingOwner(setting)
    throw new ConfigError(
      subject,
      setting,
      owner ? `needs ${owner}, which this viewset does not include` : `unknown setting${suggestion(setting, known)}`,
    )
  }
}

/** An item of a list cannot have two values of one name. */
function refuseIndex(subject: string, mixins: readonly Mixin[], { serializer, appendIndexes = true }: ResourceConfig) {
  const appends = appendIndexes && mixins.some(mixin => mixin.settings.includes('appendIndexes'))
  if (!appends || !serializer.fields.some(field => field.wire === 'index' && isReadable(field))) return
  const problem =
    'the serializer has a field "index", which the position in a list would hide; name it otherwise, or set'
  throw new ConfigError(subject, 'appendIndexes', `${problem} appendIndexes: false`)
}

function checkAction(subject: string, name: string, action: ActionSpec): void {
  const key = `actions.${name}`
  for (const setting of Object.keys(action)) {
    if (!ACTION_SETTINGS.includes(setting)) {
      throw new ConfigError(subject, key, `unknown setting "${setting}"${suggestion(setting, ACTION_SETTINGS)}`)
    }
  }
  if (!METHODS.includes(action.method)) {
    throw new ConfigError(subject, key, `method must be one of ${METHODS.join(', ')}`)
  }
  if (action.path !== undefined && !/^[^\s/?#]+(\/[^\s/?#]+)*$/.test(action.path)) {
    throw new ConfigError(subject, key, `path "${action.path}" must be a part of a path, without a slash at either end`)
  }
  checkActionValues(subject, key, action)
}
