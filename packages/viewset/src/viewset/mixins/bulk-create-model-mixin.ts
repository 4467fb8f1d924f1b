import { modelInfo } from '../../model/model-info.ts'
import type { RecordList } from '../../records/record-list.ts'
import { insertRecords } from '../../records/write-many.ts'
import type { Values } from '../../store/write.ts'
import { answer, returnsRows } from '../bulk/answer.ts'
import { bulkItems } from '../bulk/items.ts'
import type { GenericViewSet } from '../generic-viewset.ts'
import { defineMixin } from '../mixin.ts'
import { ownCreate } from '../own-writes.ts'
import { checkCreated } from '../scope-check.ts'

type BulkCreateView = GenericViewSet & { performBulkCreate(values: Values[]): Promise<RecordList> }

/** `POST /resource/bulk-create/`: new records from an array, all of them or none. */
export const BulkCreateModelMixin = defineMixin('BulkCreateModelMixin', {
  settings: ['bulkBatchSize', 'returnDataOnCreate'],
  routes: [{ method: 'POST', path: '/bulk-create/', action: 'bulkCreate', status: 201, prepare: bulkItems }],
  methods: {
    async bulkCreate(this: BulkCreateView): Promise<object> {
      const values = await this.validateMany(bulkItems(this).map(input => ({ input })))
      const created = await this.performBulkCreate(values)
      await checkCreated(
        this,
        () => created.keys,
        index => `${index}.`,
      )
      return answer(this, this.config.returnDataOnCreate, created)
    },

    async performBulkCreate(this: GenericViewSet, values: Values[]): Promise<RecordList> {
      const createEach = ownCreate(this)
      if (createEach) return createEach(values, (_, index) => String(index))
      const rows = returnsRows(this, this.config.returnDataOnCreate)
      return insertRecords(this.database, modelInfo(this.model), values, { rows })
    },
  },
})
