import type { User } from '../core/context.ts'
import { ConfigError } from '../core/errors.ts'
import type { ApiRequest } from '../core/request.ts'
import type { SettingRules } from '../core/setting-rules.ts'
import type { ApiSettings } from '../core/settings.ts'
import type { Model } from '../model/kit.ts'
import type { ModelInfo } from '../model/model-info.ts'
import type { ModelSerializer } from '../serializer/model-serializer.ts'
import type { QuerySet } from '../store/queryset.ts'
import type { QueryParameters } from './query-parameters.ts'

/** What a filter may look at beside the request. */
export interface FilterView {
  readonly user: User | null
  readonly action: string
  /** The settings that the API was registered with. */
  readonly settings: ApiSettings
}

/**
 * Narrows or orders a list by the request, as DRF's filter backends do. A list passes through all of its resource's,
 * one after the other.
 *
 * Whatever comes from the request belongs into a parameter of `sql`, never into its text.
 *
 * @example
 * const OpenNow: FilterBackend = {
 *   queryParameters: { open: { type: 'boolean', description: 'Only shops that are open now.' } },
 *   filterQueryset: (request, queryset) =>
 *     request.query.open === undefined ? queryset : queryset.filter(sql`${shops.opensAt} <= current_time`),
 * }
 */
export interface FilterBackend {
  /** The query parameters that it reads; no two filters of a resource read the same one. */
  readonly queryParameters: QueryParameters
  filterQueryset(request: ApiRequest, queryset: QuerySet, view: FilterView): QuerySet | Promise<QuerySet>
}

/**
 * The types of the settings that each filter reads, by the filter's name. A filter's own file adds its entry, in this
 * package as in any other.
 *
 * @example
 * declare module 'viewset' {
 *   interface FilterTypes<M extends Model> {
 *     NearFilter: { readonly nearField?: FieldPath<M> }
 *   }
 * }
 */
export interface FilterTypes<M extends Model> {}

type UnionToIntersection<U> = (U extends unknown ? (x: U) => void : never) extends (x: infer I) => void ? I : never

/** The settings of all filters together. */
export type AllFilterSettings<M extends Model> = UnionToIntersection<FilterTypes<M>[keyof FilterTypes<M>]>

/** What a filter's class is made with, once for each resource. */
export interface FilterContext {
  /** Names the resource in a `ConfigError`. */
  readonly subject: string
  readonly model: ModelInfo
  readonly serializer: ModelSerializer
  readonly settings: AllFilterSettings<Model>
}

/** A filter's class; `settings` says what the value of each setting that it reads must be. */
export interface FilterBackendClass {
  new (context: FilterContext): FilterBackend
  readonly name: string
  readonly settings?: SettingRules
}

/** What `filterBackends` takes: filters, and classes that become one with the resource's settings. */
export type FilterSource = FilterBackend | FilterBackendClass

/** A setting that is a list of names. @throws ConfigError for one name that stands alone, whose letters would be read. */
export function listOf(subject: string, setting: string, value: unknown): readonly string[] {
  if (Array.isArray(value)) return value
  throw new ConfigError(subject, setting, `must be a list${typeof value === 'string' ? `: ["${value}"]` : ''}`)
}
