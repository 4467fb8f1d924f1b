import { eq } from 'drizzle-orm'
import {
  AllowAny,
  BaseModelSerializer,
  BulkImportableViewSet,
  type ColumnKit,
  ConfigError,
  createRecord,
  importModel,
  insertMany,
} from 'viewset'
import { describe, expect, test } from 'vitest'
import { slugOf } from '../../src/core/text.ts'
import { modelInfo } from '../../src/model/model-info.ts'
import { slugColumns } from '../../src/model/slug-column.ts'
import { useApi } from '../support/api.ts'
import { describeDialects } from '../support/dialects.ts'

function labelTables(c: ColumnKit) {
  const labels = c.table(
    'labels',
    { ...c.BaseModelMixin(), ...c.SlugMixin({ from: 'name', length: 12 }), name: c.text(50).notNull() },
    t => [c.unique([t.slug], { where: eq(t.isActive, true) })],
  )
  const articles = c.table(
    'articles',
    {
      id: c.integer().primaryKey(),
      ...c.SlugMixin({ from: 'title', length: 12, ifTaken: 'extend' }),
      title: c.text(50),
    },
    t => [c.unique(t.slug)],
  )
  return { labels, articles }
}

describeDialects('SlugMixin', dialect => {
  const tables = labelTables(dialect.kit)
  const { labels, articles } = tables
  const api = useApi(dialect, {
    tables,
    resources: {
      articles: BulkImportableViewSet({
        model: articles,
        serializer: BaseModelSerializer(articles, { fields: ['id', 'title', 'slug'] }),
        permissionClasses: [AllowAny],
        importFileConfig: {
          fileFormat: 'csv',
          order: ['articles'],
          models: {
            articles: importModel({
              model: articles,
              fields: ['title'],
              uniqueFields: ['title'],
              matchWithoutIndex: true,
            }),
          },
        },
      }),
      labels: BulkImportableViewSet({
        model: labels,
        serializer: BaseModelSerializer(labels, { fields: ['id', 'name', 'slug'] }),
        permissionClasses: [AllowAny],
        lookupField: 'slug',
        queryset: () => eq(labels.isActive, true),
        importFileConfig: {
          fileFormat: 'csv',
          order: ['labels'],
          models: {
            labels: importModel({ model: labels, fields: ['name'], uniqueFields: ['name'], matchWithoutIndex: true }),
          },
        },
      }),
    },
  })
  const articleSlugs = async () => (await api.rows('articles')).map(row => String(row[1])).toSorted()
  const slugs = async () => (await api.get('/labels/?ordering=slug')).data<{ slug: string }[]>().map(({ slug }) => slug)

  test('fills the slug of each new record, if it has none of its own', async () => {
    expect((await api.post('/labels/', { name: 'Crème brûlée' })).data()).toMatchObject({ slug: 'creme-brulee' })
    expect((await api.post('/labels/', { name: 'Own', slug: 'x' })).data()).toMatchObject({ slug: 'x' })
    await api.post('/labels/bulk-create/', [{ name: 'In Bulk' }, { name: 'Also', slug: 'y' }])
    const form = new FormData()
    form.set('file', new Blob(['name\nFrom a File\n']), 'labels.csv')
    form.set('append_data', 'true')
    expect((await api.post('/labels/import-from-file/', form)).status).toBe(201)
    await api.database.transaction(async () => {
      await createRecord(labels, { name: 'By Code' })
      await insertMany(labels, [{ name: 'By Codes' }])
    })
    expect(await slugs()).toEqual(['by-code', 'by-codes', 'creme-brulee', 'from-a-file', 'in-bulk', 'x', 'y'])
    expect((await api.patch('/labels/in-bulk/', { name: 'Other' })).data()).toMatchObject({ slug: 'in-bulk' })
  })

  test('a derived slug must be free among the active records', async () => {
    await api.post('/labels/', { name: 'One' })
    const taken = { errors: { slug: [expect.any(String)] } }
    expect((await api.post('/labels/', { name: 'ONE!' })).envelope()).toMatchObject(taken)
    const bulk = await api.post('/labels/bulk-create/', [{ name: 'Two' }, { name: 'two' }])
    expect(bulk.envelope()).toMatchObject({ errors: { '1.slug': [expect.any(String)] } })
    const { id } = (await api.get('/labels/one/')).data()
    await api.delete('/labels/bulk-soft-delete/', { body: [id] })
    expect((await api.post('/labels/', { name: 'one' })).status).toBe(201)
  })

  test('a taken slug gets an ending, if the model says so', async () => {
    await api.post('/articles/', { title: 'One' })
    await api.post('/articles/', { title: 'one!' })
    await api.post('/articles/bulk-create/', [{ title: 'ONE' }, { title: 'Two' }, { title: 'two' }])
    const form = new FormData()
    form.set('file', new Blob(['title\ntwo?\nA long title indeed\nA long title too\n']), 'articles.csv')
    form.set('append_data', 'true')
    expect((await api.post('/articles/import-from-file/', form)).status).toBe(201)
    await api.database.transaction(() => createRecord(articles, { title: 'Two.' }))
    const own = await api.post('/articles/', { title: 'x', slug: 'one' })
    expect(own.envelope()).toMatchObject({ errors: { slug: [expect.any(String)] } })
    const all = await articleSlugs()
    expect(new Set(all).size).toBe(9)
    expect(all.filter(slug => /^one(-[0-9a-z]{6})?$/.test(slug))).toHaveLength(3)
    expect(all.filter(slug => /^two(-[0-9a-z]{6})?$/.test(slug))).toHaveLength(4)
    expect(
      all.filter(slug => /^a-lon(g-title|-[0-9a-z]{6})$/.test(slug)),
      String(all),
    ).toHaveLength(2)
  })

  test('must be derived from a text', () => {
    const wrong = dialect.kit.table('wrong', {
      id: dialect.kit.integer().primaryKey(),
      ...dialect.kit.SlugMixin({ from: 'nme' }),
    })
    expect(() => slugColumns(modelInfo(wrong))).toThrow(ConfigError)
  })
})

describe('slugOf', () => {
  test.each([
    ['  Hello,  World! ', 50, 'hello-world'],
    ['Ærø & Ålesund 2', 50, 'ærø-alesund-2'],
    ['東京 タワー', 50, '東京-タワー'],
    ['a b c', 4, 'a-b'],
    ['!!!', 50, ''],
  ])('%s', (text, length, slug) => {
    expect(slugOf(text, length)).toBe(slug)
  })
})
