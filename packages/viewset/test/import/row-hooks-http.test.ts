import { AllowAny, ImportableViewSet, importModel, skipRow, ValidationError } from 'viewset'
import { expect, test } from 'vitest'
import { useApi } from '../support/api.ts'
import { describeOneDialect } from '../support/dialects.ts'
import { models, users } from '../support/models.ts'
import { importForm } from '../support/multipart.ts'
import { serializers } from '../support/serializers.ts'

describeOneDialect('a row hook over HTTP', dialect => {
  const tables = models(dialect.kit)
  const { categories } = tables
  const { CategorySerializer } = serializers(tables)
  const seen: unknown[] = []
  const CategoryViewSet = ImportableViewSet({
    model: categories,
    serializer: CategorySerializer,
    permissionClasses: [AllowAny],
    importFileConfig: {
      fileFormat: 'csv',
      order: ['categories'],
      models: { categories: importModel({ model: categories, fields: ['code', 'label'], uniqueFields: ['code'] }) },
      prepareRow(row, { view }) {
        seen.push([view?.user?.id ?? null, view?.action])
        if (row.code === '--') return skipRow
        if (row.code === '!!') throw new ValidationError({ code: ['What is this?'] })
        return { ...row, label: `${row.label} (${view?.request.query.by})` }
      },
    },
  })
  const api = useApi(dialect, {
    tables,
    users,
    unknownParameters: 'ignore',
    resources: { categories: CategoryViewSet },
  })

  test('sees the view of its request, and what it leaves out is told', async () => {
    const file = importForm('code,label\nA,Aa\n--,Total\n!!,Bang\n')
    const answer = await api.request('POST', '/categories/import-from-file/?by=hand', { ...file, as: 'ann' })
    expect(answer.status).toBe(207)
    expect(JSON.parse(answer.text)).toMatchObject({
      message: '1 of 3 rows failed; of the others, 1 stored, 1 skipped.',
      data: {
        processed: 3,
        created: 1,
        updated: 0,
        skipped: 1,
        failed: 1,
        errors: [{ row: 4, field: 'code', column: 'code', message: 'What is this?', model: 'categories' }],
      },
    })
    expect(seen).toEqual([
      [users.ann.id, 'importFile'],
      [users.ann.id, 'importFile'],
      [users.ann.id, 'importFile'],
    ])
  })
})
