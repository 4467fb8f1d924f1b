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

/** The properties of a view that filters can read. */
export interface FilterView {
  readonly user: User | null
  readonly action: string
  /** The settings of the API. */
  readonly settings: ApiSettings
}

/**
 * Filters or orders a list by the request, as DRF's filter backends do. A list passes through all filters of its
 * resource in sequence.
 *
 * Put values of the request into parameters of `sql`, never into its text.
 *
 * @example
 * const OpenNow: FilterBackend = {
 *   queryParameters: { open: { type: 'boolean', description: 'Only shops that are open now.' } },
 *   filterQueryset: (request, queryset) =>
 *     request.query.open === undefined ? queryset : queryset.filter(sql`${shops.opensAt} <= current_time`),
 * }
 */
export interface FilterBackend {
  /** The query parameters that it reads. Two filters of a resource cannot share one. */
  readonly queryParameters: QueryParameters
  filterQueryset(request: ApiRequest, queryset: QuerySet, view: FilterView): QuerySet | Promise<QuerySet>
}

/**
 * The types of each filter's settings, by the filter's name: of the model `M` and the serializer `S`. Each filter's file adds its entry, also in other packages.
 *
 * @example
 * declare module 'viewset' {
 *   interface FilterTypes<M extends Model, S> {
 *     NearFilter: { readonly nearField?: FieldPath<M> }
 *   }
 * }
 */
export interface FilterTypes<M extends Model, S> {}

type UnionToIntersection<U> = (U extends unknown ? (x: U) => void : never) extends (x: infer I) => void ? I : never

/** The settings of all filters. */
export type AllFilterSettings<M extends Model, S = ModelSerializer> = UnionToIntersection<
  FilterTypes<M, S>[keyof FilterTypes<M, S>]
>

/** The argument of a filter's constructor, called once for each resource. */
export interface FilterContext {
  /** The resource's name in a `ConfigError`. */
  readonly subject: string
  readonly model: ModelInfo
  readonly serializer: ModelSerializer
  readonly settings: AllFilterSettings<Model>
}

/** A filter's class. `settings` holds the rules of the settings that it reads. */
export interface FilterBackendClass {
  new (context: FilterContext): FilterBackend
  readonly name: string
  readonly settings?: SettingRules
}

/** An entry of `filterBackends`: a filter, or a class that becomes one with the resource's settings. */
export type FilterSource = FilterBackend | FilterBackendClass

/** A setting that is a list of names. @throws ConfigError for a single text, which would be read letter by letter. */
export function listOf(subject: string, setting: string, value: unknown): readonly string[] {
  if (Array.isArray(value)) return value
  throw new ConfigError(subject, setting, `must be a list${typeof value === 'string' ? `: ["${value}"]` : ''}`)
}
