import {
  defineMixin,
  insertMany,
  type Model,
  type ModelSerializer,
  type RecordList,
  required,
  setting,
  type WritePlan,
} from 'viewset'

declare module 'viewset' {
  interface MixinTypes<M extends Model, S extends ModelSerializer<M>> {
    OutboxMixin: { config: { readonly outbox: Model }; methods: object }
  }
}

const CAUSE = { type: 'string', description: 'Why the client asks; it is stored with each event.' }

/** Stores an event for each record that is written, in the transaction of the write. */
export const OutboxMixin = defineMixin('OutboxMixin', {
  settings: { outbox: required(setting.any, 'give the table of the events') },
  describes: ({ method }) => (method === 'GET' ? {} : { headers: { 'X-Cause': CAUSE } }),
  methods: Base =>
    class extends Base {
      override async write(plan: WritePlan, next: (plan: WritePlan) => Promise<RecordList>) {
        const written = await super.write(plan, next)
        const cause = this.request.headers['x-cause'] ?? null
        const events = written.keys.map(key => ({ kind: plan.kind, record: String(key), cause }))
        await insertMany(this.config.outbox, events)
        return written
      }
    },
})
