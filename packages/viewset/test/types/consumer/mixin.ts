import { type Data, defineMixin, type Model, type ModelSerializer, setting, shared } from 'viewset'

declare module 'viewset' {
  interface MixinTypes<M extends Model, S extends ModelSerializer<M>> {
    StampModelMixin: { config: { readonly stamp?: string }; methods: { stamp(): Promise<Data<S>> } }
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
