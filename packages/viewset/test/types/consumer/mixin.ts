import { type Data, defineMixin, type Model, type ModelSerializer, type View } from 'viewset'

declare module 'viewset' {
  interface MixinTypes<M extends Model, S extends ModelSerializer<M>> {
    StampModelMixin: { config: { readonly stamp?: string }; methods: { stamp(): Promise<Data<S>> } }
  }
}

export const StampModelMixin = defineMixin('StampModelMixin', {
  settings: ['stamp'],
  routes: [{ method: 'POST', path: '/:id/stamp/', action: 'stamp' }],
  methods: {
    async stamp(this: View<Model, ModelSerializer>) {
      return this.serialize(await (await this.getObject()).save())
    },
  },
})
