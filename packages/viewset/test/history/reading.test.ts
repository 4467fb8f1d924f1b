import { and, eq } from 'drizzle-orm'
import {
  AllowAny,
  allRecords,
  BaseModelSerializer,
  BulkViewSet,
  HistoryModelMixin,
  IdToDataField,
  type ModelRecord,
  scoped,
  type User,
} from 'viewset'
import { beforeEach, describe, expect, test } from 'vitest'
import { useApi } from '../support/api.ts'
import { describeDialects } from '../support/dialects.ts'

interface Entry {
  readonly id: number
  readonly action: string
  readonly source: string
  readonly at: string
  readonly user: string | null
  readonly reason: string | null
  readonly before: Record<string, unknown> | null
  readonly after: Record<string, unknown> | null
  readonly redacted?: readonly string[]
}

describeDialects('the history of a record', dialect => {
  const c = dialect.kit
  const shelves = c.table('shelves', { id: c.integer().primaryKey(), label: c.text(20).notNull() })
  const books = c.table('books', {
    id: c.integer().primaryKey(),
    title: c.text(20).notNull().unique(),
    price: c.decimal(8, 2),
    cost: c.decimal(8, 2),
    pin: c.text(20),
    publishedAt: c.timestamp(),
    shelf: c.foreignKey(shelves, { onDelete: 'set null' }),
    tenant: c.text(20).notNull().default(''),
    ...c.SoftDeleteMixin(),
    ...c.VersionMixin(),
  })
  const { booksHistory } = c.HistoryTable(books, { redact: ['pin'] })
  const ShelfSerializer = BaseModelSerializer(shelves, { fields: ['id', 'label'] })
  const shelf = IdToDataField({ queryset: shelves, serializer: ShelfSerializer })
  const fields = ['id', 'title', 'price', 'pin', 'publishedAt', 'shelf'] as const
  const Short = BaseModelSerializer(books, { fields: [...fields], extra: { shelf } })
  const Full = BaseModelSerializer(books, { fields: [...fields, 'cost', 'isActive'], extra: { shelf } })
  const ViewSet = BulkViewSet.add(HistoryModelMixin)
  const config = { model: books, serializer: Short, permissionClasses: [AllowAny], version: 'version' } as const
  class Books extends ViewSet({ ...config, serializers: [Short, Full] }) {
    override getSerializer() {
      return this.user?.id === 'boss' ? Full : Short
    }
  }
  const active = { queryset: () => eq(books.isActive, true) }
  class Soft extends ViewSet({ ...config, ...active }) {
    override async performDestroy(book: ModelRecord<typeof books>) {
      await book.softDelete()
    }
  }
  class Kept extends ViewSet({ ...config, ...active, historyOfDeleted: true }) {
    override async performDestroy(book: ModelRecord<typeof books>) {
      await book.softDelete()
    }
  }
  /** What another client does when a request has read its record for the first time. */
  const between: (() => Promise<unknown>)[] = []
  class Interrupted extends ViewSet(config) {
    override async getObject() {
      const book = await super.getObject()
      await between.pop()?.()
      return book
    }
  }
  const tenantOf = ({ user }: { readonly user: User | null }) => String(user?.id ?? '')
  const api = useApi(dialect, {
    tables: { shelves, books, booksHistory },
    users: { boss: { id: 'boss' }, ann: { id: 'ann' }, ben: { id: 'ben' } },
    openapi: true,
    resources: {
      shelves: BulkViewSet({ model: shelves, serializer: ShelfSerializer, permissionClasses: [AllowAny] }),
      books: Books,
      soft: Soft,
      kept: Kept,
      interrupted: Interrupted,
      tenants: ViewSet({
        ...config,
        queryset: view => and(eq(books.tenant, tenantOf(view))) ?? allRecords,
        fixedValues: view => ({ tenant: tenantOf(view) }),
      }),
      chosen: ViewSet({ ...config, sparseFields: true, expandableFields: { shelf: ShelfSerializer } }),
      scoped: ViewSet({
        ...config,
        serializer: BaseModelSerializer(books, {
          name: 'Scoped',
          fields: ['id', 'title', 'shelf'],
          extra: {
            shelf: IdToDataField({
              queryset: scoped(shelves, () => eq(shelves.label, 'Open')),
              serializer: ShelfSerializer,
              scopeReads: true,
            }),
          },
        }),
        sparseFields: true,
        expandableFields: {
          shelf: BaseModelSerializer(shelves, {
            name: 'ReadShelf',
            fields: ['id', 'label'],
            readableBy: { label: user => user?.id === 'boss' },
          }),
        },
      }),
      secret: ViewSet({ ...config, historyPermissionClasses: [({ user }) => user?.id === 'boss'] }),
    },
  })
  let id: number
  const boss = { as: 'boss' }
  const history = async (path = `/books/${id}/`, as = 'boss') =>
    (await api.get(`${path}history/`, { as })).data<Entry[]>()
  beforeEach(async () => {
    const created = await api.post('/books/', { title: 'one', price: '5.00', pin: 'a' }, boss)
    id = created.data<{ id: number }>().id
  })

  test('is a list of pages, newest first', async () => {
    for (const title of ['two', 'three']) {
      await api.patch(`/books/${id}/`, { title }, { ...boss, headers: { 'x-change-reason': `to ${title}` } })
    }
    expect((await history()).map(({ before, after, reason }) => [before?.title, after?.title, reason])).toEqual([
      ['two', 'three', 'to three'],
      ['one', 'two', 'to two'],
      [undefined, 'one', null],
    ])
    const page = (await api.get(`/books/${id}/history/?page_size=2`, boss)).envelope()
    expect(page).toMatchObject({ count: 3, next: expect.stringContaining('page=2'), previous: null })
    expect((await api.get(`/books/${id}/history/?page=9`, boss)).status).toBe(404)
    expect((await api.get('/books/99/history/')).status).toBe(404)
    expect((await api.get('/books/x/history/')).status).toBe(404)
  })

  test('has fields and values as the resource shows them', async () => {
    const { id: shelf } = (await api.post('/shelves/', { label: 'Sea' })).data<{ id: number }>()
    await api.patch(`/books/${id}/`, { shelf, published_at: '2026-01-15T10:30:00Z', price: '6.50' }, boss)
    const [entry] = await history()
    expect(entry).toMatchObject({
      action: 'update',
      source: 'update',
      user: 'boss',
      before: { shelf: null, published_at: null, price: '5.00' },
      after: { shelf, published_at: '2026-01-15T10:30:00.000000Z', price: '6.50' },
    })
  })

  test('shows of a redacted field only that it has changed', async () => {
    await api.patch(`/books/${id}/`, { pin: 'b' }, boss)
    const [entry] = await history()
    expect([entry?.before, entry?.after, entry?.redacted]).toEqual([{}, {}, ['pin']])
  })

  test('leaves out fields that the reader may not see, and entries of such fields only', async () => {
    await api.patch(`/books/${id}/`, { cost: '1.00' }, boss)
    await api.patch(`/books/${id}/`, { cost: '2.00', title: 'two' }, boss)
    const of = async (as: string) =>
      (await history(undefined, as)).map(({ before, after }) => [before?.cost, after?.cost, 'cost' in (after ?? {})])
    expect(await of('boss')).toEqual([
      ['1.00', '2.00', true],
      [null, '1.00', true],
      [undefined, null, true],
    ])
    expect(await of('ann')).toEqual([
      [undefined, undefined, false],
      [undefined, undefined, false],
    ])
    expect((await api.get(`/books/${id}/history/`, { as: 'ann' })).envelope()).toMatchObject({ count: 2 })
  })

  test('is for those who may read it', async () => {
    for (const path of ['history/', 'history/diff/?from=1&to=1', '?at=2026-01-01']) {
      expect([path, (await api.get(`/secret/${id}/${path}`, { as: 'ann' })).status]).toEqual([path, 403])
    }
    expect((await api.post(`/secret/${id}/revert/`, { entry: 1 }, { as: 'ann' })).status).toBe(403)
    expect((await api.get(`/secret/${id}/history/`, boss)).status).toBe(200)
    expect((await api.get(`/secret/${id}/`, { as: 'ann' })).status).toBe(200)
  })

  describe('of a deleted record', () => {
    test('stays at its address', async () => {
      await api.delete(`/books/${id}/`)
      expect((await history()).map(({ action }) => action)).toEqual(['delete', 'create'])
      expect((await api.get(`/books/${id}/`)).status).toBe(404)
    })

    test('needs historyOfDeleted if the resource has a queryset', async () => {
      await api.delete(`/soft/${id}/`)
      expect((await api.get(`/soft/${id}/history/`)).status).toBe(404)
      expect((await history(`/kept/${id}/`)).map(({ action }) => action)).toEqual(['soft_delete', 'create'])
    })
  })

  test('is only for the tenant of its entries', async () => {
    const mine = await api.post('/tenants/', { title: 'mine' }, { as: 'ann' })
    const path = `/tenants/${mine.data<{ id: number }>().id}/`
    await api.delete(path, { as: 'ann' })
    expect((await history(path, 'ann')).map(({ action }) => action)).toEqual(['delete', 'create'])
    expect((await api.get(`${path}history/`, { as: 'ben' })).status).toBe(404)
    expect((await api.get(`/tenants/${id}/history/`, { as: 'ben' })).status).toBe(404)
  })

  describe('?at=', () => {
    test('shows the record as it was', async () => {
      await api.patch(`/books/${id}/`, { title: 'two' }, boss)
      await api.patch(`/books/${id}/`, { title: 'three', price: '7.00' }, boss)
      const entries = (await history()).toReversed()
      const shown = await Promise.all(entries.map(({ at }) => api.get(`/books/${id}/?at=${at}`)))
      expect(shown.map(answer => answer.data())).toMatchObject([
        { id, title: 'one', price: '5.00', shelf: null },
        { id, title: 'two', price: '5.00' },
        { id, title: 'three', price: '7.00' },
      ])
      expect(shown[0]?.data()).not.toHaveProperty('pin')
    })

    test('is a 404 before the first entry, which names the start, and after a deletion', async () => {
      const early = await api.get(`/books/${id}/?at=2020-01-01`)
      expect([early.status, early.envelope().message]).toEqual([
        404,
        expect.stringMatching(/^The history of this record begins at \d{4}-/),
      ])
      const [{ at } = { at: '' }] = await history()
      await api.delete(`/books/${id}/`)
      expect((await api.get(`/books/${id}/?at=2099-01-01`)).status).toBe(404)
      expect((await api.get(`/books/${id}/?at=${at}`)).data()).toMatchObject({ title: 'one' })
    })

    test.each(['', 'yesterday', '2026-13-01'])('%j is a 400', async at => {
      expect((await api.get(`/books/${id}/?at=${at}`)).status).toBe(400)
    })

    test('shows the fields that the request chooses', async () => {
      await api.patch(`/books/${id}/`, { title: 'two' }, boss)
      const [, { at } = { at: '' }] = await history()
      const chosen = async (query: string) => api.get(`/chosen/${id}/?at=${at}&${query}`)
      expect((await chosen('fields=title,id')).data()).toEqual({ id, title: 'one' })
      expect((await chosen('fields=shelf')).data()).toEqual({ shelf: null })
      expect(Object.keys((await chosen('fields=')).data())).toContain('price')
      for (const wrong of ['fields=titel', 'fields=cost', 'fields=pin', 'fields=shelf.label', 'expand=shelv']) {
        const answer = await chosen(wrong)
        expect([wrong, answer.status]).toEqual([wrong, 400])
        expect(answer.envelope().errors).toHaveProperty(wrong.split('=')[0] ?? '')
      }
      expect((await api.get(`/chosen/${id}/?expand=shelf&fields=shelf.label`)).data()).toEqual({ shelf: null })
    })

    test('expands the record to which it referred, as that record is now; without it, the id stays', async () => {
      const shelfOf = async (label: string) => (await api.post('/shelves/', { label })).data<{ id: number }>().id
      const [sea, hill] = [await shelfOf('Sea'), await shelfOf('Hill')]
      await api.patch(`/chosen/${id}/`, { shelf: sea })
      const [{ at } = { at: '' }] = await history()
      await api.patch(`/chosen/${id}/`, { shelf: hill })
      await api.patch(`/shelves/${sea}/`, { label: 'Lake' })
      const shown = async (query: string) => (await api.get(`/chosen/${id}/?at=${at}&${query}`)).data()
      expect(await shown('expand=shelf')).toMatchObject({ id, title: 'one', shelf: { id: sea, label: 'Lake' } })
      expect(await shown('expand=shelf&fields=title,shelf.label')).toEqual({ title: 'one', shelf: { label: 'Lake' } })
      expect(await shown('fields=shelf')).toEqual({ shelf: sea })
      await api.delete(`/shelves/${sea}/`)
      expect(await shown('expand=shelf&fields=shelf')).toEqual({ shelf: sea })
    })

    test('expands a record only within the scope of reads, and with the fields of the reader', async () => {
      const [{ id: shelf } = { id: 0 }] = (await api.post('/shelves/bulk-create/', [{ label: 'Cellar' }])).data<
        { id: number }[]
      >()
      await api.patch(`/books/${id}/`, { shelf }, boss)
      const [{ at } = { at: '' }] = await history()
      const shown = async (as: string) =>
        (await api.get(`/scoped/${id}/?at=${at}&expand=shelf&fields=shelf`, { as })).data()
      expect(await shown('boss')).toEqual({ shelf })
      await api.patch(`/shelves/${shelf}/`, { label: 'Open' })
      expect(await shown('boss')).toEqual({ shelf: { id: shelf, label: 'Open' } })
      expect(await shown('ann')).toEqual({ shelf: { id: shelf } })
    })

    test('is unknown to a resource without the mixin', async () => {
      const { id } = (await api.post('/shelves/', { label: 'Sea' })).data<{ id: number }>()
      expect((await api.get(`/shelves/${id}/?at=2026-01-01`)).status).toBe(400)
    })
  })

  test('shows what differs between two entries', async () => {
    await api.patch(`/books/${id}/`, { title: 'two', cost: '1.00', pin: 'b' }, boss)
    await api.patch(`/books/${id}/`, { price: null }, boss)
    const [last, , first] = await history()
    const path = `/books/${id}/history/diff/?from=${first?.id}&to=${last?.id}`
    expect((await api.get(path)).data()).toEqual({
      from: first?.id,
      to: last?.id,
      changes: [
        { field: 'title', before: 'one', after: 'two' },
        { field: 'price', before: '5.00', after: null },
      ],
    })
    expect((await api.get(path, boss)).data<{ changes: object[] }>().changes).toHaveLength(3)
    expect((await api.get(`/books/${id}/history/diff/?from=${first?.id}`)).envelope().errors).toHaveProperty('to')
    expect((await api.get(`/books/${id}/history/diff/?from=0&to=x`)).status).toBe(400)
  })

  describe('a revert', () => {
    const revert = (body: object, options: object = boss) => api.post(`/books/${id}/revert/`, body, options)

    test('brings back the state after an entry, as a new entry', async () => {
      await api.patch(`/books/${id}/`, { title: 'two', price: '9.00' }, boss)
      await api.patch(`/books/${id}/`, { title: 'three' }, boss)
      const [, , first] = await history()
      const answer = await revert({ entry: first?.id }, { as: 'boss', headers: { 'x-change-reason': 'Mistake' } })
      expect([answer.status, answer.data()]).toMatchObject([200, { title: 'one', price: '5.00' }])
      expect((await history())[0]).toMatchObject({
        source: 'revert',
        reason: 'Mistake',
        before: { title: 'three', price: '9.00' },
        after: { title: 'one', price: '5.00' },
      })
    })

    test('brings back single fields', async () => {
      await api.patch(`/books/${id}/`, { title: 'two', price: '9.00' }, boss)
      const [, first] = await history()
      const answer = await revert({ entry: first?.id, fields: ['price'] })
      expect(answer.data()).toMatchObject({ title: 'two', price: '5.00' })
    })

    test('finds the state before it locks the record: another client may write meanwhile', async () => {
      await api.patch(`/books/${id}/`, { title: 'two' }, boss)
      const [, first] = await history()
      between.push(() => api.patch(`/books/${id}/`, { title: 'three', price: '8.00' }, boss))
      const answer = await api.post(`/interrupted/${id}/revert/`, { entry: first?.id }, boss)
      expect([answer.status, answer.data()]).toMatchObject([200, { title: 'one', price: '5.00' }])
      expect((await history())[0]).toMatchObject({ source: 'revert', before: { title: 'three', price: '8.00' } })
    })

    test('keeps the rules of an update', async () => {
      await api.patch(`/books/${id}/`, { title: 'two' }, boss)
      await api.post('/books/', { title: 'one' }, boss)
      const [, first] = await history()
      const taken = await revert({ entry: first?.id })
      expect([taken.status, taken.envelope().errors]).toEqual([400, { title: [expect.any(String)] }])
    })

    test('asks for the version, as an update does', async () => {
      const { etag } = (await api.get(`/books/${id}/`)).headers
      await api.patch(`/books/${id}/`, { title: 'two' }, boss)
      const [, first] = await history()
      const stale = await revert({ entry: first?.id }, { headers: { 'if-match': String(etag) } })
      expect(stale.status).toBe(412)
    })

    test('writes nothing if nothing differs', async () => {
      const [first] = await history()
      const sent = await revert({ entry: first?.id })
      expect([sent.status, (await history()).length]).toEqual([200, 1])
    })

    test.each([
      [{}, 'entry'],
      [{ entry: 'x' }, 'entry'],
      [{ entry: 999_999 }, 'entry'],
      [{ entry: 1, fields: 'title' }, 'fields'],
    ])('%j is a 400', async (body, field) => {
      const answer = await revert(body)
      expect([answer.status, answer.envelope().errors]).toEqual([400, { [field]: [expect.any(String)] }])
    })

    test.each(['pin', 'id', 'cost', 'nothing'])('the field %s cannot be brought back', async field => {
      const [first] = await history()
      const answer = await revert({ entry: first?.id, fields: [field] }, {})
      expect([answer.status, answer.envelope().errors]).toEqual([400, { [field]: [expect.any(String)] }])
    })
  })

  test('a model without a history is refused at start', () => {
    expect(() => ViewSet({ model: shelves, serializer: ShelfSerializer, permissionClasses: [AllowAny] })).toThrow(
      'add ...c.HistoryTable(shelves) to the models',
    )
  })

  test('the document describes its routes and the reason', async () => {
    const { paths } = JSON.parse((await api.get('/openapi.json')).text)
    const named = ({ parameters = [] }: { parameters?: { name: string }[] }) => parameters.map(({ name }) => name)
    expect(named(paths['/books/{id}/'].get)).toContain('at')
    expect(named(paths['/books/{id}/'].patch)).toContain('X-Change-Reason')
    expect(named(paths['/shelves/{id}/'].patch)).not.toContain('X-Change-Reason')
    expect(Object.keys(paths)).toEqual(
      expect.arrayContaining(['/books/{id}/history/', '/books/{id}/history/diff/', '/books/{id}/revert/']),
    )
  })

  test('a row that other programs have written has a history from then on', async () => {
    const text = "insert into books (id, title, tenant, is_active, version) values (77, 'raw', '', true, 0)"
    await api.database.run({ text }, [])
    expect((await history('/books/77/')).map(({ action }) => action)).toEqual([])
    await api.patch('/books/77/', { title: 'known' }, boss)
    expect((await history('/books/77/')).map(({ action }) => action)).toEqual(['update'])
  })
})
