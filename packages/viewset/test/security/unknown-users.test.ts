import { AllowAny, importModel } from 'viewset'
import { expect, test } from 'vitest'
import { type TestResponse, useApi } from '../support/api.ts'
import { describeOneDialect } from '../support/dialects.ts'
import { expectError, uuid } from '../support/expect.ts'
import { FullViewSet } from '../support/full-viewset.ts'
import { csv } from '../support/imports.ts'
import { models, seed, seedUsers, users } from '../support/models.ts'
import { importForm } from '../support/multipart.ts'
import { serializers } from '../support/serializers.ts'

describeOneDialect('a user who is not among the users that audit fields refer to', dialect => {
  const tables = models(dialect.kit)
  const { TitleSerializer } = serializers(tables)
  const api = useApi(dialect, {
    tables,
    users,
    resources: {
      articles: FullViewSet({
        model: tables.articles,
        serializer: TitleSerializer,
        permissionClasses: [AllowAny],
        upsertFields: ['author', 'title'],
        importFileConfig: {
          fileFormat: 'csv',
          order: ['articles'],
          models: {
            articles: importModel({
              model: tables.articles,
              fields: ['author', 'title', 'rating'],
              uniqueFields: ['author', 'title'],
            }),
          },
        },
      }),
    },
  })
  const message =
    'You are signed in as a user who is not stored here, so no record can be marked as created or changed by you.'
  const refused = (response: TestResponse, field: string) =>
    expectError(
      response,
      409,
      'You are signed in as a user who is not stored here, so no record can be marked as created or changed by you.',
      { [field]: [message] },
    )
  const seedArticle = () =>
    seed(api.database, tables, {
      authors: [{ id: uuid(1), name: 'Ada' }],
      articles: [{ id: uuid(11), title: 'Engines', author: uuid(1) }],
    })

  test('is told so at the field, on every way to write', async () => {
    await seedArticle()
    const before = await api.rows('articles')
    const as = { as: 'ann' }
    const looms = { title: 'Looms', author: uuid(1) }
    const id = uuid(11)
    refused(await api.post('/articles/', looms, as), 'created_by')
    refused(await api.patch(`/articles/${id}/`, { rating: 1 }, as), 'updated_by')
    refused(await api.put(`/articles/${id}/`, looms, as), 'updated_by')
    refused(await api.post('/articles/bulk-create/', [looms], as), 'created_by')
    refused(await api.patch('/articles/bulk-update/', [{ id, rating: 1 }], as), 'updated_by')
    refused(await api.post('/articles/bulk-upsert/', [looms], as), 'created_by')
    refused(await api.post('/articles/bulk-upsert/', [{ ...looms, title: 'Engines' }], as), 'updated_by')
    refused(await api.post('/articles/bulk-soft-delete/', [id], as), 'updated_by')
    expect(await api.rows('articles')).toEqual(before)
  })

  test('is told so in the rows of an import', async () => {
    await seedArticle()
    const form = importForm(csv(['author', 'title', 'rating'], [uuid(1), 'Looms', 1]))
    const response = await api.request('POST', '/articles/import-from-file/', { ...form, as: 'ann' })
    expect(response.status).toBe(207)
    expect(response.data<{ errors: object[] }>().errors).toMatchObject([{ row: 2, field: 'created_by', message }])
  })

  test('nobody, and somebody who is stored, can write', async () => {
    await seedArticle()
    expect((await api.post('/articles/', { title: 'Looms', author: uuid(1) })).status).toBe(201)
    await seedUsers(api.database, tables)
    expect((await api.post('/articles/', { title: 'Mills', author: uuid(1) }, { as: 'ann' })).status).toBe(201)
  })
})
