import {
  AllowAny,
  BaseModelSerializer,
  BaseViewSet,
  BulkImportableViewSet,
  IdToDataField,
  importModel,
  insertMany,
  ManyIdToDataField,
} from 'viewset'
import { describe, expect, test } from 'vitest'
import { useApi } from '../support/api.ts'
import { describeDialects } from '../support/dialects.ts'
import { expectInvalid, uuid } from '../support/expect.ts'
import { allowUndescribed } from '../support/hold-to-description.ts'
import { library } from '../support/library.ts'
import { models, seed } from '../support/models.ts'
import { importForm } from '../support/multipart.ts'
import { notANumber, notAUuid } from '../support/texts.ts'

const ADA = 'f47ac10b-58cc-4372-a567-0e02b2c3d479'
const FORMS = [
  ['in lower case', ADA],
  ['in upper case', ADA.toUpperCase()],
  ['without hyphens', ADA.replaceAll('-', '')],
  ['without hyphens, in upper case', ADA.replaceAll('-', '').toUpperCase()],
  ['as a URN', `urn:uuid:${ADA}`],
  ['as a URN in upper case', `URN:UUID:${ADA.toUpperCase()}`],
] as const
const ONE_FORM = 'The document names the one form that is answered; the others are read for clients that have them.'

describeDialects('a value may be written in more than one form:', dialect => {
  const tables = models(dialect.kit)
  const { authors, articles } = tables
  const AuthorReference = BaseModelSerializer(authors, { fields: ['id', 'name'] })
  const permissionClasses = [AllowAny]
  const api = useApi(dialect, {
    tables,
    resources: {
      authors: BulkImportableViewSet({
        model: authors,
        serializer: AuthorReference,
        permissionClasses,
        filterFields: { id: ['exact', 'in'] },
        importFileConfig: {
          fileFormat: 'csv',
          order: ['authors'],
          models: { authors: importModel({ model: authors, fields: ['id', 'name'], uniqueFields: ['id'] }) },
        },
      }),
      articles: BulkImportableViewSet({
        model: articles,
        serializer: BaseModelSerializer(articles, {
          fields: ['id', 'title', 'author', 'price', 'reference'],
          extra: { author: IdToDataField({ queryset: authors, serializer: AuthorReference }) },
        }),
        permissionClasses,
        filterFields: { author: ['exact'], price: ['exact', 'range'], reference: ['exact'] },
        importFileConfig: {
          fileFormat: 'csv',
          order: ['articles'],
          models: {
            articles: importModel({
              model: articles,
              fields: ['title', 'price', 'author'],
              uniqueFields: ['title'],
              matchWithoutIndex: true,
            }),
          },
        },
      }),
    },
  })
  const ada = { id: ADA, name: 'Ada' }
  const csv = (...lines: readonly string[]) => importForm(Buffer.from(lines.join('\n')), { append: true })

  describe.each(FORMS)('a UUID %s', (_, form) => {
    const encoded = encodeURIComponent(form)

    test('in an address and in a filter', async () => {
      allowUndescribed(/takes (id|id__in|author)=/, ONE_FORM)
      await seed(api.database, tables, { authors: [ada] })
      expect((await api.get(`/authors/${encoded}/`)).data()).toEqual(ada)
      expect((await api.patch(`/authors/${encoded}/`, { name: 'Eva' })).data()).toEqual({ ...ada, name: 'Eva' })
      for (const query of [`id=${encoded}`, `id__in=${uuid(9)},${encoded}`]) {
        expect((await api.get(`/authors/?${query}`)).envelope()).toMatchObject({ count: 1 })
      }
      expect((await api.get(`/articles/?author=${encoded}`)).envelope()).toMatchObject({ count: 0 })
    })

    test('in a body, alone and in bulk', async () => {
      allowUndescribed(/takes|body/, ONE_FORM)
      await seed(api.database, tables, { authors: [ada] })
      const sent = { title: 'One', author: form, reference: form }
      const shown = { title: 'One', author: ada, reference: ADA }
      expect((await api.post('/articles/', sent)).data()).toMatchObject(shown)
      const created = await api.post('/articles/bulk-create/', [{ ...sent, title: 'Two' }])
      expect(created.data()).toMatchObject([{ ...shown, title: 'Two' }])
      const updated = await api.request('PATCH', '/authors/bulk-update/', { body: [{ id: form, name: 'Eva' }] })
      expect(updated.data()).toEqual([{ id: ADA, name: 'Eva' }])
    })

    test('in a bulk delete, which counts it once with its other forms', async () => {
      allowUndescribed(/takes|body/, ONE_FORM)
      await seed(api.database, tables, { authors: [ada] })
      const deleted = await api.request('DELETE', '/authors/bulk-delete/', { body: [form, ADA] })
      expect(deleted.data()).toEqual({ requested_count: 2, count: 1, missing_ids: [] })
    })

    test('in a file', async () => {
      await seed(api.database, tables, { authors: [ada] })
      const updated = await api.request('POST', '/authors/import-from-file/', csv('id,name', `${form},Eva`))
      expect(updated.data()).toMatchObject({ created: 0, updated: 1, failed: 0 })
    })
  })

  test.each([
    ['in braces', `{${ADA}}`],
    ['with a hyphen missing', ADA.replace('-', '')],
    ['with hyphens elsewhere', 'f47ac10b58cc-4372-a567-0e02-b2c3d479'],
    ['with another namespace', `urn:isbn:${ADA}`],
    ['with a digit more', `${ADA}0`],
  ])('a UUID %s is none', async (_, text) => {
    expect((await api.get(`/authors/${encodeURIComponent(text)}/`)).status).toBe(404)
    await seed(api.database, tables, { authors: [ada] })
    const refused = await api.post('/articles/', { title: 'One', author: ADA, reference: text })
    expectInvalid(refused, { reference: [notAUuid(text)] })
  })

  test.each([
    ['2E+1', '20.00'],
    ['2e1', '20.00'],
    ['-1.5E2', '-150.00'],
    ['12.3e-1', '1.23'],
    ['5E-2', '0.05'],
    ['250e-2', '2.50'],
    ['0E+30', '0.00'],
  ])('the decimal %s is %s, in a body, a filter and a file', async (text, price) => {
    allowUndescribed(/takes|body/, ONE_FORM)
    await seed(api.database, tables, { authors: [ada] })
    expect((await api.post('/articles/', { title: 'One', author: ADA, price: text })).data().price).toBe(price)
    const encoded = encodeURIComponent(text)
    for (const query of [`price=${encoded}`, `price__range=${encoded},${encoded}`]) {
      expect((await api.get(`/articles/?${query}`)).envelope().count).toBe(1)
    }
    const file = csv('title,price,author', `Two,${text},${ADA}`)
    expect((await api.request('POST', '/articles/import-from-file/', file)).data()).toMatchObject({ failed: 0 })
    expect((await api.get(`/articles/?price=${encoded}`)).envelope().count).toBe(2)
  })

  test.each([
    ['2E+6', 'Ensure that there are no more than 6 digits before the decimal point.'],
    ['2E-3', 'Ensure that there are no more than 2 decimal places.'],
    ['2E+1000000', notANumber('2E+1000000')],
    ['2E', notANumber('2E')],
    ['E2', notANumber('E2')],
    ['2E1.5', notANumber('2E1.5')],
  ])('the decimal %s is refused', async (price, message) => {
    await seed(api.database, tables, { authors: [ada] })
    expectInvalid(await api.post('/articles/', { title: 'One', author: ADA, price }), { price: [message] })
  })
})

describeDialects('the key of a related record may be written in more than one form:', dialect => {
  const tables = library(dialect.kit)
  const { people, books, tags, bookTags } = tables
  const Tag = BaseModelSerializer(tags, { fields: ['id', 'label'] })
  const api = useApi(dialect, {
    tables,
    resources: {
      books: BaseViewSet({
        model: books,
        serializer: BaseModelSerializer(books, {
          fields: ['id', 'title', 'author'],
          extra: { tags: ManyIdToDataField({ queryset: tags, serializer: Tag, through: bookTags }) },
        }),
        permissionClasses: [AllowAny],
      }),
    },
  })

  test.each(FORMS)('a UUID %s in a list of keys', async (_, form) => {
    allowUndescribed(/takes|body/, ONE_FORM)
    await api.database.transaction(async () => {
      await insertMany(people, [{ id: ADA, name: 'Ada' }])
      await insertMany(tags, [{ id: ADA, label: 'new' }])
    })
    const created = await api.post('/books/', { title: 'One', author: form, tags: [form] })
    expect(created.data()).toMatchObject({ author: ADA, tags: [{ id: ADA, label: 'new' }] })
  })
})
