import type { Model } from '../../model/kit.ts'
import { modelInfo } from '../../model/model-info.ts'
import { insertRecord, keyOf, type ModelRecord } from '../../records/record.ts'
import type { Values } from '../../store/write.ts'
import type { GenericViewSet } from '../generic-viewset.ts'
import { defineMixin } from '../mixin.ts'
import { checkCreated } from '../scope-check.ts'

type CreateView = GenericViewSet & { performCreate(values: Values): Promise<ModelRecord<Model>> }

const methods = {
  async create(this: CreateView): Promise<object> {
    const record = await this.performCreate(await this.validate())
    await checkCreated(this, () => [keyOf(record)])
    return (this.config.returnDataOnCreate ?? true) ? this.showWritten(record, methods) : {}
  },

  async performCreate(this: GenericViewSet, values: Values): Promise<ModelRecord<Model>> {
    return insertRecord(this.database, modelInfo(this.model), values)
  },
}

/** `POST /resource/`: one new record. */
export const CreateModelMixin = defineMixin('CreateModelMixin', {
  settings: ['returnDataOnCreate'],
  routes: [{ method: 'POST', path: '/', action: 'create', status: 201 }],
  methods,
})
