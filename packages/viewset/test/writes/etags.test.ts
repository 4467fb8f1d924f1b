import fc from 'fast-check'
import {
  AllowAny,
  BaseModelSerializer,
  BulkUpsertModelMixin,
  BulkViewSet,
  IdToDataField,
  type ModelRecord,
} from 'viewset'
import { beforeEach, describe, expect, test } from 'vitest'
import { readTags } from '../../src/viewset/version/tags.ts'
import { type TestResponse, useApi } from '../support/api.ts'
import { describeDialects } from '../support/dialects.ts'

describeDialects('ETags', dialect => {
  const c = dialect.kit
  const shelves = c.table('shelves', { id: c.integer().primaryKey(), label: c.text(20).notNull() })
  const books = c.table('books', {
    id: c.integer().primaryKey(),
    ...c.SoftDeleteMixin(),
    ...c.VersionMixin(),
    title: c.text(20).notNull().unique(),
    shelf: c.foreignKey(shelves),
  })
  const ShelfSerializer = BaseModelSerializer(shelves, { fields: ['id', 'label'] })
  const serializer = BaseModelSerializer(books, { fields: ['id', 'title'] })
  const config = {
    model: books,
    serializer,
    permissionClasses: [AllowAny],
    version: 'version',
    upsertFields: ['title'],
    paginationClass: null,
  } as const
  const Viewset = BulkViewSet.add(BulkUpsertModelMixin)
  class Books extends Viewset({
    ...config,
    appendEtags: true,
    actions: {
      restore: { method: 'POST', detail: true, handler: async view => (await view.getObject()).restore() },
    },
  }) {
    override async performDestroy(book: ModelRecord<typeof books>) {
      await book.softDelete()
    }
  }
  class Serialized extends Viewset({ ...config, appendEtags: true }) {
    override async serialize(book: ModelRecord<typeof books>) {
      return { ...(await super.serialize(book)), title: 'hidden' }
    }
  }
  const Shelved = BaseModelSerializer(books, {
    name: 'Shelved',
    fields: ['id', 'title', 'shelf'],
    extra: { shelf: IdToDataField({ queryset: shelves, serializer: ShelfSerializer }) },
  })
  const resources = {
    books: Books,
    serialized: Serialized,
    cached: Viewset({ ...config, cacheControl: 'private, max-age=60' }),
    related: Viewset({ ...config, serializer: Shelved }),
    sparse: Viewset({ ...config, serializer: Shelved, sparseFields: true }),
    computed: Viewset({
      ...config,
      serializer: BaseModelSerializer(books, {
        fields: ['id', 'title'],
        extra: { shout: book => book.title.toUpperCase() },
      }),
    }),
  }
  const api = useApi(dialect, { tables: { shelves, books }, resources })
  let first: TestResponse
  let tag: string
  let path: string
  beforeEach(async () => {
    first = await api.post('/books/', { title: 'Emma' })
    tag = String(first.headers.etag)
    path = `/books/${first.data<{ id: number }>().id}/`
  })
  const bare = () => tag.replaceAll('"', '')
  const ifMatch = (value: string) => ({ headers: { 'if-match': value } })

  test.each([
    ['as it was sent', (tag: string) => tag],
    ['without quotes', (tag: string) => tag.replaceAll('"', '')],
    ['as a weak tag', (tag: string) => `W/${tag}`],
    ['as a proxy names a compressed answer', (tag: string) => tag.replace(/"$/, '-gzip"')],
    ['among others', (tag: string) => `"1", W/"2" , ${tag},"x"`],
    ['as a star', () => '*'],
  ])('a tag is accepted %s', async (_, sent) => {
    expect((await api.patch(path, { title: 'Emma' }, ifMatch(sent(tag)))).status).toBe(200)
    expect((await api.patch(path, { title: 'Emma' }, ifMatch(sent(tag)))).status).toBe(sent(tag) === '*' ? 200 : 412)
  })

  test.each(['', ' ', '"1" "2"', '"1"; "2"', '"1'])('If-Match: %j is a 400 that shows a tag', async wrong => {
    const answer = await api.patch(path, { title: 'New' }, ifMatch(wrong))
    expect([answer.status, answer.envelope().errors]).toEqual([
      400,
      { 'If-Match': [expect.stringContaining('is not an ETag')] },
    ])
  })

  test.each(['x', '12345678901234567890123', '-1', '1.5', '"a,b"'])('the tag %j is met by no record', async strange => {
    expect((await api.patch(path, { title: 'New' }, ifMatch(strange))).status).toBe(412)
  })

  describe('_etag in a body', () => {
    test('is If-Match', async () => {
      expect((await api.patch(path, { title: 'New', _etag: bare() })).status).toBe(200)
      expect((await api.put(path, { title: 'Newer', _etag: tag })).status).toBe(412)
    })

    test('may be sent beside an equal header, and not beside another one', async () => {
      expect((await api.patch(path, { title: 'New', _etag: '1' }, ifMatch(tag))).envelope().errors).toEqual({
        _etag: ['The header If-Match and "_etag" of the body name different versions. Send one of them.'],
      })
      expect((await api.patch(path, { title: 'New', _etag: bare() }, ifMatch(tag))).status).toBe(200)
    })

    test('guards a DELETE and a custom action as well', async () => {
      expect((await api.request('DELETE', path, { body: { _etag: '1' } })).status).toBe(412)
      const deleted = await api.request('DELETE', path, { body: { _etag: bare() } })
      expect(deleted.status).toBe(204)
      expect((await api.post(`${path}restore/`, { _etag: bare() })).status).toBe(412)
      const now = String(deleted.headers.etag)
      expect((await api.post(`${path}restore/`, { _etag: now })).status).toBe(200)
    })

    test('null means that the record must be new', async () => {
      expect((await api.patch(path, { title: 'New', _etag: null })).status).toBe(412)
      const upsert = (title: string) => api.post('/books/bulk-upsert/', [{ title, _etag: null }])
      expect((await upsert('Emma')).envelope().errors).toHaveProperty(['0.non_field_errors'])
      expect([(await upsert('Other')).status, (await upsert('Other')).status]).toEqual([200, 412])
    })

    test.each([5, true, {}])('%j is a 400', async wrong => {
      expect((await api.patch(path, { title: 'New', _etag: wrong })).envelope().errors).toHaveProperty('_etag')
      const many = await api.patch('/books/bulk-update/', [{ id: 1, title: 'New', _etag: wrong }])
      expect([many.status, many.envelope().errors]).toEqual([400, { '0._etag': [expect.any(String)] }])
    })
  })

  test.each([
    ['post', '/books/'],
    ['patch', '/books/bulk-update/'],
    ['post', '/books/bulk-delete/'],
  ] as const)('If-Match with a %s to %s, which names no record, is a 400', async (method, url) => {
    const answer = await api[method](url, [{ title: 'New' }], ifMatch(tag))
    expect([answer.status, answer.envelope().errors]).toEqual([
      400,
      { 'If-Match': ['If-Match is for addresses of one record. In bulk, give each item its ETag as "_etag".'] },
    ])
  })

  test('a soft delete and a restore send the new tag', async () => {
    const deleted = await api.delete(path, ifMatch(tag))
    expect([deleted.status, deleted.headers.etag]).toEqual([204, `"${BigInt(bare()) + 1n}"`])
    expect((await api.post(`${path}restore/`, {}, ifMatch(tag))).status).toBe(412)
    const restored = await api.post(`${path}restore/`, {}, ifMatch(String(deleted.headers.etag)))
    expect([restored.status, restored.headers.etag]).toEqual([200, `"${BigInt(bare()) + 2n}"`])
  })

  test('a delete sends none', async () => {
    const { status, headers } = await api.delete(`/cached/${first.data<{ id: number }>().id}/`)
    expect([status, headers.etag]).toEqual([204, undefined])
  })

  test.each(['books', 'serialized'])('items of lists and bulk answers of /%s/ have their tag', async name => {
    const created = await api.post(`/${name}/bulk-create/`, [{ title: 'Persuasion' }])
    const items = created.data<{ id: number; _etag: string }[]>()
    expect(items.map(({ _etag }) => _etag)).toEqual([expect.stringMatching(/^\d{13}$/)])
    const listed = (await api.get(`/${name}/`)).data<{ id: number; _etag: string; index: number }[]>()
    expect(listed.map(({ _etag }) => _etag)).toEqual([bare(), items[0]?._etag])
    const update = () =>
      api.patch(
        `/${name}/bulk-update/`,
        listed.map(({ id, _etag }) => ({ id, title: `${id}`, _etag })),
      )
    const updated = (await update()).data<{ _etag: string }[]>()
    expect(updated.map(({ _etag }) => _etag)).toEqual(listed.map(({ _etag }) => String(BigInt(_etag) + 1n)))
    expect((await update()).status).toBe(412)
  })

  describe('If-None-Match', () => {
    const ask = (name: string, value: string) =>
      api.get(`/${name}/${path.split('/')[2]}/`, { headers: { 'if-none-match': value } })

    test.each([(tag: string) => tag, (tag: string) => `W/${tag}`, (tag: string) => `"1", ${tag}`, () => '*'])(
      'is a 304 without a body for a client that has the version: %s',
      async sent => {
        const answer = await ask('books', sent(tag))
        expect([answer.status, answer.text, answer.headers.etag]).toEqual([304, '', tag])
        expect(answer.headers['cache-control']).toBe('no-store')
      },
    )

    test('is a 200 after a change', async () => {
      await api.patch(path, { title: 'New' })
      expect((await ask('books', tag)).status).toBe(200)
    })

    test.each(['related', 'computed', 'serialized'])(
      'is a 200 from /%s/, whose answer can change without the version',
      async name => expect((await ask(name, tag)).status).toBe(200),
    )

    test.each([
      ['?fields=id,title', 304],
      ['?fields=id,shelf.label', 200],
      ['', 200],
      ['?fields=nope', 400],
    ])('counts the fields that the request has chosen: %s', async (query, status) => {
      const url = `/sparse/${path.split('/')[2]}/${query}`
      expect((await api.get(url, { headers: { 'if-none-match': tag } })).status).toBe(status)
    })
  })

  test('an answer with a tag is not stored by caches, unless the resource says so', async () => {
    expect((await api.get(path)).headers['cache-control']).toBe('no-store')
    expect((await api.get(path.replace('books', 'cached'))).headers['cache-control']).toBe('private, max-age=60')
    expect((await api.get('/books/')).headers['cache-control']).toBeUndefined()
  })
})

test('each list of tags is read as it was written', () => {
  const tag = fc.stringMatching(/^[0-9A-Za-z:.+-]{1,20}$/).filter(text => !/-(gzip|br|zstd|deflate)$/.test(text))
  const written = fc.tuple(tag, fc.constantFrom('', 'W/'), fc.boolean(), fc.constantFrom('', '-gzip', '-br'))
  fc.assert(
    fc.property(fc.array(written, { minLength: 1, maxLength: 5 }), fc.constantFrom(',', ', ', ' , '), (tags, comma) => {
      const text = tags.map(([tag, weak, bare, coding]) => {
        return bare ? `${weak}${tag}${coding}` : `${weak}"${tag}${coding}"`
      })
      expect(readTags(text.join(comma), 'If-Match')).toEqual(tags.map(([tag]) => tag))
    }),
  )
})
