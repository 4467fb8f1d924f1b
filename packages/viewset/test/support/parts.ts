import { AllowAny, BaseModelSerializer, BulkImportableViewSet, HistoryModelMixin, importModel } from 'viewset'
import { kit as pgKit } from 'viewset/pg'
import { kit as sqliteKit } from 'viewset/sqlite'

/** A table whose records have long histories. */
export function parts(dialect: 'pg' | 'sqlite') {
  const c = dialect === 'pg' ? pgKit : sqliteKit
  const parts = c.table('parts', {
    id: c.integer().primaryKey(),
    code: c.text(20).notNull().unique(),
    name: c.text(40),
    stock: c.integer(),
    price: c.decimal(8, 2),
  })
  return { parts, ...c.HistoryTable(parts), ...c.JobTables() }
}

export type PartsTables = ReturnType<typeof parts>

export function partsResource({ parts }: PartsTables) {
  const fields = ['code', 'name', 'stock', 'price'] as const
  return BulkImportableViewSet.add(HistoryModelMixin)({
    model: parts,
    serializer: BaseModelSerializer(parts, { fields: ['id', ...fields] }),
    permissionClasses: [AllowAny],
    importFileConfig: {
      fileFormat: 'csv',
      order: ['parts'],
      models: { parts: importModel({ model: parts, fields, uniqueFields: ['code'] }) },
    },
  })
}
