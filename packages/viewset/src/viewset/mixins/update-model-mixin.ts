import { setting, shared } from '../../core/setting-rules.ts'
import type { Model } from '../../model/kit.ts'
import { keyOf, type ModelRecord } from '../../records/record.ts'
import { updateRecord } from '../../records/write-record.ts'
import { changesDirectly, writesDirectly } from '../../serializer/direct-write.ts'
import type { ModelSerializer, SerializerData, SerializerInput } from '../../serializer/model-serializer.ts'
import { updateDirectly } from '../../store/direct-writes.ts'
import type { Values } from '../../store/write.ts'
import { recordOrNothing } from '../description/route-description.ts'
import { directReply, isUnwatched, SAVES } from '../direct-writes.ts'
import { fixedValuesOf, newRecordsOf } from '../fixed-values.ts'
import { keyInPath } from '../key-in-path.ts'
import { defineMixin } from '../mixin.ts'
import type { Reply } from '../reply.ts'
import { checkUpdated } from '../scope-check.ts'

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
         * For actions of your own: writes to a record as `update` does; fixed values stay as they are, and `checkScope`
         * holds. @throws PermissionDenied
         */
        updateOne(record: ModelRecord<M>, values: SerializerInput<S>): Promise<ModelRecord<M>>
        /** @internal Updates the record by one statement, where nothing has to be asked before or looked at behind it. */
        updateDirectly(): Promise<Reply | undefined>
      }
    }
  }
}

/** `PUT` and `PATCH /resource/{id}/`: one record, fully or in part. */
export const UpdateModelMixin = defineMixin('UpdateModelMixin', {
  settings: { returnDataOnUpdate: shared(setting.boolean) },
  routes: (['PUT', 'PATCH'] as const).map(method => ({
    method,
    path: '/:id/',
    action: 'update',
    precheck: 'updateDirectly',
    describes: ({ config: { serializer, returnDataOnUpdate } }) => ({
      summary: method === 'PUT' ? 'Updates a record.' : 'Updates some fields of a record.',
      body: serializer.inputSchema({ existing: true, partial: method === 'PATCH' }),
      data: recordOrNothing(serializer.outputSchema(), returnDataOnUpdate),
    }),
  })),
  methods: (Base, mixin) =>
    class extends Base {
      async updateDirectly(): Promise<Reply | undefined> {
        const { checkScope, returnDataOnUpdate } = this.config
        if (!mixin.answers(this, 'update') || mixin.overrides(this, 'performUpdate')) return undefined
        if (checkScope === 'always' || this.asksAboutRecords) return undefined
        const serializer = this.getSerializer()
        const key = keyInPath(this)
        if (key === undefined || !isUnwatched(this, SAVES) || !writesDirectly(serializer)) return undefined
        const options = { ...newRecordsOf(this), partial: this.method === 'PATCH' }
        const given = changesDirectly(serializer, this.database, this.request.body, options)
        if (!given) return undefined
        const row = await updateDirectly(await this.getQueryset(), key, serializer.listed.projection, given)
        return row && directReply(serializer, row, returnDataOnUpdate)
      }

      async update(): Promise<object> {
        const record = await this.getObject()
        const values = await this.validate({ record, partial: this.method === 'PATCH' })
        const updated = await this.#store(record, values)
        if (this.config.returnDataOnUpdate === false) return {}
        const json = mixin.answers(this, 'update') ? await this.writtenJson(updated) : undefined
        return json ?? this.serialize(updated)
      }

      async updateOne(record: ModelRecord<Model>, values: Values): Promise<ModelRecord<Model>> {
        const fixed = fixedValuesOf(this)
        const own = Object.entries(values).filter(([field]) => !Object.hasOwn(fixed, field))
        return this.#store(record, Object.fromEntries(own))
      }

      async #store(record: ModelRecord<Model>, values: Values): Promise<ModelRecord<Model>> {
        const updated = await this.performUpdate(record, values)
        await checkUpdated(this, () => [keyOf(updated)])
        return updated
      }

      async performUpdate(record: ModelRecord<Model>, values: Values): Promise<ModelRecord<Model>> {
        return updateRecord(record, values)
      }
    },
})
