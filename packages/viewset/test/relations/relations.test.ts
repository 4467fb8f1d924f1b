import { AllowAny, BaseModelSerializer, BaseViewSet, IdToDataField } from 'viewset'
import { describe, expect, test } from 'vitest'
import { useApi } from '../support/api.ts'
import { describeDialects } from '../support/dialects.ts'
import { expectError, expectInvalid, expectSuccess, ID, uuid } from '../support/expect.ts'
import { models, seed } from '../support/models.ts'
import { serializers } from '../support/serializers.ts'
import { noRecord, notAKey, notAWholeNumber } from '../support/texts.ts'

describeDialects('relations', dialect => {
  const tables = models(dialect.kit)
  const { AuthorReference, CommentSerializer, ShelfSerializer, LoanSerializer, TitleSerializer } = serializers(tables)
  const permissionClasses = [AllowAny]
  const author = IdToDataField({ queryset: tables.authors, serializer: AuthorReference })
  const ArticleReference = BaseModelSerializer(tables.articles, { fields: ['id', 'title'], extra: { author } })
  const ParentReference = BaseModelSerializer(tables.comments, { fields: ['id', 'text'] })
  /** Loses a race: the author is gone after it was found to be there. */
  class Late extends BaseViewSet({ model: tables.articles, serializer: TitleSerializer, permissionClasses }) {
    override async performCreate(values: { author?: string }) {
      await this.db.delete(tables.authors)
      return super.performCreate(values)
    }
  }
  const api = useApi(dialect, {
    tables,
    resources: {
      late: Late,
      articles: BaseViewSet({ model: tables.articles, serializer: TitleSerializer, permissionClasses }),
      comments: BaseViewSet({
        model: tables.comments,
        serializer: CommentSerializer,
        permissionClasses,
        ordering: 'text',
      }),
      deep: BaseViewSet({
        model: tables.comments,
        serializer: BaseModelSerializer(tables.comments, {
          fields: ['id', 'parent', 'text', 'article'],
          extra: {
            article: IdToDataField({ queryset: tables.articles, serializer: ArticleReference }),
            parent: IdToDataField({ queryset: tables.comments, serializer: ParentReference }),
          },
        }),
        permissionClasses,
        ordering: 'text',
      }),
      renamed: BaseViewSet({
        model: tables.articles,
        serializer: BaseModelSerializer(tables.articles, {
          fields: ['id', 'title', 'author'],
          extra: {
            writer: IdToDataField({
              queryset: tables.authors,
              serializer: AuthorReference,
              column: 'author',
              readOnly: true,
            }),
          },
        }),
        permissionClasses,
      }),
      shelves: BaseViewSet({ model: tables.shelves, serializer: ShelfSerializer, permissionClasses }),
      loans: BaseViewSet({ model: tables.loans, serializer: LoanSerializer, permissionClasses }),
    },
  })
  const ada = { id: uuid(1), name: 'Ada' }
  const bob = { id: uuid(2), name: 'Bob' }
  const seedComments = () =>
    seed(api.database, tables, {
      authors: [ada, bob],
      articles: [{ id: uuid(11), title: 'A', author: uuid(1) }],
      comments: [
        { id: uuid(21), article: uuid(11), text: 'first' },
        { id: uuid(22), article: uuid(11), text: 'second', parent: uuid(21) },
      ],
    })
  const article = { id: uuid(11), title: 'A', author: ada }

  test('without IdToDataField, a foreign key shows the identifier', async () => {
    await seedComments()
    expectSuccess(await api.get(`/comments/${uuid(22)}/`), 200, {
      data: { id: uuid(22), article: uuid(11), parent: uuid(21), text: 'second' },
    })
  })

  test('IdToDataField takes an identifier and shows the record behind it', async () => {
    await seedComments()
    const response = await api.post('/deep/', { article: uuid(11), parent: uuid(22), text: 'third' })
    expectSuccess(response, 201, { data: { id: ID, parent: { id: uuid(22), text: 'second' }, text: 'third', article } })
  })

  test('nests relations of relations and relations to the same table', async () => {
    await seedComments()
    const first = { id: uuid(21), parent: null, text: 'first', article }
    const second = { id: uuid(22), parent: { id: uuid(21), text: 'first' }, text: 'second', article }
    expectSuccess(await api.get('/deep/'), 200, {
      count: 2,
      data: [
        { ...first, index: 1 },
        { ...second, index: 2 },
      ],
    })
    expectSuccess(await api.get('/deep/?paginated=false'), 200, {
      data: [
        { ...first, index: 1 },
        { ...second, index: 2 },
      ],
    })
    expectSuccess(await api.get(`/deep/${uuid(22)}/`), 200, { data: second })
    expect(await api.statementsOf(() => api.get('/deep/'))).toHaveLength(2)
    expect(await api.statementsOf(() => api.get(`/deep/${uuid(22)}/`))).toHaveLength(1)
  })

  test('a relation may have another name than its column, and be read-only', async () => {
    await seedComments()
    const response = await api.post('/renamed/', { title: 'B', author: uuid(1), writer: uuid(2) })
    expectSuccess(response, 201, { data: { id: ID, title: 'B', author: uuid(1), writer: ada } })
  })

  test('an update answers the new record behind the relation', async () => {
    await seedComments()
    const response = await api.patch(`/renamed/${uuid(11)}/`, { author: uuid(2) })
    expectSuccess(response, 200, { data: { id: uuid(11), title: 'A', author: uuid(2), writer: bob } })
  })

  test('null takes an optional relation away', async () => {
    await seedComments()
    const response = await api.patch(`/deep/${uuid(22)}/`, { parent: null })
    expectSuccess(response, 200, { data: { id: uuid(22), parent: null, text: 'second', article } })
  })

  describe('refuses', () => {
    test('a record that does not exist, in every relation at once', async () => {
      const response = await api.post('/deep/', { article: uuid(98), parent: uuid(99), text: 'x' })
      expectInvalid(response, { parent: [noRecord('comment', uuid(99))], article: [noRecord('article', uuid(98))] })
      expect(await api.rows('comments')).toEqual([])
    })

    test.each([
      ['a malformed identifier', 'abc', [notAKey('abc')]],
      ['an object', { id: uuid(11) }, ['Send the "id" of the related record, not an object.']],
      ['a number', 11, [notAKey(11)]],
      ['null', null, ['This field needs a value: null is not allowed.']],
      ['nothing', undefined, ['This field is required.']],
    ])('%s', async (_, sent, messages) => {
      await seedComments()
      expectInvalid(await api.post('/deep/', { article: sent, text: 'x' }), { article: messages })
      expectInvalid(await api.post('/comments/', { article: sent, text: 'x' }), { article: messages })
    })

    test('on update as well, changing nothing', async () => {
      await seedComments()
      expectInvalid(await api.patch(`/deep/${uuid(22)}/`, { parent: uuid(99) }), {
        parent: [noRecord('comment', uuid(99))],
      })
      expect((await api.get(`/comments/${uuid(22)}/`)).data()).toMatchObject({ parent: uuid(21) })
    })

    test('a key of text that does not exist', async () => {
      await seed(api.database, tables, { shelves: [{ id: 1, label: 'A' }], categories: [{ code: '007', label: 'x' }] })
      for (const category of ['7', '0070', 'x']) {
        expectInvalid(await api.patch('/shelves/1/', { category }), {
          category: [noRecord('category', category, 'code')],
        })
      }
      expect((await api.patch('/shelves/1/', { category: '007' })).status).toBe(200)
    })

    test('a key that is a number and does not exist, or is none', async () => {
      await seed(api.database, tables, { shelves: [{ id: 1, label: 'A' }], loans: [{ id: 5n, shelf: 1, fee: '1' }] })
      expectInvalid(await api.patch('/loans/5/', { shelf: 2 }), { shelf: [noRecord('shelf', 2)] })
      expectInvalid(await api.patch('/loans/5/', { shelf: '1' }), { shelf: [notAWholeNumber('1')] })
      expect((await api.patch('/loans/5/', { shelf: 1 })).status).toBe(200)
    })
  })

  test('an identifier is taken in any case', async () => {
    const id = 'f47ac10b-58cc-4372-a567-0e02b2c3d479'
    await seed(api.database, tables, { authors: [{ id, name: 'Eve' }] })
    const response = await api.post('/articles/', { title: 'A', author: id.toUpperCase() })
    expect(response.data().author).toBe(id)
  })

  test('a record that is gone by the time of the write is 409, naming the field', async () => {
    await seed(api.database, tables, { authors: [ada] })
    expectError(
      await api.post('/late/', { title: 'A', author: uuid(1) }),
      409,
      'The record that this refers to does not exist.',
      {
        author: ['The record that this refers to does not exist.'],
      },
    )
    expect(await api.rows('authors')).toHaveLength(1)
  })

  test('two concurrent deletes and creates never leave a reference to nothing', async () => {
    await seed(api.database, tables, { authors: [ada] })
    await Promise.all([
      api.post('/articles/', { title: 'A', author: uuid(1) }),
      api.database.driver.run({ text: 'delete from authors' }, []).catch(() => undefined),
    ])
    expect((await api.rows('articles')).length).toBe((await api.rows('authors')).length)
  })
})
