import { customType } from 'drizzle-orm/sqlite-core'
import { createKit, sqliteKitParts } from 'viewset/dialect'
import { liteDialect } from './dialect.ts'

const yesOrNo = customType<{ data: boolean; driverData: string }>({
  dataType: () => 'text',
  toDriver: value => (value ? 'yes' : 'no'),
  fromDriver: value => value === 'yes',
})

export const kit = createKit({
  ...sqliteKitParts,
  dialect: liteDialect,
  columns: { ...sqliteKitParts.columns, boolean: () => yesOrNo() },
})
