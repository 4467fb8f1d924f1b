import {
  AllowAny,
  BaseModelSerializer,
  BulkViewSet,
  DataToDataField,
  FlexibleField,
  insertMany,
  StrOnlyField,
  StrToDataField,
} from 'viewset'
import { beforeEach, expect, test } from 'vitest'
import { useApi } from '../support/api.ts'
import { describeDialects } from '../support/dialects.ts'

describeDialects('a fixed key of a relation', dialect => {
  const c = dialect.kit
  const lands = c.table('lands', { id: c.integer().primaryKey(), code: c.text(10).notNull().unique() })
  const towns = c.table('towns', {
    id: c.integer().primaryKey(),
    name: c.text(10).notNull(),
    land: c.foreignKey(lands).notNull(),
  })
  const Land = BaseModelSerializer(lands, { fields: ['id', 'code'] })
  const forms = {
    StrOnlyField: StrOnlyField({ queryset: lands, str: 'code' }),
    StrToDataField: StrToDataField({ queryset: lands, str: 'code', serializer: Land }),
    DataToDataField: DataToDataField({ queryset: lands, serializer: Land }),
    FlexibleField: FlexibleField({ queryset: lands, serializer: Land }),
  }
  const towned = (form: keyof typeof forms) =>
    BulkViewSet({
      model: towns,
      serializer: BaseModelSerializer(towns, { name: form, fields: ['id', 'name'], extra: { land: forms[form] } }),
      permissionClasses: [AllowAny],
      fixedValues: () => ({ land: 2 }),
    })
  const api = useApi(dialect, {
    tables: { lands, towns },
    resources: {
      StrOnlyField: towned('StrOnlyField'),
      StrToDataField: towned('StrToDataField'),
      DataToDataField: towned('DataToDataField'),
      FlexibleField: towned('FlexibleField'),
    },
  })
  beforeEach(() =>
    api.database.use(() =>
      insertMany(lands, [
        { id: 2, code: 'SE' },
        { id: 3, code: '2' },
      ]),
    ),
  )

  // The client's own value is ignored.
  test.each([
    ['StrOnlyField', '2'],
    ['StrToDataField', '2'],
    ['DataToDataField', { id: 3 }],
    ['FlexibleField', 3],
  ])('is a key in each form of the field, and no text: %s', async (form, land) => {
    expect((await api.post(`/${form}/`, { name: 'one', land })).status).toBe(201)
    const items = [
      { name: 'two', land },
      { name: 'three', land },
    ]
    expect((await api.post(`/${form}/bulk-create/`, items)).status).toBe(201)
    expect((await api.rows('towns')).map(row => Number(row[2]))).toEqual([2, 2, 2])
  })
})
