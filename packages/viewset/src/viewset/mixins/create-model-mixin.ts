import { setting, shared } from '../../core/setting-rules.ts'
import type { Model } from '../../model/kit.ts'
import { keyOf, type ModelRecord } from '../../records/record.ts'
import { createRecordIn } from '../../records/write-record.ts'
import { newDirectly, writesDirectly } from '../../serializer/direct-write.ts'
import type { ModelSerializer, SerializerData, SerializerInput } from '../../serializer/model-serializer.ts'
import { insertDirectly } from '../../store/direct-writes.ts'
import type { Values } from '../../store/write.ts'
import { recordOrNothing } from '../description/route-description.ts'
import { directReply, isUnwatched, SAVES } from '../direct-writes.ts'
import { fixedValuesOf, newRecordsOf } from '../fixed-values.ts'
import { defineMixin } from '../mixin.ts'
import type { Reply } from '../reply.ts'
import { checkCreated } from '../scope-check.ts'

declare module '../mixin-types.ts' {
  interface MixinTypes<M extends Model, S extends ModelSerializer<M>> {
    CreateModelMixin: {
      config: {
        /** Whether a create answers with the new record. Default true; otherwise with `{}`. */
        readonly returnDataOnCreate?: boolean
      }
      methods: {
        create(): Promise<Partial<SerializerData<S>>>
        performCreate(values: SerializerInput<S>): Promise<ModelRecord<M>>
        /**
         * For actions of your own: stores a record as `create` does, with the resource's fixed values and among the
         * records that it may show. @throws ValidationError
         */
        createOne(values: SerializerInput<S>): Promise<ModelRecord<M>>
        /** @internal Creates the record by one statement, where nothing has to be asked before or looked at behind it. */
        createDirectly(): Promise<Reply | undefined>
      }
    }
  }
}

/** `POST /resource/`: one new record. */
export const CreateModelMixin = defineMixin('CreateModelMixin', {
  settings: { returnDataOnCreate: shared(setting.boolean) },
  routes: [
    {
      method: 'POST',
      path: '/',
      action: 'create',
      precheck: 'createDirectly',
      status: 201,
      describes: ({ config: { serializer, returnDataOnCreate } }) => ({
        summary: 'Creates a record.',
        body: serializer.inputSchema(),
        data: recordOrNothing(serializer.outputSchema(), returnDataOnCreate),
      }),
    },
  ],
  methods: (Base, mixin) =>
    class extends Base {
      async createDirectly(): Promise<Reply | undefined> {
        const { checkScope, returnDataOnCreate } = this.config
        if (!mixin.answers(this, 'create') || mixin.overrides(this, 'performCreate')) return undefined
        if (checkScope !== 'never' && this.getScope() !== undefined) return undefined
        const serializer = this.getSerializer()
        if (!isUnwatched(this, SAVES) || !writesDirectly(serializer)) return undefined
        const given = newDirectly(serializer, this.database, this.request.body, newRecordsOf(this))
        const row = given && (await insertDirectly(this.database, serializer.listed.projection, given))
        return row && directReply(serializer, row, returnDataOnCreate)
      }

      async create(): Promise<object> {
        const record = await this.#store(await this.validate())
        if (this.config.returnDataOnCreate === false) return {}
        const json = mixin.answers(this, 'create') ? await this.writtenJson(record) : undefined
        return json ?? this.serialize(record)
      }

      async createOne(values: Values): Promise<ModelRecord<Model>> {
        return this.#store({ ...values, ...fixedValuesOf(this) })
      }

      async #store(values: Values): Promise<ModelRecord<Model>> {
        const record = await this.performCreate(values)
        await checkCreated(this, () => [keyOf(record)])
        return record
      }

      async performCreate(values: Values): Promise<ModelRecord<Model>> {
        return createRecordIn(this.database, this.definition.model, values)
      }
    },
})
