import { AllowAny, BaseModelSerializer, BulkImportableViewSet, importModel } from 'viewset'
import { expect, test } from 'vitest'
import { useApi } from '../support/api.ts'
import { describeDialects } from '../support/dialects.ts'
import { csv } from '../support/imports.ts'
import { importForm } from '../support/multipart.ts'

interface Report {
  readonly failed: number
  readonly warnings?: readonly { readonly row: number; readonly field: string; readonly message: string }[]
}

describeDialects('a row that overwrites an earlier one of its file', dialect => {
  const c = dialect.kit
  const goods = c.table('goods', {
    id: c.integer().primaryKey(),
    code: c.text(10).notNull().unique(),
    price: c.decimal(8, 2),
  })
  const viewset = (more: object) =>
    BulkImportableViewSet({
      model: goods,
      serializer: BaseModelSerializer(goods, { fields: ['id', 'code', 'price'] }),
      permissionClasses: [AllowAny],
      importPermissionClasses: [AllowAny],
      importFileConfig: {
        fileFormat: 'csv',
        order: ['goods'],
        chunkSize: 2,
        models: { goods: importModel({ model: goods, fields: ['code', 'price'], uniqueFields: ['code'], ...more }) },
      },
    })
  const resources = { goods: viewset({}), kept: viewset({ onExisting: 'skip' }) }
  const api = useApi(dialect, { tables: { goods }, resources })
  const send = async (resource: string, more: Readonly<Record<string, string>> = {}) => {
    const rows = csv(['code', 'price'], ['A', '1'], ['B', '2'], ['A', '3'], ['B', '2'], ['A', '1'])
    const answer = await api.request('POST', `/${resource}/import-from-file/`, importForm(rows, { more }))
    return answer.data<Report>()
  }
  const stored = async () => (await api.rows('goods')).map(([, code, price]) => `${code} ${Number(price)}`).toSorted()

  test('has a warning, also in a later chunk; an equal row has none', async () => {
    const report = await send('goods')
    expect(report.failed).toBe(0)
    expect(report.warnings).toEqual([
      {
        row: 4,
        field: 'code',
        column: 'code',
        message: 'Row 2 has the same code and other values. Keep one of the rows.',
        model: 'goods',
      },
    ])
    expect(await stored()).toEqual(['A 1', 'B 2'])
  })

  test('fails if warnings fail rows, and the earlier row counts', async () => {
    expect(await send('goods', { fail_on_warnings: 'true' })).toMatchObject({ failed: 1, errors: [{ row: 4 }] })
    expect(await stored()).toEqual(['A 1', 'B 2'])
  })

  test('has none if stored records stay as they are', async () => {
    expect((await send('kept')).warnings).toBeUndefined()
  })
})
