import type { User } from '../core/context.ts'
import { NotFound } from '../core/errors.ts'
import { parseJson } from '../core/json/parse-json.ts'
import type { ApiRequest } from '../core/request.ts'
import type { ApiSettings } from '../core/settings.ts'
import type { ExportService } from '../exporting/export-service.ts'
import type { RowLock } from '../model/dialect/dialect.ts'
import type { Model } from '../model/kit.ts'
import type { ModelInfo } from '../model/model-info.ts'
import { keyOf, type ModelRecord, recordOf, storedRow } from '../records/record.ts'
import type { RecordList } from '../records/record-list.ts'
import type { SubmittedItem } from '../serializer/item.ts'
import type { ModelSerializer } from '../serializer/model-serializer.ts'
import { relatedOf } from '../serializer/output/representation.ts'
import type { Representation } from '../serializer/output/row-writer.ts'
import type { ReadItems } from '../serializer/parse-item.ts'
import { type ValidateOptions, validate, validateMany } from '../serializer/validate.ts'
import type { Database } from '../store/connection/database.ts'
import type { RawRow } from '../store/connection/driver.ts'
import { isInTransaction } from '../store/connection/session.ts'
import { currentDb, type DrizzleDatabase } from '../store/connection/transaction.ts'
import { QuerySet } from '../store/queryset.ts'
import { hasKey } from '../store/row-order.ts'
import type { Values } from '../store/write/write.ts'
import type { ActionSpec } from './actions.ts'
import { JsonText, ListPage, type Reply } from './answer/reply.ts'
import { showRecords } from './answer/show-records.ts'
import type { KeyedRequest } from './idempotency/key-store.ts'
import { standardMethod } from './overrides.ts'
import { isObjectPermission, isSafe, requirePermissions } from './permissions.ts'
import { shownSerializer } from './reading/chosen-fields.ts'
import {
  keyBesideLookup,
  lookupInPath,
  lookupOf,
  noSuchKey,
  onlyKey,
  partsInPath,
  recordsInScope,
} from './records-in-scope.ts'
import type { ResourceConfig, ResourceDefinition } from './resource/resource.ts'
import { findsDeleted } from './soft-delete/soft-delete-setting.ts'
import type { Registered, ViewContext, WritePlan } from './view.ts'
import { newRecordsOf } from './write/fixed-values.ts'
import { checkGuards, guardsOfPath, isReadOnly } from './write/guards.ts'
import { headerFields, listedWithHeaders } from './write/record-headers.ts'

/**
 * One request to a resource, with the hooks of DRF's `GenericViewSet`. A resource's class can override each of them.
 */
export class GenericViewSet {
  declare static readonly definition: ResourceDefinition
  /** The prototype with the methods of each mixin. */
  declare static readonly layers: ReadonlyMap<{ readonly name: string }, object>

  readonly request: ApiRequest
  readonly user: User | null
  readonly action: string
  readonly database: Database
  readonly settings: ApiSettings
  /** Whether all writes of the action are one transaction: not so for a read, an export or an import. */
  readonly writes: boolean
  /** @internal Whether a resource with `softDelete` finds soft-deleted records. */
  findsDeleted: boolean
  /** @internal Whether the user may not read the `lookupField`. The path then names no record by it. */
  hidesLookup: () => boolean = () => false
  /** @internal Fields of the answer's record, from which mixins make headers. */
  shown: Values | undefined
  /** @internal The items of a bulk request that the validation need not parse again. */
  readItems: ReadItems | undefined
  /** @internal The key of a request that is carried out once. */
  keyed: KeyedRequest | undefined
  readonly #method: string
  readonly #registered: Registered
  readonly #spec: ActionSpec | undefined
  /** The last record of {@link getObject}. */
  #object: ModelRecord<Model> | undefined

  constructor(context: ViewContext) {
    const {
      request,
      user,
      database,
      settings,
      action,
      spec,
      method = request.method,
      writes = !isSafe(method),
    } = context
    this.request = request
    this.user = user
    this.database = database
    this.settings = settings
    this.action = action
    this.writes = writes
    this.findsDeleted = spec === undefined && findsDeleted(action)
    this.#registered = context
    this.#method = method
    this.#spec = spec
  }

