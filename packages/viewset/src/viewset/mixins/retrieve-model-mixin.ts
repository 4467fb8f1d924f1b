import type { GenericViewSet } from '../generic-viewset.ts'
import { defineMixin } from '../mixin.ts'

/** `GET /resource/{id}/`: one record. */
export const RetrieveModelMixin = defineMixin('RetrieveModelMixin', {
  settings: [],
  routes: [{ method: 'GET', path: '/:id/', action: 'retrieve' }],
  methods: {
    async retrieve(this: GenericViewSet): Promise<object> {
      return (await this.readJson()) ?? this.serialize(await this.getObject())
    },
  },
})
