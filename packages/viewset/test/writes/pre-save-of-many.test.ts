import {
  AllowAny,
  BaseModelSerializer,
  BulkImportableViewSet,
  BulkUpsertModelMixin,
  DataToDataField,
  ImportService,
  importModel,
  preSave,
  ValidationError,
} from 'viewset'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { useApi } from '../support/api.ts'
import { describeDialects } from '../support/dialects.ts'
import { expectInvalid } from '../support/expect.ts'
import { csv } from '../support/imports.ts'
import { importForm } from '../support/multipart.ts'

describeDialects('what a preSave handler changes is stored by writes of many as well', dialect => {
  const c = dialect.kit
  const authors = c.table('authors', {
    id: c.integer().primaryKey(),
    name: c.text(20).notNull().unique(),
    slug: c.text(20),
  })
  const articles = c.table('articles', {
    id: c.integer().primaryKey(),
    title: c.text(20).notNull(),
    author: c.foreignKey(authors),
  })
  const permissionClasses = [AllowAny]
  const AuthorSerializer = BaseModelSerializer(authors, { fields: ['id', 'name', 'slug'], readOnly: ['slug'] })
  const rows = importModel({ model: authors, fields: ['name'], uniqueFields: ['name'] })
  const importFileConfig = { fileFormat: 'csv', order: ['authors'], models: { authors: rows } } as const
  const api = useApi(dialect, {
    tables: { authors, articles },
    resources: {
      authors: BulkImportableViewSet.add(BulkUpsertModelMixin)({
        model: authors,
        serializer: AuthorSerializer,
        permissionClasses,
        upsertFields: ['name'],
        importFileConfig,
        importPermissionClasses: permissionClasses,
      }),
      articles: BulkImportableViewSet({
        model: articles,
        serializer: BaseModelSerializer(articles, {
          fields: ['id', 'title'],
          extra: { author: DataToDataField({ queryset: authors, serializer: AuthorSerializer }) },
        }),
        permissionClasses,
        importFileConfig: {
          fileFormat: 'csv',
          order: ['articles'],
          models: { articles: importModel({ model: articles, fields: ['title'], uniqueFields: ['title'] }) },
        },
        importPermissionClasses: permissionClasses,
      }),
    },
  })
  const slugOf = (name: string) => name.toLowerCase().replaceAll(' ', '-')
  let stop = () => {}
  beforeAll(() => {
    stop = preSave(authors, ({ values }) => {
      if (values.name === 'Refused') throw new ValidationError({ name: ['Not this one.'] })
      if (values.name) values.slug = slugOf(values.name)
    })
  })
  afterAll(() => stop())
  const stored = async () => {
    const { rows } = await api.database.driver.run({ text: 'select name, slug from authors order by name' }, [])
    return rows.map(row => [...row])
  }

  test('bulk create, and its errors name the item', async () => {
    const created = await api.post('/authors/bulk-create/', [{ name: 'Ada L' }, { name: 'Bo B' }])
    expect(created.data()).toMatchObject([{ slug: 'ada-l' }, { slug: 'bo-b' }])
    expectInvalid(await api.post('/authors/bulk-create/', [{ name: 'Cy' }, { name: 'Refused' }]), {
      '1.name': ['Not this one.'],
    })
    expect(await stored()).toEqual([
      ['Ada L', 'ada-l'],
      ['Bo B', 'bo-b'],
    ])
  })

  test('bulk update, where records exchange a unique value', async () => {
    const created = await api.post('/authors/bulk-create/', [{ name: 'A' }, { name: 'B' }])
    const [a, b] = created.data<{ id: number }[]>()
    const changes = [
      { id: a?.id, name: 'B' },
      { id: b?.id, name: 'A' },
    ]
    const updated = await api.patch('/authors/bulk-update/', changes)
    expect(updated.data()).toMatchObject([
      { id: a?.id, name: 'B', slug: 'b' },
      { id: b?.id, name: 'A', slug: 'a' },
    ])
    expectInvalid(await api.patch('/authors/bulk-update/', [{ id: a?.id, name: 'Refused' }]), {
      '0.name': ['Not this one.'],
    })
  })

  test('bulk upsert', async () => {
    await api.database.driver.run({ text: "insert into authors (name) values ('Old')" }, [])
    const report = await api.post('/authors/bulk-upsert/', [{ name: 'New' }, { name: 'Old' }])
    expect(report.data()).toMatchObject({ created: 1, updated: 1 })
    expect(await stored()).toEqual([
      ['New', 'new'],
      ['Old', 'old'],
    ])
  })

  test('imports, with a resource and without', async () => {
    await api.database.driver.run({ text: "insert into authors (name) values ('Old')" }, [])
    const file = csv(['name'], ['New'], ['Old'], ['Refused'])
    const { payload, headers } = importForm(file)
    const imported = await api.request('POST', '/authors/import-from-file/', { payload, headers })
    expect(imported.data()).toMatchObject({ created: 1, updated: 1, failed: 1 })
    expect(imported.data<{ errors: object[] }>().errors).toMatchObject([
      { row: 4, field: 'name', message: 'Not this one.' },
    ])
    const service = new ImportService(importFileConfig, { database: api.database })
    expect(await service.import(csv(['name'], ['Other']), { append: true })).toMatchObject({ created: 1 })
    expect(await stored()).toEqual([
      ['New', 'new'],
      ['Old', 'old'],
      ['Other', 'other'],
    ])
  })

  test('records inside of others', async () => {
    const items = [
      { title: 'x', author: { name: 'In X' } },
      { title: 'y', author: { name: 'In Y' } },
    ]
    expect((await api.post('/articles/bulk-create/', items)).status).toBe(201)
    expect(await stored()).toEqual([
      ['In X', 'in-x'],
      ['In Y', 'in-y'],
    ])
    expectInvalid(await api.post('/articles/bulk-create/', [{ title: 'z', author: { name: 'Refused' } }]), {
      '0.author.name': ['Not this one.'],
    })
  })
})
