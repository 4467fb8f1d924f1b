import {
  AllowAny,
  allRecords,
  BulkCreateModelMixin,
  BulkCreateViewSet,
  BulkDeleteViewSet,
  BulkOnlyViewSet,
  BulkRestoreModelMixin,
  BulkUpdateViewSet,
  BulkUpsertModelMixin,
  BulkViewSet,
  type ColumnKit,
  compose,
  ListModelMixin,
  type ListPage,
  ReadOnlyViewSet,
} from 'viewset'
import { models } from '../support/models.ts'
import { serializers } from '../support/serializers.ts'

declare const kit: ColumnKit
const tables = models(kit)
const { AuthorSerializer } = serializers(tables)
const authors = { model: tables.authors, serializer: AuthorSerializer, permissionClasses: [AllowAny] }

// Every bulk class takes the settings of its mixins.
BulkViewSet.add(
  BulkUpsertModelMixin,
  BulkRestoreModelMixin,
)({
  ...authors,
  bulkBatchSize: 10,
  useSaveOnBulkUpdate: true,
  returnDataOnCreate: false,
  returnDataOnUpdate: false,
  upsertFields: ['email'],
  restoreQueryset: () => allRecords,
})
BulkViewSet.with({ bulkBatchSize: 10, useSaveOnBulkUpdate: true })
compose(ListModelMixin, BulkCreateModelMixin)({ ...authors, bulkBatchSize: 10 })

// @ts-expect-error a batch size is a number
BulkCreateViewSet({ ...authors, bulkBatchSize: '10' })
// @ts-expect-error an unknown field
BulkViewSet.add(BulkUpsertModelMixin)({ ...authors, upsertFields: ['emial'] })
// @ts-expect-error save mode is a switch
BulkUpdateViewSet({ ...authors, useSaveOnBulkUpdate: 'always' })
// @ts-expect-error the setting of a mixin that is not included
BulkCreateViewSet({ ...authors, useSaveOnBulkUpdate: true })
// @ts-expect-error the setting of mixins that are not included
ReadOnlyViewSet({ ...authors, bulkBatchSize: 10 })
// @ts-expect-error there is no restore without its mixin
BulkOnlyViewSet({ ...authors, bulkRestore: true })

declare const context: ConstructorParameters<typeof Everything>[0]
class Everything extends BulkViewSet(authors) {
  override getBulkBatchSize() {
    return this.user === null ? 10 : super.getBulkBatchSize()
  }

  override async performBulkCreate(values: { name?: string; email?: string | null }[]) {
    const created = await super.performBulkCreate(values)
    const [author] = await created.records()
    author?.name satisfies string | undefined
    // @ts-expect-error no such field
    author?.nmae
    return created
  }

  override async performBulkUpdate(changes: Parameters<InstanceType<typeof Base>['performBulkUpdate']>[0]) {
    for (const { record, values } of changes) {
      record.name satisfies string
      values.name satisfies string | undefined
      // @ts-expect-error a name is text
      values.name = 5
    }
    return super.performBulkUpdate(changes)
  }

  override async performBulkDelete(records: Parameters<InstanceType<typeof Base>['performBulkDelete']>[0]) {
    return (await super.performBulkDelete(records)) satisfies number
  }
}
const Base = BulkViewSet(authors)

async function answers(view: Everything) {
  const created = await view.bulkCreate()
  // @ts-expect-error it may be just the number
  created.items()
  if ('count' in created) created.count satisfies number
  else created satisfies ListPage<{ id: string; name: string; email: string | null }>
  ;(await view.bulkDelete()).missing_ids satisfies readonly unknown[]
}
// A class has the actions of its mixins and no others.
// @ts-expect-error
;new (BulkCreateViewSet(authors))(context).bulkUpdate
// @ts-expect-error
;new (BulkDeleteViewSet(authors))(context).bulkSoftDelete
// @ts-expect-error
;new (BulkOnlyViewSet(authors))(context).bulkSoftDelete
;new (BulkOnlyViewSet(authors))(context).bulkDelete

export { answers, Everything }

class ReadOnly extends ReadOnlyViewSet(authors) {
  // @ts-expect-error there is no bulk action whose size it could be
  override getBulkBatchSize() {
    return 10
  }
}
new ReadOnly(context)
