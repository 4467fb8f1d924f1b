import { setting, shared } from '../../core/setting-rules.ts'
import type { Model } from '../../model/kit.ts'
import { keyOf, type ModelRecord } from '../../records/record.ts'
import { updateRecord } from '../../records/write-records.ts'
import type { ModelSerializer, SerializerData, SerializerInput } from '../../serializer/model-serializer.ts'
import type { Values } from '../../store/write/write.ts'
import { recordOrNothing } from '../description/route-description.ts'
import { defineMixin } from '../mixin.ts'
import { checkUpdated } from '../records-in-scope.ts'
import { fixedValuesOf } from '../write/fixed-values.ts'
import { performWriteOfOne } from '../write/perform-write.ts'

declare module '../mixin-types.ts' {
  interface MixinTypes<M extends Model, S extends ModelSerializer<M>> {
    UpdateModelMixin: {
      config: {
        /** Whether an update answers with the record. Default true; otherwise with `{}`. */
        readonly returnDataOnUpdate?: boolean
      }
      methods: {
        update(): Promise<Partial<SerializerData<S>>>
        performUpdate(record: ModelRecord<M>, values: SerializerInput<S>): Promise<ModelRecord<M>>
        /**
         * For custom actions: writes to a record as `update` does. Fixed values stay, and `checkScope` holds. @throws
         * PermissionDenied
         */
        updateOne(record: ModelRecord<M>, values: SerializerInput<S>): Promise<ModelRecord<M>>
      }
    }
  }
}

/** `PUT` and `PATCH /resource/{id}/`: updates all fields of one record, or some. */
export const UpdateModelMixin = defineMixin('UpdateModelMixin', {
  settings: { returnDataOnUpdate: shared(setting.boolean) },
  routes: (['PUT', 'PATCH'] as const).map(method => ({
    method,
    path: '/:id/',
    action: 'update',
    write: 'update',
    describes: ({ names, config: { serializer, returnDataOnUpdate } }) => ({
      summary: `Update ${method === 'PUT' ? '' : 'some fields of '}${names.one}`,
      description:
        method === 'PUT' ? 'The body has all required fields.' : 'Fields that the body leaves out keep their value.',
      body: serializer.inputSchema({ existing: true, partial: method === 'PATCH' }),
      data: recordOrNothing(serializer.outputSchema(), returnDataOnUpdate),
    }),
  })),
  methods: (Base, mixin) =>
    class extends Base {
      async update(): Promise<object> {
        const record = await this.getObject()
        const values = await this.validate({ record, partial: this.method === 'PATCH' })
        const updated = await this.#store(record, values)
        this.shown = updated
        if (this.config.returnDataOnUpdate === false) return {}
        const json = mixin.isFinalAnswer(this, 'update') ? await this.writtenJson(updated) : undefined
        return json ?? this.serialize(updated)
      }

      async updateOne(record: ModelRecord<Model>, values: Values): Promise<ModelRecord<Model>> {
        const fixed = fixedValuesOf(this)
        const own = Object.entries(values).filter(([field]) => !Object.hasOwn(fixed, field))
        return this.#store(record, Object.fromEntries(own))
      }

      async #store(record: ModelRecord<Model>, values: Values): Promise<ModelRecord<Model>> {
        const updated = await performWriteOfOne<'update'>(
          this,
          { kind: 'update', changes: [{ record, values }] },
          plan => {
            const [change = { record, values }] = plan.changes
            return this.performUpdate(change.record, change.values)
          },
        )
        await checkUpdated(this, () => [keyOf(updated)])
        return updated
      }

      async performUpdate(record: ModelRecord<Model>, values: Values): Promise<ModelRecord<Model>> {
        return updateRecord(record, values)
      }
    },
})
