import { setting, shared } from '../../core/setting-rules.ts'
import type { Model } from '../../model/kit.ts'
import type { ModelRecord } from '../../records/record.ts'
import type { ModelSerializer } from '../../serializer/model-serializer.ts'
import { deleteDirectly } from '../../store/direct-writes.ts'
import { DELETIONS, isUnwatched } from '../direct-writes.ts'
import { keyInPath } from '../key-in-path.ts'
import { defineMixin } from '../mixin.ts'
import { Reply } from '../reply.ts'

declare module '../mixin-types.ts' {
  interface MixinTypes<M extends Model, S extends ModelSerializer<M>> {
    DestroyModelMixin: {
      config: {
        /** 204, which carries no body (RFC 9110), or 200, which carries the envelope. Default 204. */
        readonly destroyStatus?: 200 | 204
      }
      methods: {
        destroy(): Promise<void>
        performDestroy(record: ModelRecord<M>): Promise<void>
        /** @internal Removes the record by one statement, where nobody has to see it before. */
        destroyDirectly(): Promise<Reply | undefined>
      }
    }
  }
}

/** `DELETE /resource/{id}/`: removes one record; override `performDestroy` to soft-delete it instead. */
export const DestroyModelMixin = defineMixin('DestroyModelMixin', {
  settings: { destroyStatus: shared(setting.oneOf(200, 204)) },
  routes: [
    {
      method: 'DELETE',
      path: '/:id/',
      action: 'destroy',
      precheck: 'destroyDirectly',
      status: ({ destroyStatus = 204 }) => destroyStatus,
      describes: () => ({ summary: 'Removes a record.' }),
    },
  ],
  methods: (Base, mixin) =>
    class extends Base {
      async destroyDirectly(): Promise<Reply | undefined> {
        if (!mixin.answers(this, 'destroy') || mixin.overrides(this, 'performDestroy')) return undefined
        const key = keyInPath(this)
        if (key === undefined || this.asksAboutRecords || !isUnwatched(this, DELETIONS)) return undefined
        return (await deleteDirectly(await this.getQueryset(), key)) ? new Reply(undefined) : undefined
      }

      async destroy(): Promise<void> {
        await this.performDestroy(await this.getObject())
      }

      async performDestroy(record: ModelRecord<Model>): Promise<void> {
        await record.delete()
      }
    },
})
