import type { SQL } from 'drizzle-orm'
import type { User } from '../core/context.ts'
import type { ApiRequest } from '../core/request.ts'
import type { ApiSettings } from '../core/settings.ts'
import type { Model } from '../model/kit.ts'
import type { CheckScope } from '../records/check-scope.ts'
import type { ModelRecord } from '../records/record.ts'
import type { RecordList } from '../records/record-list.ts'
import type { ModelSerializer, SerializerData, SerializerInput } from '../serializer/model-serializer.ts'
import type { Database } from '../store/connection/database.ts'
import type { DrizzleDatabase } from '../store/connection/transaction.ts'
import type { QuerySet } from '../store/queryset.ts'
import type { ActionSpecs, WrittenActions } from './actions.ts'
import type { ResourceDescription } from './description/route-description.ts'
import type { UnknownParameters } from './endpoints/known-parameters.ts'
import type { PermissionClass } from './permissions.ts'
import type { ListPage, Reply } from './reply.ts'
import type { WritePlan } from './write/write-plan.ts'

/** What every action of a resource sees (DRF's `GenericViewSet`); each method can be overridden. */
export interface ResourceView<M extends Model, S> {
  readonly model: M
  readonly user: User | null
  readonly action: string
  readonly method: string
  readonly request: ApiRequest
  readonly query: ApiRequest['query']
  /** The settings that the API was registered with. */
  readonly settings: ApiSettings
  readonly database: Database
  /** An ordinary Drizzle database on the request's transaction. */
  readonly db: DrizzleDatabase
  /** The records that this request may see. */
  getQueryset(): Promise<QuerySet>
  /** Narrows and orders the records of a list by the request. */
  filterQueryset(queryset: QuerySet): Promise<QuerySet>
  getSerializer(): ModelSerializer
  /** The record that the path names. @throws NotFound */
  getObject(): Promise<ModelRecord<M>>
  /** Runs before every action; checks the permissions. */
  initial(): Promise<void>
  /** Runs after every successful action, in its transaction: what it throws undoes the writes. May change the answer. */
  finalize(reply: Reply): Reply | Promise<Reply>
  checkPermissions(): Promise<void>
  checkObjectPermissions(record: ModelRecord<M>): Promise<void>
  /** The values of the request's body. @throws ValidationError */
  validate(options?: { readonly record?: ModelRecord<M>; readonly partial?: boolean }): Promise<SerializerInput<S>>
  /** The values of many items. @throws ValidationError with the errors of all of them, by index. */
  validateMany(
    items: readonly { readonly input: unknown; readonly record?: ModelRecord<M> }[],
    options?: { readonly partial?: boolean },
  ): Promise<SerializerInput<S>[]>
  /**
   * Encloses each write of the resource, in its transaction: of one record or of many, also of an upsert and an import.
   * `next` performs it and returns the records that were written, in the order of the plan. What this throws undoes the
   * write. It can run several times for one record, so effects outside of the database belong in `onCommit`.
   */
  write(
    plan: WritePlan<M, SerializerInput<S>>,
    next: (plan: WritePlan<M, SerializerInput<S>>) => Promise<RecordList<M>>,
  ): Promise<RecordList<M>>
  /** Many records as the wire shows them, in their order. */
  serializeMany(records: RecordList<M>): Promise<ListPage<SerializerData<S>>>
  /** A record as the wire shows it: what is stored of it, with its relations. */
  serialize(record: ModelRecord<M>): Promise<SerializerData<S>>
}

/** The settings that every resource has; `W` is what can be read off its actions. */
export interface BaseConfig<M extends Model, S extends ModelSerializer<M>, W extends WrittenActions = WrittenActions> {
  readonly model: M
  readonly serializer: S
  /**
   * The serializers that `getSerializer` may return, `serializer` included. The description of the API then lists all of
   * them. By default, it describes the serializer that a user who is not signed in gets.
   */
  readonly serializers?: readonly ModelSerializer<M>[]
  /** Who may use the resource; the spec imposes no default, so `[AllowAny]` is said as well. */
  readonly permissionClasses: readonly PermissionClass<ModelRecord<M>>[]
  /** The resource's records, where they are not all of the model's: `() => eq(visits.isActive, true)`. `allRecords` is all of them. */
  readonly queryset?: (view: ResourceView<M, S>) => SQL
  /**
   * Whether what was written must still be among the resource's records: `'create'` for new ones, `'always'` for changed
   * ones as well, `'never'`. Default `'create'`.
   */
  readonly checkScope?: CheckScope
  /**
   * What happens to a parameter that an action does not know: `'refuse'` answers 400 and names it, `'ignore'` does what
   * DRF does. Default: as the API says, else `'refuse'`.
   */
  readonly unknownParameters?: UnknownParameters
  /** What the description of the API says of the resource, beside what it says by itself. */
  readonly describes?: ResourceDescription
  /** Custom actions by name. */
  readonly actions?: ActionSpecs<ResourceView<M, S>, W>
}
