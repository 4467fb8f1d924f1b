import type { User } from '../core/context.ts'
import { NotFound } from '../core/errors.ts'
import { parseJson } from '../core/json/parse-json.ts'
import type { ApiRequest } from '../core/request.ts'
import type { ApiSettings } from '../core/settings.ts'
import type { RowLock } from '../model/dialect/dialect.ts'
import type { Model } from '../model/kit.ts'
import type { ModelInfo } from '../model/model-info.ts'
import { keyOf, type ModelRecord, recordOf, storedRow } from '../records/record.ts'
import type { RecordList } from '../records/record-list.ts'
import type { SubmittedItem } from '../serializer/item.ts'
import type { ModelSerializer } from '../serializer/model-serializer.ts'
import { relatedOf } from '../serializer/output/representation.ts'
import type { Representation } from '../serializer/output/row-writer.ts'
import { type ValidateOptions, validate, validateMany } from '../serializer/validate.ts'
import type { Database } from '../store/connection/database.ts'
import type { RawRow } from '../store/connection/driver.ts'
import { isInTransaction } from '../store/connection/session.ts'
import { currentDb, type DrizzleDatabase } from '../store/connection/transaction.ts'
import { QuerySet } from '../store/queryset.ts'
import type { Values } from '../store/write/write.ts'
import type { ActionSpec } from './actions.ts'
import { newRecordsOf } from './fixed-values.ts'
import { keyInPath } from './key-in-path.ts'
import { standardMethod } from './overrides.ts'
import { isObjectPermission, isSafe, requirePermissions } from './permissions.ts'
import { recordsInScope } from './records-in-scope.ts'
import { JsonText, ListPage, type Reply } from './reply.ts'
import type { ResourceConfig, ResourceDefinition } from './resource.ts'
import { showRecords } from './show-records.ts'
import type { Registered, ViewContext } from './view-context.ts'
import { checkGuards, guardsOfPath } from './write/guards.ts'
import { headerFields, listedWithHeaders } from './write/record-headers.ts'
import type { WritePlan } from './write/write-plan.ts'

/**
 * One request to a resource: the hooks that the action mixins are made of, as DRF's `GenericViewSet` has them. Any of
 * them can be overridden in a resource's class.
 */
export class GenericViewSet {
  declare static readonly definition: ResourceDefinition
  /** The methods that each mixin has brought. */
  declare static readonly layers: ReadonlyMap<{ readonly name: string }, object>

  readonly request: ApiRequest
  readonly user: User | null
  readonly action: string
  readonly database: Database
  readonly settings: ApiSettings
  /** @internal Fields of the record that the answer shows, from which mixins make headers. */
  shown: Values | undefined
  readonly #method: string
  readonly #registered: Registered
  readonly #spec: ActionSpec | undefined

  constructor(context: ViewContext) {
    const { request, user, database, settings, action, spec, method = request.method } = context
    this.request = request
    this.user = user
    this.database = database
    this.settings = settings
    this.action = action
    this.#registered = context
    this.#method = method
    this.#spec = spec
  }

  /** @internal What the view knows of where it is registered. */
  get registered(): Registered {
    return this.#registered
  }

  get method(): string {
    return this.#method
  }

  get query(): ApiRequest['query'] {
    return this.request.query
  }

  get model(): Model {
    return this.config.model
  }

  get config(): ResourceConfig {
    return this.definition.config
  }

  /** What is the same for all requests of the resource. */
  get definition(): ResourceDefinition {
    return (this.constructor as typeof GenericViewSet).definition
  }

  /** Whether a custom action runs, which may have the name of one that a mixin brings. */
  get isCustom(): boolean {
    return this.#spec !== undefined
  }

  /** @internal The methods that a mixin has brought; `undefined` where the class is composed without it. */
  layerOf(mixin: { readonly name: string }): object | undefined {
    return (this.constructor as typeof GenericViewSet).layers.get(mixin)
  }

  /** Whether a class, a mixin or a property of the view overrides a hook of this class or of a mixin that brings one. */
  overrides(hook: string): boolean {
    const method: unknown = Reflect.get(this, hook)
    const { layers } = this.constructor as typeof GenericViewSet
    return method !== undefined && method !== standardMethod(GenericViewSet.prototype, layers, hook)
  }

  /** An ordinary Drizzle database on the request's transaction. */
  get db(): DrizzleDatabase {
    return currentDb()
  }

  /** The setting that {@link getQueryset} begins with: the custom action's own, or else the resource's. */
  getScope(): ResourceConfig['queryset'] {
    return this.#spec?.queryset ?? this.config.queryset
  }

  /** The records that this request may see; every action goes through it. */
  async getQueryset(): Promise<QuerySet> {
    return recordsInScope(this)
  }

  /** Narrows and orders the records of a list by the request; filters come with {@link FilterModelMixin}. */
  async filterQueryset(queryset: QuerySet): Promise<QuerySet> {
    // Pages are cut from it, whatever the filters leave open.
    return queryset.inTotalOrder()
  }

  getSerializer(): ModelSerializer {
    return this.config.serializer
  }

