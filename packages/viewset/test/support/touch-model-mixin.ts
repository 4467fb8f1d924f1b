import { defineMixin, type Model, type ModelRecord, type ModelSerializer, setting } from 'viewset'

declare module 'viewset' {
  interface MixinTypes<M extends Model, S extends ModelSerializer<M>> {
    TouchModelMixin: {
      config: {
        /** What a touch answers. */
        readonly touchAnswer?: string
      }
      methods: { touch(): Promise<string>; performTouch(record: ModelRecord<M>): Promise<void> }
    }
  }
  interface User {
    /** Whose data the user sees. */
    readonly tenant?: string
  }
}

/** A mixin as a third party writes it: `POST /{id}/touch/` saves a record as it is. */
export const TouchModelMixin = defineMixin('TouchModelMixin', {
  settings: { touchAnswer: setting.text },
  routes: [{ method: 'POST', path: '/:id/touch/', action: 'touch', status: 202 }],
  methods: Base =>
    class extends Base {
      async touch() {
        await this.performTouch(await this.getObject())
        return this.config.touchAnswer ?? 'touched'
      }

      async performTouch(record: ModelRecord<Model>) {
        await record.save()
      }
    },
})
