import { setting, shared } from '../../core/setting-rules.ts'
import type { Model } from '../../model/kit.ts'
import type { RecordList } from '../../records/record-list.ts'
import { insertRecords } from '../../records/write-records.ts'
import type { ModelSerializer, SerializerData, SerializerInput } from '../../serializer/model-serializer.ts'
import type { Values } from '../../store/write/write.ts'
import type { ListPage } from '../answer/reply.ts'
import { type BulkCount, bulkAnswer, bulkItems, itemsSchema, returnsRows } from '../bulk/items.ts'
import { recordsOrCount } from '../description/route-description.ts'
import { defineMixin } from '../mixin.ts'
import { checkCreated } from '../records-in-scope.ts'
import { withFixedValues } from '../write/fixed-values.ts'
import { overriddenCreate } from '../write/overridden-writes.ts'
import { performWrite } from '../write/perform-write.ts'
import { BulkModelMixin } from './bulk-model-mixin.ts'

declare module '../mixin-types.ts' {
  interface MixinTypes<M extends Model, S extends ModelSerializer<M>> {
    BulkCreateModelMixin: {
      config: {
        /**
         * Whether a create answers with the new records. Default true; otherwise with `{}`, in bulk with their number.
         */
        readonly returnDataOnCreate?: boolean
      }
      methods: {
        bulkCreate(): Promise<ListPage<SerializerData<S>> | BulkCount>
        /** Stores new records with one statement, without signals; one by one if the model has a `preSave` handler. */
        performBulkCreate(values: SerializerInput<S>[]): Promise<RecordList<M>>
      }
    }
  }
}

/** `POST /resource/bulk-create/`: creates all records of an array, or none. */
export const BulkCreateModelMixin = defineMixin('BulkCreateModelMixin', {
  extends: [BulkModelMixin],
  settings: { returnDataOnCreate: shared(setting.boolean) },
  routes: [
    {
      method: 'POST',
      path: '/bulk-create/',
      action: 'bulkCreate',
      status: 201,
      before: 'checkBulkItems',
      write: 'bulkCreate',
      describes: resource => {
        const { serializer, returnDataOnCreate: returnsData, appendEtags } = resource.config
        return {
          summary: `Create several ${resource.names.many}`,
          description: 'If one is refused, none is stored. `errors` names it by its position.',
          body: itemsSchema(serializer.inputSchema(), BulkModelMixin.own(resource)),
          data: recordsOrCount(serializer.outputSchema(), { returnsData, appendEtags }),
        }
      },
    },
  ],
  methods: (Base, _mixin) =>
    class extends Base {
      async bulkCreate(): Promise<object> {
        const items = bulkItems(this).map(input => ({ input }))
        const values = withFixedValues(this, 'validateMany', await this.validateMany(items))
        const created = await performWrite<'create'>(this, { kind: 'create', values }, plan =>
          this.performBulkCreate([...plan.values]),
        )
        await checkCreated(this, () => created.keys, placeOfItem)
        return bulkAnswer(this, this.config.returnDataOnCreate, created)
      }

      async performBulkCreate(values: Values[]): Promise<RecordList> {
        const createEach = overriddenCreate(this)
        if (createEach) return createEach(values, (_, index) => String(index))
        const rows = returnsRows(this, this.config.returnDataOnCreate)
        return insertRecords(this.database, this.definition.model, values, { rows, place: String })
      }
    },
})

function placeOfItem(index: number): string {
  return `${index}.`
}