  /**
   * The record that the path names. Where it may be written, nobody else changes it before the transaction ends: what is
   * compared with it and decided by it still holds when it is stored.
   *
   * @throws NotFound if it is not among the records of {@link getQueryset}, or if the identifier is malformed;
   * PreconditionFailed if it does not meet a guard of the request.
   */
  async getObject(): Promise<ModelRecord<Model>> {
    const guards = guardsOfPath(this)
    const record = recordOf(this.database, this.#info, await this.#findRow(this.getSerializer().recorded, this.#lock))
    await this.checkObjectPermissions(record)
    checkGuards(this, guards, record)
    return record
  }

  /**
   * The record that the path names as JSON text, without a record in between; `undefined` where a hook or a
   * permission wants to look at it (DESIGN, rule 3: no entity hydration on read paths).
   */
  async readJson(): Promise<JsonText | undefined> {
    // Not by `overrides`: asked for by their names, they would cost as much as all the rest of a short answer.
    const { getObject, serialize, finalize } = GenericViewSet.prototype
    const isChanged = this.getObject !== getObject || this.serialize !== serialize || this.finalize !== finalize
    if (isChanged || this.hasObjectPermissions) return undefined
    const listed = listedWithHeaders(this, this.getSerializer())
    const row = await this.#findRow(listed)
    this.shown = headerFields(this, listed, row)
    const related = listed.loadRelated ? await relatedOf(listed, this.database, [row]) : undefined
    return new JsonText(`${listed.open(row, related)}}`)
  }

  /** None where nothing is written: a lock lasts as long as a transaction. */
  get #lock(): RowLock | undefined {
    if (isSafe(this.method) || !isInTransaction(this.database)) return undefined
    return this.method === 'DELETE' ? 'delete' : 'update'
  }

  async #findRow({ projection }: Representation, lock?: RowLock): Promise<RawRow> {
    const key = keyInPath(this)
    if (key === undefined) throw new NotFound()
    const queryset = await this.getQueryset()
    const row = await queryset.find(projection, this.#info.primaryKey, key, lock)
    if (!row) throw new NotFound()
    return row
  }

  /** Runs before every action; checks the permissions. */
  initial(): Promise<void> {
    return this.checkPermissions()
  }

  /** Runs after every successful action, in its transaction: what it throws undoes the writes. May change the answer. */
  async finalize(reply: Reply): Promise<Reply> {
    return reply
  }

  checkPermissions(): Promise<void> {
    return requirePermissions(this.#permissionClasses, this)
  }

  checkObjectPermissions(record: ModelRecord<Model>): Promise<void> {
    return requirePermissions(this.#permissionClasses, this, record)
  }

  /** Whether {@link checkObjectPermissions} asks anything: for many records, objects are made only then. */
  get hasObjectPermissions(): boolean {
    const { checkObjectPermissions: standard } = GenericViewSet.prototype
    return this.checkObjectPermissions !== standard || this.#permissionClasses.some(isObjectPermission)
  }

  /** The values of the request's body. @throws ValidationError */
  validate(options: { readonly record?: ModelRecord<Model>; readonly partial?: boolean } = {}): Promise<Values> {
    const { record, partial = false } = options
    const item = { input: this.request.body, record }
    return validate(this.getSerializer(), this.database, item, { partial, ...newRecordsOf(this) })
  }

  /** The values of many items. @throws ValidationError with the errors of all of them, by index. */
  validateMany(items: readonly SubmittedItem[], options: ValidateOptions = {}): Promise<Values[]> {
    return validateMany(this.getSerializer(), this.database, items, { ...options, ...newRecordsOf(this) })
  }

  /**
   * Encloses each write of the resource, in its transaction: of one record or of many, on every path. `next` performs it
   * and returns the records that were written. An error that this throws undoes the write. It can run several times for
   * one record, such as in an import: effects outside of the database belong in `onCommit`.
   */
  write(plan: WritePlan, next: (plan: WritePlan) => Promise<RecordList>): Promise<RecordList> {
    return next(plan)
  }

  /** A record as the wire shows it: what is stored of it, with its relations. */
  async serialize(record: ModelRecord<Model>): Promise<Record<string, unknown>> {
    return parseJson(await this.#jsonOf(record)) as Record<string, unknown>
  }

  /**
   * A record that was written, as JSON text with nothing in between; `undefined` where a hook looks at what is
   * shown.
   */
  async writtenJson(record: ModelRecord<Model>): Promise<JsonText | undefined> {
    if (this.overrides('serialize') || this.overrides('finalize')) return undefined
    return new JsonText(await this.#jsonOf(record))
  }

  async #jsonOf(record: ModelRecord<Model>): Promise<string> {
    const { recorded } = this.getSerializer()
    let row = storedRow(record)
    if (row.length < recorded.projection.width) {
      // It has just been written, so its relations are not at hand.
      const { primaryKey } = this.#info
      const found = await new QuerySet(this.database, this.#info).find(recorded.projection, primaryKey, keyOf(record))
      if (!found) throw new NotFound()
      row = found
    }
    const related = recorded.loadRelated ? await relatedOf(recorded, this.database, [row]) : undefined
    return `${recorded.open(row, related)}}`
  }

  /** Many records as the wire shows them, in their order, read by one statement where their rows are not at hand. */
  async serializeMany(records: RecordList): Promise<ListPage> {
    return new ListPage([await showRecords(this, records)])
  }

  get #permissionClasses() {
    return this.#spec?.permissionClasses ?? this.config.permissionClasses
  }

  get #info(): ModelInfo {
    return this.definition.model
  }
}
