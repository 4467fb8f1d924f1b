import type { SQL } from 'drizzle-orm'
import type { User } from '../core/context.ts'
import type { ApiRequest } from '../core/request.ts'
import type { ApiSettings } from '../core/settings.ts'
import type { Jobs } from '../jobs/jobs.ts'
import type { FieldName, Model, SoftDeletable } from '../model/kit.ts'
import type { ModelRecord } from '../records/record.ts'
import type { RecordList } from '../records/record-list.ts'
import type { CheckScope } from '../records/write-records.ts'
import type {
  ModelSerializer,
  SerializerData,
  SerializerInput,
  SerializerOutput,
} from '../serializer/model-serializer.ts'
import type { Database } from '../store/connection/database.ts'
import type { DrizzleDatabase } from '../store/connection/transaction.ts'
import type { QuerySet } from '../store/queryset.ts'
import type { Values } from '../store/write/write.ts'
import type { ActionSpec, ActionSpecs, WrittenActions } from './actions.ts'
import type { ListPage, Reply } from './answer/reply.ts'
import type { BulkChange } from './bulk/change.ts'
import type { ResourceDescription } from './description/route-description.ts'
import type { KnownParameters, UnknownParameters } from './endpoints/known-parameters.ts'
import type { KeyStore } from './idempotency/key-store.ts'
import type { MappingStore } from './mappings/mapping-store.ts'
import type { ParentOptions } from './parent/parent-setting.ts'
import type { PermissionClass, PermissionView } from './permissions.ts'
import type { ResourceIsolation } from './resource/resource.ts'
import type { TenantOptions } from './tenant/tenant-setting.ts'

/** The view that every action of a resource gets (DRF's `GenericViewSet`). Each method can be overridden. */
export interface ResourceView<M extends Model, S> {
  readonly model: M
  readonly user: User | null
  readonly action: PermissionView['action']
  readonly method: string
  readonly request: ApiRequest
  readonly query: ApiRequest['query']
  /** The settings that the API was registered with. */
  readonly settings: ApiSettings
  readonly database: Database
  /** A Drizzle database on the request's transaction. */
  readonly db: DrizzleDatabase
  /** Whether all writes of the action are one transaction: not so for a read, an export or an import. */
  readonly writes: boolean
  /** Whether the action undoes an import. A hook can hold back what only a change by a person needs, such as a mail. */
  readonly isUndo: boolean
  /** The records that this request may see. */
  getQueryset(): Promise<QuerySet>
  /** Narrows and orders the records of a list by the request. */
  filterQueryset(queryset: QuerySet): Promise<QuerySet>
  getSerializer(): ModelSerializer
  /** The record that the path names. @throws NotFound */
  getObject(): Promise<ModelRecord<M>>
  /** Runs before every action and checks the permissions. */
  initial(): Promise<void>
  /** Runs after every successful action, in its transaction: an error undoes the writes. May change the answer. */
  finalize(reply: Reply): Reply | Promise<Reply>
  checkPermissions(): Promise<void>
  checkObjectPermissions(record: ModelRecord<M>): Promise<void>
  /** The values of the request's body. @throws ValidationError */
  validate(options?: { readonly record?: ModelRecord<M>; readonly partial?: boolean }): Promise<SerializerInput<S>>
  /** The values of many items. @throws ValidationError with the errors of all of them, by index */
  validateMany(
    items: readonly { readonly input: unknown; readonly record?: ModelRecord<M> }[],
    options?: { readonly partial?: boolean },
  ): Promise<SerializerInput<S>[]>
  /**
   * Encloses each write of the resource, in its transaction: of one record or of many, also of an upsert and an
   * import. `next` performs it and returns the written records, in the order of the plan. An error undoes the write.
   * It can run several times for one record, so effects outside of the database belong in `onCommit`.
   */
  write(
    plan: WritePlan<M, SerializerInput<S>>,
    next: (plan: WritePlan<M, SerializerInput<S>>) => Promise<RecordList<M>>,
  ): Promise<RecordList<M>>
  /** The JSON of many records, in their order. */
  serializeMany(records: RecordList<M>): Promise<ListPage<SerializerData<S>>>
  /** The stored record with its relations, in the form of JSON. */
  serialize(record: ModelRecord<M>): Promise<SerializerData<S>>
}

