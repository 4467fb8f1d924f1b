import type { Model } from '../../model/kit.ts'
import type { ModelSerializer, SerializerData } from '../../serializer/model-serializer.ts'
import { defineMixin } from '../mixin.ts'

declare module '../mixin-types.ts' {
  interface MixinTypes<M extends Model, S extends ModelSerializer<M>> {
    RetrieveModelMixin: { config: object; methods: { retrieve(): Promise<SerializerData<S>> } }
  }
}

/** `GET /resource/{id}/`: one record. */
export const RetrieveModelMixin = defineMixin('RetrieveModelMixin', {
  routes: [
    {
      method: 'GET',
      path: '/:id/',
      action: 'retrieve',
      describes: ({ lookup, model, names, config }) => ({
        summary: `Retrieve ${names.one}`,
        description: `The ${names.noun} with this \`${lookup?.wire ?? model.key.map(({ wire }) => wire).join(',')}\`.`,
        data: config.serializer.outputSchema(),
      }),
    },
  ],
  methods: (Base, mixin) =>
    class extends Base {
      async retrieve(): Promise<object> {
        const json = mixin.isFinalAnswer(this, 'retrieve') ? await this.readJson() : undefined
        if (json) return json
        const record = await this.getObject()
        this.shown = record
        return this.serialize(record)
      }
    },
})
