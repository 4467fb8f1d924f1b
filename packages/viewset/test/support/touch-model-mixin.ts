import { defineMixin, type Model, type ModelRecord, type ModelSerializer } from 'viewset'

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

interface TouchView {
  readonly config: { readonly touchAnswer?: string }
  getObject(): Promise<ModelRecord<Model>>
  performTouch(record: ModelRecord<Model>): Promise<void>
}

/** A mixin as a third party writes it: `POST /{id}/touch/` saves a record as it is. */
export const TouchModelMixin = defineMixin('TouchModelMixin', {
  settings: ['touchAnswer'],
  routes: [{ method: 'POST', path: '/:id/touch/', action: 'touch', status: 202 }],
  methods: {
    async touch(this: TouchView) {
      await this.performTouch(await this.getObject())
      return this.config.touchAnswer ?? 'touched'
    },
    async performTouch(record: ModelRecord<Model>) {
      await record.save()
    },
  },
})