/** The settings that every resource has. `W` is inferred from its actions. */
export interface BaseConfig<M extends Model, S extends ModelSerializer<M>, W extends WrittenActions = WrittenActions> {
  /** The table of the records. */
  readonly model: M
  /** The fields that a client reads and writes. */
  readonly serializer: S
  /**
   * The serializers that `getSerializer` may return, including `serializer`. The description of the API then lists all
   * of them. Default: it describes the serializer of an anonymous request.
   */
  readonly serializers?: readonly ModelSerializer<M>[]
  /** Who may use the resource. There is no default, so `[AllowAny]` has to be written as well. */
  readonly permissionClasses: readonly PermissionClass<ModelRecord<M>>[]
  /**
   * The condition of the resource's records: `() => eq(visits.isActive, true)`. `allRecords` returns all. Default:
   * all.
   */
  readonly queryset?: (view: ResourceView<M, S>) => SQL
  /**
   * Whether a written record must still be in the resource's `queryset`: `'create'` for new records, `'always'` for
   * changed ones as well, `'never'`. Default `'create'`.
   */
  readonly checkScope?: CheckScope
  /**
   * Whether a delete keeps the row and marks it as deleted, also a bulk delete, a deletion by an import and an undo. No
   * action then finds soft-deleted records, except for a restore. The model needs `SoftDeleteMixin()`. Default false.
   *
   * @example
   * BaseViewSet.add(RestoreModelMixin)({ ...config, softDelete: true })
   */
  readonly softDelete?: M extends SoftDeletable ? boolean : false
  /**
   * Who may see soft-deleted records, by `?deleted=only` in a list and a retrieve. Their `ETag` and `_etag` are those
   * that a restore with `requireIfMatch` needs. It needs `softDelete`. Default: no user, and the parameter is unknown.
   */
  readonly deletedPermissionClasses?: M extends SoftDeletable ? readonly PermissionClass[] : never
  /**
   * The field whose value names a record in paths, such as a slug: `/articles/{slug}/`. It must be unique, at least
   * within the `tenant` and among the records of the `queryset`. A custom action with a `queryset` of its own takes the
   * primary key, too. Default: the primary key.
   */
  readonly lookupField?: FieldName<M>
  /**
   * Whether the resource is one record, such as the user's own account at `/me/`. Its paths have no identifier: the
   * record is the only one of `queryset`. Default false.
   */
  readonly singleton?: boolean
  /** Whether `?fields=id,author.name` narrows what a list and a retrieve show. Default false. */
  readonly sparseFields?: boolean
  /**
   * The related records that `?expand=country` shows as a whole in a list and a retrieve, each with its serializer.
   *
   * @example
   * expandableFields: { country: CountrySerializer }
   */
  readonly expandableFields?: { readonly [K in keyof SerializerOutput<S>]?: ModelSerializer }
  /**
   * The tenant to which the records belong: `{ column, of: view => ... }`, once for a project by
   * `BaseViewSet.with({ tenant })`. A request sees only the records of its tenant, and new ones belong to it. Without a
   * tenant the answer is 403. `false` means that the records belong to all tenants.
   *
   * @example
   * const ProjectViewSet = BaseViewSet.with({ tenant: { column: 'tenant', of: ({ user }) => user?.tenant } })
   */
  readonly tenant?: TenantOptions | false
  /**
   * The parent in the path of a nested route, `'countries/:country/cities': CityOfCountry`. A request sees only the
   * records of that parent, and new ones belong to it. A parent that does not exist is a 404.
   *
   * @example
   * parent: { field: 'country', lookupField: 'code' }
   */
  readonly parent?: ParentOptions<M>
  /**
   * The answer to an unknown parameter: `'refuse'` answers 400 and names it, `'ignore'` does what DRF does. Default:
   * the API's setting, else `'refuse'`.
   */
  readonly unknownParameters?: UnknownParameters
  /**
   * The field that counts the changes of a record: an integer or a timestamp, such as the `version` of
   * `VersionMixin()`. Answers then have an `ETag`, and `If-Match` refuses to overwrite a record that has changed since
   * the client read it (RFC 9110, 13.1.1). Every write by Viewset increases it.
   */
  readonly version?: FieldName<M>
  /** Whether PUT, PATCH, DELETE and bulk changes need `If-Match` or `_etag`; otherwise the answer is 428. Default false. */
  readonly requireIfMatch?: boolean
  /** Whether items of lists and bulk answers have their tag as `_etag`. Default false. */
  readonly appendEtags?: boolean
  /** `Cache-Control` of answers with an `ETag`. Default `no-store`. */
  readonly cacheControl?: string
  /**
   * Whether a POST or PATCH with an `Idempotency-Key` is carried out once. For 24 hours, it gets the first answer again:
   * `true` for all of them, also custom actions and imports, or the names of actions. Needs the option `idempotency` of
   * the API. Default false: the header is ignored.
   */
  readonly idempotency?: boolean | readonly string[]
  /**
   * Which transactions are serializable: those of all actions that write, or of the named ones. The result is then that
   * of requests one after the other, and after a conflict the action runs again, up to ten times. An import begins its
   * own transactions. Default: the database's usual isolation, with locks of the written records.
   */
  readonly isolation?: ResourceIsolation
  /** The name of one record in the API's description, such as `city`. Default: by the resource's path. */
  readonly verboseName?: string
  /** The name of several records, such as `cities`. Default: the plural of `verboseName`. */
  readonly verboseNamePlural?: string
  /** Additions to the API's description of the resource. */
  readonly describes?: ResourceDescription
  /** Custom actions by name. */
  readonly actions?: ActionSpecs<ResourceView<M, S>, W>
}

export interface Registered {
  readonly resourceName?: string | undefined
  readonly jobs?: Jobs | undefined
  /** @internal The answers of requests with a key. */
  readonly keys?: KeyStore | undefined
  /** @internal The saved mappings of imports. */
  readonly mappings?: MappingStore | undefined
  /** @internal The parameters that the action reads, if others are refused. */
  readonly parameters?: KnownParameters | undefined
}

/** The arguments of a view, which is made once for each request. */
export interface ViewContext extends Registered {
  readonly request: ApiRequest
  readonly user: User | null
  readonly database: Database
  readonly settings: ApiSettings
  readonly action: string
  /** The method to check permissions for, if it is not the request's own. */
  readonly method?: string
  /** The declaration of a custom action. */
  readonly spec?: ActionSpec | undefined
  /** Whether all writes of the action are one transaction. */
  readonly writes?: boolean
}

/**
 * A write in the hook `write`. All of its records are written, or none.
 *
 * A bulk upsert is two writes in one transaction: its updates, then its creates. So is each part of an import.
 */
export type WritePlan<M extends Model = Model, V = Values> =
  | { readonly kind: 'create'; readonly values: readonly V[] }
  | { readonly kind: 'update'; readonly changes: readonly BulkChange<ModelRecord<M>, V>[] }
  | { readonly kind: 'delete' | 'softDelete' | 'restore'; readonly records: RecordList<M> }