  /** @internal */
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

  /** The parts that all requests of the resource share. */
  get definition(): ResourceDefinition {
    return (this.constructor as typeof GenericViewSet).definition
  }

  /** Whether a custom action runs. It may have the name of an action of a mixin that the class is composed without. */
  get isCustom(): boolean {
    return this.#spec !== undefined
  }

  /** Whether the action undoes an import. A hook can hold back what only a change by a person needs, such as a mail. */
  get isUndo(): boolean {
    return this.action === 'undo' && !this.isCustom
  }

  /** @internal The export with the columns that the user may see; `undefined` if the resource exports no files. */
  exportOfReader(): ExportService<ModelSerializer> | undefined {
    return undefined
  }

  /** @internal The prototype with the methods of a mixin; `undefined` if the class is composed without it. */
  layerOf(mixin: { readonly name: string }): object | undefined {
    return (this.constructor as typeof GenericViewSet).layers.get(mixin)
  }

  /** Whether a class, another mixin or a property of the view overrides a hook. */
  overrides(hook: string): boolean {
    const method: unknown = Reflect.get(this, hook)
    const { layers } = this.constructor as typeof GenericViewSet
    return method !== undefined && method !== standardMethod(GenericViewSet.prototype, layers, hook)
  }

  /** A Drizzle database on the request's transaction. */
  get db(): DrizzleDatabase {
    return currentDb()
  }

  /** The `queryset` of the custom action, or else of the resource. */
  getScope(): ResourceConfig['queryset'] {
    return this.#spec?.queryset ?? this.config.queryset
  }

  /** The records that this request may see. Every action uses it. */
  async getQueryset(): Promise<QuerySet> {
    return recordsInScope(this)
  }

  /** Narrows and orders the records of a list by the request. {@link FilterModelMixin} adds filters. */
  async filterQueryset(queryset: QuerySet): Promise<QuerySet> {
    // Pages need a total order, also without filters.
    return queryset.inTotalOrder()
  }

  getSerializer(): ModelSerializer {
    return this.config.serializer
  }

  /**
   * The record that the path names. A writing action locks it until the transaction ends, so the checks of the record
   * still hold when it is stored.
   *
   * @throws NotFound if it is not in {@link getQueryset}, or if the identifier is malformed; PreconditionFailed if it
   * does not meet a guard of the request
   */
  async getObject(): Promise<ModelRecord<Model>> {
    const guards = guardsOfPath(this)
    const record = recordOf(this.database, this.#info, await this.#findRow(this.getSerializer().recorded, this.#lock))
    await this.checkObjectPermissions(record)
    await checkGuards(this, guards, record)
    this.#object = record
    return record
  }

  /**
   * The record that the path names, as JSON text made directly from the row; `undefined` if a hook or a permission
   * needs the record.
   */
  async readJson(): Promise<JsonText | undefined> {
    // Direct comparisons: `overrides` would cost as much as the rest of a short answer.
    const { getObject, serialize, finalize } = GenericViewSet.prototype
    const isChanged = this.getObject !== getObject || this.serialize !== serialize || this.finalize !== finalize
    if (isChanged || this.hasObjectPermissions) return undefined
    const serializer = shownSerializer(this)
    const listed = listedWithHeaders(this, serializer)
    const row = await this.#findRow(listed)
    this.shown = headerFields(this, serializer, row)
    const related = listed.loadRelated ? await relatedOf(listed, this.database, [row]) : undefined
    return new JsonText(`${listed.open(row, related)}}`)
  }

  /** Reads take no lock, since it would last as long as the transaction. */
  get #lock(): RowLock | undefined {
    if (isReadOnly(this) || !isInTransaction(this.database)) return undefined
    return this.method === 'DELETE' ? 'delete' : 'update'
  }

