import { required, setting } from '../../core/setting-rules.ts'
import { reportSchema } from '../../kinds/report-schema.ts'
import type { FieldName, Model } from '../../model/kit.ts'
import type { ModelRecord } from '../../records/record.ts'
import type { RecordList } from '../../records/record-list.ts'
import { insertRecords, updateRecords } from '../../records/write-records.ts'
import type { ModelSerializer, SerializerInput } from '../../serializer/model-serializer.ts'
import type { Values } from '../../store/write/write.ts'
import { type BulkChange, keyOfChange } from '../bulk/change.ts'
import { guardErrors, itemsSchema } from '../bulk/items.ts'
import {
  BulkUpsertReport,
  placeOf,
  refuseHidden,
  retryOnConcurrentInsert,
  submittedUpserts,
  upsertKey,
} from '../bulk/upsert.ts'
import { withExample } from '../description/route-description.ts'
import type { GenericViewSet } from '../generic-viewset.ts'
import { defineMixin } from '../mixin.ts'
import { checkCreated, checkUpdated } from '../records-in-scope.ts'
import { overriddenBulkCreate, overriddenBulkUpdate } from '../write/overridden-writes.ts'
import { performWrite } from '../write/perform-write.ts'
import { BulkModelMixin } from './bulk-model-mixin.ts'

declare module '../mixin-types.ts' {
  interface MixinTypes<M extends Model, S extends ModelSerializer<M>> {
    BulkUpsertModelMixin: {
      config: {
        /** The fields that find an item's record. A constraint of the database keeps them unique. */
        readonly upsertFields: readonly FieldName<M>[]
      }
      methods: {
        bulkUpsert(): Promise<BulkUpsertReport>
        performBulkUpsert(
          changes: readonly BulkChange<ModelRecord<M>, SerializerInput<S>>[],
          values: SerializerInput<S>[],
        ): Promise<BulkUpsertReport>
      }
    }
  }
}

/**
 * `POST /resource/bulk-upsert/`: updates the records with an item's unique fields and creates the others.
 *
 * @example
 * BulkViewSet.add(BulkUpsertModelMixin)({ ...config, upsertFields: ['code'] })
 */
export const BulkUpsertModelMixin = defineMixin('BulkUpsertModelMixin', {
  extends: [BulkModelMixin],
  settings: { upsertFields: required(setting.any, 'name the unique fields by which records are found') },
  routes: [
    {
      method: 'POST',
      path: '/bulk-upsert/',
      action: 'bulkUpsert',
      before: 'checkBulkItems',
      describes: resource => ({
        summary: `Create or update several ${resource.names.many}`,
        description: 'An item whose unique fields match a record updates it. Other items create one.',
        body: itemsSchema(resource.config.serializer.inputSchema(), BulkModelMixin.own(resource)),
        data: withExample(reportSchema(BulkUpsertReport), { created: 1, updated: 1 }),
        ...guardErrors(resource),
      }),
    },
  ],
  define: ({ subject, model, config }) => upsertKey(subject, model, config.upsertFields),
  methods: (Base, mixin) =>
    class extends Base {
      async bulkUpsert(): Promise<BulkUpsertReport> {
        const key = mixin.own(this)
        refuseHidden(this, key)
        const needsRecords = this.overrides('performBulkUpsert') || overriddenBulkUpdate(this) !== undefined
        return retryOnConcurrentInsert(this, key, async matches => {
          const { changes, values } = await submittedUpserts(this, key, matches, needsRecords)
          return this.performBulkUpsert(changes, values)
        })
      }

      async performBulkUpsert(changes: readonly BulkChange[], values: Values[]): Promise<BulkUpsertReport> {
        // Updates come first: a new record may take a value that an update releases.
        const updated = await update(this, changes)
        await checkUpdated(this, () => updated.keys)
        const created = await create(this, values)
        const place = (index: number) => `${placeOf(values[index] as Values) ?? index}.`
        await checkCreated(this, () => created.keys, place)
        return { created: created.length, updated: updated.length }
      }
    },
})

function update(view: GenericViewSet, changes: readonly BulkChange[]): Promise<RecordList> {
  const places = changes.map(({ values }) => placeOf(values))
  const place = (index: number) => places[index]
  const { model } = view.definition
  return performWrite<'update'>(view, { kind: 'update', changes }, plan => {
    const overridden = overriddenBulkUpdate(view)
    if (overridden) return overridden(plan.changes, (_, index) => place(index))
    const updates = plan.changes.map(change => ({ key: keyOfChange(model, change), values: change.values }))
    return updateRecords(view.database, model, updates, { place })
  })
}

function create(view: GenericViewSet, values: readonly Values[]): Promise<RecordList> {
  const places = values.map(placeOf)
  const place = (index: number) => places[index]
  return performWrite<'create'>(view, { kind: 'create', values }, plan => {
    const overridden = overriddenBulkCreate(view)
    if (overridden) return overridden(plan.values, (_, index) => place(index))
    return insertRecords(view.database, view.definition.model, plan.values, { place })
  })
}
