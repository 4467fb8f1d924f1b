import { setting, shared } from '../../core/setting-rules.ts'
import type { Model } from '../../model/kit.ts'
import { keyOf, type ModelRecord } from '../../records/record.ts'
import { createRecordIn } from '../../records/write-records.ts'
import type { ModelSerializer, SerializerData, SerializerInput } from '../../serializer/model-serializer.ts'
import type { Values } from '../../store/write/write.ts'
import { recordOrNothing } from '../description/route-description.ts'
import { defineMixin } from '../mixin.ts'
import { checkCreated } from '../records-in-scope.ts'
import { fixedValuesOf, withFixedValues } from '../write/fixed-values.ts'
import { performWriteOfOne } from '../write/perform-write.ts'

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
         * For custom actions: stores a record as `create` does, with the resource's fixed values and the check of its
         * queryset. @throws ValidationError
         */
        createOne(values: SerializerInput<S>): Promise<ModelRecord<M>>
      }
    }
  }
}

/** `POST /resource/`: creates one record. */
export const CreateModelMixin = defineMixin('CreateModelMixin', {
  settings: { returnDataOnCreate: shared(setting.boolean) },
  routes: [
    {
      method: 'POST',
      path: '/',
      action: 'create',
      write: 'create',
      status: 201,
      describes: ({ names, config: { serializer, returnDataOnCreate } }) => ({
        summary: `Create ${names.one}`,
        description: returnDataOnCreate === false ? 'Returns an empty object.' : 'Returns the stored record.',
        body: serializer.inputSchema(),
        data: recordOrNothing(serializer.outputSchema(), returnDataOnCreate),
      }),
    },
  ],
  methods: (Base, mixin) =>
    class extends Base {
      async create(): Promise<object> {
        const [values = {}] = withFixedValues(this, 'validate', [await this.validate()])
        const record = await this.#store(values)
        this.shown = record
        if (this.config.returnDataOnCreate === false) return {}
        const json = mixin.isFinalAnswer(this, 'create') ? await this.writtenJson(record) : undefined
        return json ?? this.serialize(record)
      }

      async createOne(values: Values): Promise<ModelRecord<Model>> {
        return this.#store({ ...values, ...fixedValuesOf(this) })
      }

      async #store(values: Values): Promise<ModelRecord<Model>> {
        const record = await performWriteOfOne<'create'>(this, { kind: 'create', values: [values] }, plan =>
          this.performCreate(plan.values[0] as Values),
        )
        await checkCreated(this, () => [keyOf(record)])
        return record
      }

      async performCreate(values: Values): Promise<ModelRecord<Model>> {
        return createRecordIn(this.database, this.definition.model, values)
      }
    },
})
