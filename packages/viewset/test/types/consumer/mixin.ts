import { defineMixin, type Model, type ModelSerializer, type SerializerData, setting, shared } from 'viewset'

declare module 'viewset' {
  interface MixinTypes<M extends Model, S extends ModelSerializer<M>> {
    StampModelMixin: { config: { readonly stamp?: string }; methods: { stamp(): Promise<SerializerData<S>> } }
  }
}

export const StampModelMixin = defineMixin('StampModelMixin', {
  settings: { stamp: shared(setting.text) },
  routes: [{ method: 'POST', path: '/:id/stamp/', action: 'stamp' }],
  methods: Base =>
    class extends Base {
      async stamp() {
        return this.serialize(await (await this.getObject()).save())
      }
    },
})
