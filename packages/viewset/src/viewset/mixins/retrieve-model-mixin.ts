import type { GenericViewSet } from '../generic-viewset.ts'
import { defineMixin } from '../mixin.ts'

const methods = {
  async retrieve(this: GenericViewSet): Promise<object> {
    return (await this.readJson(methods)) ?? this.serialize(await this.getObject())
  },
}

/** `GET /resource/{id}/`: one record. */
export const RetrieveModelMixin = defineMixin('RetrieveModelMixin', {
  settings: [],
  routes: [{ method: 'GET', path: '/:id/', action: 'retrieve' }],
  methods,
})
