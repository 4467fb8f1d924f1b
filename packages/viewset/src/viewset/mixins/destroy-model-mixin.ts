import type { Model } from '../../model/kit.ts'
import type { ModelRecord } from '../../records/record.ts'
import type { GenericViewSet } from '../generic-viewset.ts'
import { defineMixin } from '../mixin.ts'

type DestroyView = GenericViewSet & { performDestroy(record: ModelRecord<Model>): Promise<void> }

/** `DELETE /resource/{id}/`: removes one record; override `performDestroy` to soft-delete it instead. */
export const DestroyModelMixin = defineMixin('DestroyModelMixin', {
  settings: ['destroyStatus'],
  routes: [{ method: 'DELETE', path: '/:id/', action: 'destroy', status: view => view.config.destroyStatus ?? 204 }],
  methods: {
    async destroy(this: DestroyView): Promise<void> {
      await this.performDestroy(await this.getObject())
    },

    async performDestroy(record: ModelRecord<Model>): Promise<void> {
      await record.delete()
    },
  },
})