  async #findRow({ projection }: Representation, lock?: RowLock): Promise<RawRow> {
    const lookup = lookupOf(this)
    const queryset = await this.getQueryset()
    if (lookup === undefined) return this.#findByParts(queryset, projection, lock)
    const value = this.config.singleton ? await onlyKey(queryset, lookup) : lookupInPath(this)
    const row = value === undefined ? undefined : await queryset.find(projection, lookup, value, lock)
    if (row) return row
    // An action with a queryset of its own also takes the keys of its records.
    const key = this.#spec?.queryset && !lookup.primaryKey ? keyBesideLookup(this) : undefined
    const other = key === undefined ? undefined : await queryset.find(projection, this.#info.primaryKey, key, lock)
    if (other) return other
    throw new NotFound(value === undefined && key === undefined ? noSuchKey(this) : undefined, this.#info.name)
  }

  /** Finds the record of a composite key, whose parts are in the path. */
  async #findByParts(queryset: QuerySet, projection: Representation['projection'], lock?: RowLock): Promise<RawRow> {
    const parts = partsInPath(this)
    const [first] = this.#info.key
    const row = parts && first && (await queryset.withParts(parts).find(projection, first, parts[0], lock))
    if (row) return row
    throw new NotFound(parts ? undefined : noSuchKey(this), this.#info.name)
  }

  /** Runs before every action and checks the permissions. */
  initial(): Promise<void> {
    return this.checkPermissions()
  }

  /** Runs after every successful action, in its transaction: an error undoes the writes. May change the answer. */
  async finalize(reply: Reply): Promise<Reply> {
    return reply
  }

  checkPermissions(): Promise<void> {
    return requirePermissions(this.#permissionClasses, this)
  }

  checkObjectPermissions(record: ModelRecord<Model>): Promise<void> {
    return requirePermissions(this.#permissionClasses, this, record)
  }

  /** Whether {@link checkObjectPermissions} checks anything. Otherwise bulk actions need no objects. */
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

  /** The values of many items. @throws ValidationError with the errors of all of them, by index */
  validateMany(items: readonly SubmittedItem[], options: ValidateOptions = {}): Promise<Values[]> {
    const { readItems: read } = this
    // A second validation, such as one after a conflict, has other values.
    this.readItems = undefined
    return validateMany(this.getSerializer(), this.database, items, { ...options, ...newRecordsOf(this), read })
  }

  /**
   * Encloses each write of the resource, in its transaction: of one record or of many. `next` performs it and returns
   * the written records. An error undoes the write. An import can run it several times for one record, so effects
   * outside of the database belong in `onCommit`.
   */
  write(plan: WritePlan, next: (plan: WritePlan) => Promise<RecordList>): Promise<RecordList> {
    return next(plan)
  }

  /** The stored record with its relations, in the form of JSON. */
  async serialize(record: ModelRecord<Model>): Promise<Record<string, unknown>> {
    if (record === this.#object) this.shown = record
    return parseJson(await this.#jsonOf(record)) as Record<string, unknown>
  }

  /** A written record as JSON text, made directly from the row; `undefined` if a hook needs the record. */
  async writtenJson(record: ModelRecord<Model>): Promise<JsonText | undefined> {
    if (this.overrides('serialize') || this.overrides('finalize')) return undefined
    return new JsonText(await this.#jsonOf(record))
  }

  async #jsonOf(record: ModelRecord<Model>): Promise<string> {
    const { recorded } = shownSerializer(this)
    let row = storedRow(record)
    if (row.length < recorded.projection.width) {
      // A written row has no relations, so they are read.
      const { primaryKey } = this.#info
      const all = new QuerySet(this.database, this.#info)
      const key = keyOf(record)
      const found = hasKey(this.#info)
        ? await all.find(recorded.projection, primaryKey, key)
        : (await all.withParts(key as readonly unknown[]).rows(recorded.projection))[0]
      if (!found) throw new NotFound()
      row = found
    }
    const related = recorded.loadRelated ? await relatedOf(recorded, this.database, [row]) : undefined
    return `${recorded.open(row, related)}}`
  }

  /** The JSON of many records, in their order. One statement reads them if their rows are not in memory. */
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
