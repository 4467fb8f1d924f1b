import type { Model } from '../../model/kit.ts'
import { keyOf, type ModelRecord, updateRecord } from '../../records/record.ts'
import type { Values } from '../../store/write.ts'
import type { GenericViewSet } from '../generic-viewset.ts'
import { defineMixin } from '../mixin.ts'
import { checkUpdated } from '../scope-check.ts'

type UpdateView = GenericViewSet & {
  performUpdate(record: ModelRecord<Model>, values: Values): Promise<ModelRecord<Model>>
}

const methods = {
  async update(this: UpdateView): Promise<object> {
    const record = await this.getObject()
    const values = await this.validate({ record, partial: this.method === 'PATCH' })
    const updated = await this.performUpdate(record, values)
    await checkUpdated(this, () => [keyOf(updated)])
    return (this.config.returnDataOnUpdate ?? true) ? this.showWritten(updated, methods) : {}
  },

  async performUpdate(record: ModelRecord<Model>, values: Values): Promise<ModelRecord<Model>> {
    return updateRecord(record, values)
  },
}

/** `PUT` and `PATCH /resource/{id}/`: one record, fully or in part. */
export const UpdateModelMixin = defineMixin('UpdateModelMixin', {
  settings: ['returnDataOnUpdate'],
  routes: [
    { method: 'PUT', path: '/:id/', action: 'update' },
    { method: 'PATCH', path: '/:id/', action: 'update' },
  ],
  methods,
})
