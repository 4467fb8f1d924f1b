import { eq, ne } from 'drizzle-orm'
import {
  AllowAny,
  BaseModelSerializer,
  BulkViewSet,
  DataToStrField,
  IdToStrField,
  insertMany,
  type JsonSchema,
  ManyDataToDataField,
  ManyDataToIdField,
  ManyFlexibleField,
  ManyIdOnlyField,
  ManyIdToDataField,
  ManyStrOnlyField,
  ManyStrToDataField,
  type SerializerInput,
  scoped,
} from 'viewset'
import { beforeEach, describe, expect, test } from 'vitest'
import * as z from 'zod'
import { useApi } from '../support/api.ts'
import { describeDialects } from '../support/dialects.ts'
import { expectInvalid, uuid } from '../support/expect.ts'
import { library } from '../support/library.ts'
import { orderSerializers, orders as orderTables } from '../support/orders.ts'

const permissionClasses = [AllowAny]

describeDialects('writing children with their record', dialect => {
  const tables = orderTables(dialect.kit)
  const { orders, lines, products } = tables
  const { Order, Line } = orderSerializers(tables)
  const config = { model: orders, serializer: Order, permissionClasses } as const
  const Merging = BaseModelSerializer(orders, {
    name: 'Merging',
    fields: ['id', 'number'],
    extra: {
      lines: ManyDataToDataField({
        queryset: scoped(lines, () => ne(lines.quantity, 13)),
        serializer: Line,
        ordering: 'position',
        modes: { PUT: 'merge', PATCH: 'sync' },
        maxItems: 3,
        maxStored: 4,
      }),
    },
  })
  const HookedBase = BulkViewSet(config)
  class Hooked extends HookedBase {
    override async performCreate(values: SerializerInput<typeof Order>) {
      const { lines: list } = values
      // At most ten of each, and one line.
      for (const { values: one } of list?.items ?? []) one.quantity = Math.min(one.quantity ?? 1, 10)
      list?.items.splice(1)
      return super.performCreate(values)
    }
  }
  const api = useApi(dialect, {
    tables,
    resources: {
      hooked: Hooked,
      orders: BulkViewSet({ model: orders, serializer: Order, permissionClasses }),
      plain: BulkViewSet({
        model: orders,
        serializer: BaseModelSerializer(orders, {
          name: 'Plain',
          fields: ['id', 'number'],
          extra: {
            lines: ManyDataToDataField({
              queryset: lines,
              serializer: BaseModelSerializer(lines, {
                name: 'PlainLine',
                fields: ['id', 'position', 'product', 'quantity'],
              }),
              ordering: 'position',
            }),
          },
        }),
        permissionClasses,
      }),
      merging: BulkViewSet({
        model: orders,
        serializer: Merging,
        permissionClasses,
      }),
      moving: BulkViewSet({
        model: orders,
        serializer: BaseModelSerializer(orders, {
          name: 'Moving',
          fields: ['id', 'number'],
          extra: { lines: ManyIdToDataField({ queryset: lines, serializer: Line, ordering: 'position' }) },
        }),
        queryset: () => ne(orders.status, 'closed'),
        permissionClasses,
      }),
    },
  })
  const product = uuid(1)
  const line = (position: number, more: object = {}) => ({ position, product, ...more })
  const [one, two, three] = [uuid(31), uuid(32), uuid(33)]
  const path = `/orders/${uuid(21)}/`
  const storedLines = async () => (await api.get('/orders/')).data()
  beforeEach(async () => {
    await api.database.transaction(async () => {
      await insertMany(products, [
        { id: product, name: 'nut' },
        { id: uuid(2), name: 'bolt' },
      ])
      await insertMany(orders, [
        { id: uuid(21), number: 'A' },
        { id: uuid(22), number: 'B' },
        { id: uuid(23), number: 'C', status: 'closed' },
      ])
      await insertMany(lines, [
        { id: one, order: uuid(21), position: 1, product },
        { id: two, order: uuid(21), position: 2, product },
        { id: three, order: uuid(22), position: 1, product },
        { id: uuid(34), order: uuid(23), position: 1, product },
      ])
    })
  })

  test('a write that makes a list longer than maxStored is a 400 that names the list and the bound', async () => {
    const merging = `/merging/${uuid(21)}/`
    const added = await api.put(merging, { number: 'A', lines: [line(3), line(4)] })
    expect(added.status).toBe(200)
    const beyond = await api.put(merging, { number: 'A', lines: [line(5)] })
    expectInvalid(beyond, {
      lines: ['This list takes at most 4 records, those that are stored already included.'],
    })
    expect((await api.put(merging, { number: 'A', lines: [line(7, { id: one })] })).status).toBe(200)
    expect((await api.get(merging)).data()).toMatchObject({ lines: { length: 4 } })
  })

  test('a list that was read in part is not sent back: the records that it lacks stay', async () => {
    const refused = await api.put(path, { number: 'A', lines: [], lines_truncated: true })
    expectInvalid(refused, {
      lines: ['This list was read in part. Leave it out, and its records stay as they are.'],
    })
    expect((await api.patch(path, { number: 'B2', lines_truncated: true })).data()).toMatchObject({
      number: 'B2',
      lines: { length: 2 },
    })
  })

  test('a create stores the record, its children and theirs', async () => {
    const response = await api.post('/orders/', {
      number: 'D',
      lines: [line(2, { quantity: 5, boxes: [{ label: 'b' }, { label: 'a' }] }), line(1)],
    })
    expect(response).toMatchObject({ status: 201 })
    expect(response.data()).toMatchObject({
      number: 'D',
      lines: [
        { position: 1, product: 'nut', quantity: 1, boxes: [] },
        { position: 2, quantity: 5, boxes: [{ label: 'a' }, { label: 'b' }] },
      ],
    })
  })

  test('a PUT changes named children, creates new ones and deletes those that it leaves out', async () => {
    const response = await api.put(path, {
      number: 'A',
      lines: [line(1, { id: two, quantity: 9 }), line(2, { quantity: 7 })],
    })
    expect(response.data()).toMatchObject({
      lines: [
        { id: two, position: 1, quantity: 9 },
        { position: 2, quantity: 7 },
      ],
    })
    expect(await api.rows('order_lines')).toHaveLength(4)
  })

  test('a PUT without the list leaves the children', async () => {
    expect((await api.put(path, { number: 'A2' })).data()).toMatchObject({ lines: [{ id: one }, { id: two }] })
  })

  test('a PATCH changes the sent fields of named children, creates new ones and leaves the others', async () => {
    const response = await api.patch(path, { lines: [{ id: two, quantity: 4 }, line(3)] })
    expect(response.data()).toMatchObject({
      lines: [{ id: one, quantity: 1 }, { id: two, position: 2, quantity: 4 }, { position: 3 }],
    })
  })

  test('an empty list of a PUT deletes all children, of a PATCH none', async () => {
    expect((await api.patch(path, { lines: [] })).data()).toMatchObject({ lines: [{ id: one }, { id: two }] })
    expect((await api.put(path, { number: 'A', lines: [] })).data()).toMatchObject({ lines: [] })
  })

  test('each mode can be set, and children out of the scope of the field are left', async () => {
    await api.patch(path, { lines: [{ id: one, quantity: 13 }] })
    const merged = await api.put(`/merging/${uuid(21)}/`, { number: 'A', lines: [line(3)] })
    expect(merged.data()).toMatchObject({ lines: [{ id: one }, { id: two }, { position: 3 }] })
    const synced = await api.patch(`/merging/${uuid(21)}/`, { lines: [{ id: two }] })
    expect(synced.data()).toMatchObject({ lines: [{ id: one }, { id: two, quantity: 1 }] })
    const tooMany = await api.patch(`/merging/${uuid(21)}/`, { lines: [line(4), line(5), line(6), line(7)] })
    expectInvalid(tooMany, { lines: ['Ensure this list has no more than 3 items.'] })
    const outside = await api.patch(`/merging/${uuid(21)}/`, { lines: [line(4), line(5, { quantity: 13 })] })
    expect(outside.envelope()).toMatchObject({ success: false, errors: { 'lines.1': [expect.any(String)] } })
  })

  test.each(['POST', 'PUT', 'PATCH'])('the description of a %s has the largest number of children', method => {
    const options = { partial: method === 'PATCH', existing: method !== 'POST' }
    const maxOf = ({ properties }: JsonSchema) => Object(properties).lines.maxItems
    expect(maxOf(Order.inputSchema(options))).toBe(1000)
    expect(maxOf(Merging.inputSchema(options))).toBe(3)
  })

  test('children two levels down follow the method, too', async () => {
    await api.patch(path, { lines: [{ id: one, boxes: [{ label: 'a' }, { label: 'b' }] }] })
    const { data } = (await api.get(path)).envelope() as { data: { lines: { boxes: { id: string }[] }[] } }
    const [a] = data.lines[0]?.boxes ?? []
    const patched = await api.patch(path, { lines: [{ id: one, boxes: [{ id: a?.id, label: 'c' }] }] })
    expect(patched.data()).toMatchObject({ lines: [{ boxes: [{ label: 'b' }, { label: 'c' }] }, {}] })
    const put = await api.put(path, { number: 'A', lines: [line(1, { id: one, boxes: [{ id: a?.id, label: 'd' }] })] })
    expect(put.data()).toMatchObject({ lines: [{ boxes: [{ id: a?.id, label: 'd' }] }] })
  })

  describe('errors are at their place, and nothing is stored', () => {
    test.each([
      ['a child of another record', { lines: [{ id: three }] }, 'lines.0.id', /does not exist|no/i],
      ['an unknown child', { lines: [line(3), { id: uuid(99) }] }, 'lines.1.id', /./],
      ['a value of a child', { lines: [line(3), line(4, { quantity: 'x' })] }, 'lines.1.quantity', /./],
      ['a missing field of a new child', { lines: [{ position: 3 }] }, 'lines.0.product', /required/],
      ['a missing reference', { lines: [{ position: 3, product: uuid(99) }] }, 'lines.0.product', /./],
      ['a child that comes twice', { lines: [{ id: one }, { id: one }] }, 'lines.1.id', /same record/],
      ['a child that is no object', { lines: ['x'] }, 'lines.0', /object/],
      ['a list that is none', { lines: { id: one } }, 'lines', /list/],
      // Of a unique pair with the owner, the client sends the other field only.
      ['a taken value', { lines: [line(2)] }, 'lines.0.position', /^Another record already has this value\.$/],
      [
        'a taken value of a stored child',
        { lines: [{ id: one, position: 2 }] },
        'lines.0.position',
        /^Another record already has this value\.$/,
      ],
      [
        'a value that two children share',
        { lines: [line(3), line(3)] },
        'lines.1.position',
        /^Another item of this request has the same value\.$/,
      ],
      ['a child of a child', { lines: [{ id: one, boxes: [{ label: '' }] }] }, 'lines.0.boxes.0.label', /not empty/],
    ])('%s', async (_, body, at, text) => {
      const before = await storedLines()
      const response = await api.patch(path, body)
      expect(response.status, JSON.stringify(response.envelope())).toBe(400)
      expect(response.envelope()).toMatchObject({ errors: { [at]: [expect.stringMatching(text)] } })
      expect(await storedLines()).toEqual(before)
    })

    test.each([
      ['of a stored child', { lines: [line(3), { id: one, quantity: 2, _etag: '1' }] }, 'lines.1._etag'],
      ['of a new child', { lines: [line(3, { _etag: null })] }, 'lines.0._etag'],
      ['two levels down', { lines: [{ id: one, boxes: [{ label: 'a', _etag: '1' }] }] }, 'lines.0.boxes.0._etag'],
    ])('a tag %s, since the version of the record guards it', async (_, body, at) => {
      const before = await storedLines()
      const answers = [
        { place: at, answer: await api.patch(path, body) },
        { place: `0.${at}`, answer: await api.patch('/orders/bulk-update/', [{ id: uuid(21), ...body }]) },
      ]
      for (const { place, answer } of answers) {
        expect(answer.status, answer.text).toBe(400)
        expect(answer.envelope()).toMatchObject({
          errors: { [place]: [expect.stringMatching(/version of the record/)] },
        })
      }
      expect(await storedLines()).toEqual(before)
    })

    test('two children of a new record share a value', async () => {
      const response = await api.post('/orders/', { number: 'D', lines: [line(1), line(1)] })
      expect(response.envelope()).toMatchObject({ errors: { 'lines.1.position': [expect.any(String)] } })
    })
  })

  test('children exchange unique values, and take those of deleted ones', async () => {
    const swapped = await api.patch(path, {
      lines: [
        { id: one, position: 2 },
        { id: two, position: 1 },
      ],
    })
    expect(swapped.data()).toMatchObject({ lines: [{ id: two }, { id: one }] })
    const replaced = await api.put(path, { number: 'A', lines: [line(1, { quantity: 3 })] })
    expect(replaced.data()).toMatchObject({ lines: [{ position: 1, quantity: 3 }] })
  })

  test('a child that the request does not change keeps its version; its record gets a new one', async () => {
    const versions = async (table: string) => {
      return new Map((await api.rows(table)).map(row => [row[0], Number(row.at(-1))]))
    }
    const before = { lines: await versions('order_lines'), orders: await versions('orders') }
    const changed = async () => {
      const [nowLines, nowOrders] = [await versions('order_lines'), await versions('orders')]
      return [...nowLines, ...nowOrders].flatMap(([id, version]) =>
        version === (before.lines.get(id) ?? before.orders.get(id)) ? [] : [id],
      )
    }
    await api.put(path, { number: 'A', lines: [line(1, { id: one }), line(2, { id: two, quantity: 2 })] })
    expect((await changed()).toSorted()).toEqual([uuid(21), two].toSorted())
    await api.patch(`/orders/${uuid(22)}/`, { lines: [{ id: three, quantity: 8 }] })
    expect((await changed()).toSorted()).toEqual([uuid(21), uuid(22), two, three].toSorted())
  })

  test('bulk requests write the children of all records, with errors by item', async () => {
    const created = await api.post('/orders/bulk-create/', [
      { number: 'D', lines: [line(1), line(2)] },
      { number: 'E' },
      { number: 'F', lines: [line(1, { boxes: [{ label: 'x' }] })] },
    ])
    expect(created.data()).toMatchObject([{ lines: [{}, {}] }, { lines: [] }, { lines: [{ boxes: [{}] }] }])
    const updated = await api.patch('/orders/bulk-update/', [
      { id: uuid(21), lines: [{ id: one, quantity: 2 }, line(3)] },
      { id: uuid(22), lines: [{ id: three, quantity: 3 }] },
    ])
    expect(updated.data()).toMatchObject([{ lines: [{ quantity: 2 }, {}, {}] }, { lines: [{ quantity: 3 }] }])
    const put = await api.put('/orders/bulk-update/', [
      { id: uuid(21), number: 'A', lines: [line(1, { id: one })] },
      { id: uuid(22), number: 'B', lines: [] },
    ])
    expect(put.data()).toMatchObject([{ lines: [{ id: one }] }, { lines: [] }])
    const refused = await api.patch('/orders/bulk-update/', [
      { id: uuid(21), lines: [{ id: one, quantity: 5 }] },
      { id: uuid(22), lines: [{ id: one }] },
    ])
    expect(refused.envelope()).toMatchObject({ errors: { '1.lines.0.id': [expect.any(String)] } })
  })

  test('the number of statements does not grow with the children', async () => {
    const many = (count: number) =>
      Array.from({ length: count }, (_, i) => line(i + 1, { boxes: [{ label: `b${i}` }] }))
    const statements = (count: number) =>
      api.statementsOf(async () => {
        const response = await api.post('/orders/', { number: `N${count}`, lines: many(count) })
        expect(response.status).toBe(201)
        await api.put(`/orders/${response.data().id}/`, { number: `N${count}`, lines: [] })
      })
    expect((await statements(100)).length).toBe((await statements(2)).length)
  })

  test('a record with 200 children: 5 statements create it, 2 read it, 9 change, add and delete children', async () => {
    const given = (count: number, more: (at: number) => object = () => ({})) =>
      Array.from({ length: count }, (_, at) => line(at, more(at)))
    let stored: { id: string; lines: { id: string }[] } = { id: '', lines: [] }
    const count = async (ask: () => ReturnType<typeof api.get>) => {
      const sent = await api.statementsOf(async () => {
        const answer = await ask()
        expect(answer.status).toBeLessThan(300)
        stored = answer.data()
      })
      return sent.length
    }
    expect(await count(() => api.post('/plain/', { number: 'N', lines: given(200) }))).toBe(5)
    const own = `/plain/${stored.id}/`
    const ids = stored.lines.map(({ id }) => id)
    const changed = given(220, at => (at < 200 ? { id: ids[at], quantity: 2 } : {})).slice(50)
    expect(await count(() => api.put(own, { number: 'N', lines: changed }))).toBe(9)
    expect(await count(() => api.get(own))).toBe(2)
    expect(stored.lines).toHaveLength(170)
    // Nothing but the order changes; then all lines go.
    const same = stored.lines.map(({ id }, at) => line(50 + at, { id, quantity: at < 150 ? 2 : 1 }))
    expect(await count(() => api.put(own, { number: 'N', lines: same }))).toBe(4)
    expect(await count(() => api.put(own, { number: 'N', lines: [] }))).toBe(5)
  })

  test('of two clients that sync the same record at once, the later one decides', async () => {
    for (let round = 0; round < 5; round++) {
      const bodies = [3, 7].map(quantity => ({ number: 'A', lines: [line(1, { quantity }), line(2, { quantity })] }))
      const answers = await Promise.all(bodies.map(body => api.put(path, body)))
      expect(answers.map(({ status }) => status)).toEqual([200, 200])
      const { lines: now } = (await api.get(path)).data<{ lines: { quantity: number }[] }>()
      expect([
        [3, 3],
        [7, 7],
      ]).toContainEqual(now.map(({ quantity }) => quantity))
    }
  })

  test('hooks see the children and may change them', async () => {
    const body = { number: 'H', lines: [line(1, { quantity: 100 }), line(2)] }
    const created = await api.post('/hooked/', body)
    expect(created.data()).toMatchObject({ lines: [{ quantity: 10 }] })
    const bulk = await api.post('/hooked/bulk-create/', [{ ...body, number: 'I' }])
    expect(bulk.data()).toMatchObject([{ lines: [{ quantity: 10 }] }])
  })

  test('a record moves only from an owner that the request may change', async () => {
    const moved = await api.patch(`/moving/${uuid(21)}/`, { lines: [one, two, three].slice(2) })
    expect(moved.envelope()).toMatchObject({ errors: { lines: [expect.stringMatching(/belong/)] } })
    const taken = await api.patch(`/moving/${uuid(22)}/`, { lines: [three, uuid(34)] })
    expect(taken.envelope()).toMatchObject({ errors: { lines: [expect.stringContaining(uuid(34))] } })
    await api.patch(path, { lines: [{ id: one, position: 9 }] })
    const open = await api.patch(`/moving/${uuid(22)}/`, { lines: [three, one] })
    expect(open.data()).toMatchObject({ lines: [{ id: three }, { id: one }] })
  })
})

describeDialects('written and shown forms of relations to many', dialect => {
  const tables = library(dialect.kit)
  const { books, chapters, tags, bookTags, people } = tables
  const TagSerializer = BaseModelSerializer(tags, { fields: ['id', 'label'] })
  const PersonSerializer = BaseModelSerializer(people, { fields: ['id', 'name'] })
  const urn = (kind: string) =>
    z.templateLiteral([`urn:${kind}:`, z.uuid()]).transform(text => text.slice(5 + kind.length))
  const through = { queryset: tags, through: bookTags, ordering: 'label' } as const
  const resource = (name: string, field: ReturnType<typeof ManyIdOnlyField>) =>
    BulkViewSet({
      model: books,
      serializer: BaseModelSerializer(books, { name, fields: ['id', 'title', 'author'], extra: { tags: field } }),
      permissionClasses,
    })
  const api = useApi(dialect, {
    tables,
    resources: {
      idOnly: resource('IdOnly', ManyIdOnlyField(through)),
      strOnly: BulkViewSet({
        model: books,
        serializer: BaseModelSerializer(books, {
          name: 'StrOnly',
          fields: ['id', 'title', 'author'],
          extra: { tags: ManyStrOnlyField({ ...through, str: 'label' }) },
        }),
        permissionClasses,
      }),
      creating: BulkViewSet({
        model: books,
        serializer: BaseModelSerializer(books, {
          name: 'Creating',
          fields: ['id', 'title', 'author'],
          extra: {
            tags: ManyStrOnlyField({
              ...through,
              queryset: scoped(tags, () => eq(tags.team, 'red'), { fixedValues: () => ({ team: 'red' }) }),
              str: 'label',
              createMissing: true,
            }),
          },
        }),
        permissionClasses,
      }),
      strToData: BulkViewSet({
        model: books,
        serializer: BaseModelSerializer(books, {
          name: 'StrToData',
          fields: ['id', 'title', 'author'],
          extra: { tags: ManyStrToDataField({ ...through, str: 'label', serializer: TagSerializer }) },
        }),
        permissionClasses,
      }),
      flexible: BulkViewSet({
        model: books,
        serializer: BaseModelSerializer(books, {
          name: 'Flexible',
          fields: ['id', 'title', 'author'],
          extra: {
            tags: ManyFlexibleField({
              ...through,
              queryset: scoped(tags, () => eq(tags.team, 'red'), { fixedValues: () => ({ team: 'red' }) }),
              serializer: TagSerializer,
            }),
          },
        }),
        permissionClasses,
      }),
      urns: BulkViewSet({
        model: books,
        serializer: BaseModelSerializer(books, {
          name: 'ByUrn',
          fields: ['id', 'title'],
          extra: {
            author: IdToStrField({ queryset: people, str: 'name', input: urn('person') }),
            editor: DataToStrField({ queryset: people, str: 'name', serializer: PersonSerializer }),
            tags: ManyIdOnlyField({ ...through, input: urn('tag') }),
          },
        }),
        permissionClasses,
      }),
      flexibleChildren: BulkViewSet({
        model: books,
        serializer: BaseModelSerializer(books, {
          name: 'FlexibleChildren',
          fields: ['id', 'title', 'author'],
          extra: {
            chapters: ManyFlexibleField({
              queryset: chapters,
              serializer: BaseModelSerializer(chapters, { name: 'FlexibleChapter', fields: ['id', 'title'] }),
              ordering: 'title',
            }),
          },
        }),
        permissionClasses,
      }),
      dataToId: BulkViewSet({
        model: books,
        serializer: BaseModelSerializer(books, {
          name: 'DataToId',
          fields: ['id', 'title', 'author'],
          extra: {
            chapters: ManyDataToIdField({
              queryset: chapters,
              serializer: BaseModelSerializer(chapters, { fields: ['id', 'title'] }),
            }),
          },
        }),
        permissionClasses,
      }),
    },
  })
  beforeEach(() =>
    api.database.transaction(async () => {
      await insertMany(people, [{ id: uuid(1), name: 'Ada' }])
      await insertMany(tags, [
        { id: uuid(31), label: 'a', team: 'red' },
        { id: uuid(32), label: 'b', team: 'red' },
        { id: uuid(33), label: 'c', team: 'blue' },
      ])
    }),
  )
  const book = (more: object) => ({ title: 'T', author: uuid(1), ...more })

  test('ManyIdOnlyField: identifiers in both directions', async () => {
    const created = await api.post('/idOnly/', book({ tags: [uuid(32), uuid(31)] }))
    expect(created.data()).toMatchObject({ tags: [uuid(31), uuid(32)] })
  })

  test('ManyStrOnlyField: texts in both directions', async () => {
    const created = await api.post('/strOnly/', book({ tags: ['b', 'a', 'b'] }))
    expect(created.data()).toMatchObject({ tags: ['a', 'b'] })
    const changed = await api.patch(`/strOnly/${created.data().id}/`, { tags: ['c'] })
    expect(changed.data()).toMatchObject({ tags: ['c'] })
    const refused = await api.patch(`/strOnly/${created.data().id}/`, { tags: ['c', 'x', 'y'] })
    expect(refused.envelope()).toMatchObject({ errors: { tags: [expect.stringMatching(/"x".*"y"/)] } })
    expect((await api.get('/strOnly/')).data()).toMatchObject([{ tags: ['c'] }])
  })

  test('createMissing: a text without a record creates one, once for all records of a request', async () => {
    const created = await api.post('/creating/', book({ tags: ['x', 'a', 'x'] }))
    expect(created.data()).toMatchObject({ tags: expect.arrayContaining(['a', 'x']) })
    const bulk = await api.post('/creating/bulk-create/', [
      book({ title: 'U', tags: ['y', 'x'] }),
      book({ title: 'V', tags: ['y', 'z'] }),
    ])
    expect(bulk.data<{ tags: string[] }[]>().map(({ tags }) => tags.toSorted())).toEqual([
      ['x', 'y'],
      ['y', 'z'],
    ])
    const changed = await api.patch(`/creating/${created.data().id}/`, { tags: ['z', 'new'] })
    expect(changed.data()).toMatchObject({ tags: expect.arrayContaining(['new', 'z']) })
    const stored = (await api.rows('tags')).map(row => row.slice(1).join(' ')).toSorted()
    expect(stored).toEqual(['a red', 'b red', 'c blue', 'new red', 'x red', 'y red', 'z red'])
    const foreign = await api.patch(`/creating/${created.data().id}/`, { tags: ['c'] })
    expect(foreign.status, foreign.text).toBe(409)
    const long = await api.patch(`/creating/${created.data().id}/`, { tags: ['l'.repeat(500)] })
    expect(long.envelope()).toMatchObject({ errors: { 'tags.0': [expect.any(String)] } })
  })

  test('ManyStrToDataField: texts in, records out', async () => {
    const created = await api.post('/strToData/', book({ tags: ['a'] }))
    expect(created.data()).toMatchObject({ tags: [{ id: uuid(31), label: 'a' }] })
  })

  test('ManyFlexibleField: identifiers, objects with one, and new records, linked through a table', async () => {
    const created = await api.post('/flexible/', book({ tags: [uuid(31), { id: uuid(32) }, { label: 'new' }] }))
    expect(created.data()).toMatchObject({ tags: [{ label: 'a' }, { label: 'b' }, { label: 'new' }] })
    const set = await api.patch(`/flexible/${created.data().id}/`, { tags: [{ id: uuid(32), label: 'ignored' }] })
    expect(set.data()).toMatchObject({ tags: [{ label: 'b' }] })
    expect(await api.rows('tags')).toHaveLength(4)
    const refused = await api.patch(`/flexible/${created.data().id}/`, {
      tags: [uuid(33), { label: 'b' }, { id: 'x' }],
    })
    expect(refused.envelope()).toMatchObject({
      errors: { 'tags.0': [expect.any(String)], 'tags.2.id': [expect.any(String)] },
    })
    const taken = await api.patch(`/flexible/${created.data().id}/`, { tags: [{ label: 'b' }] })
    expect(taken.envelope()).toMatchObject({ errors: { 'tags.0.label': [expect.any(String)] } })
  })

  test.each([
    ['an identifier', uuid(31), uuid(31).toUpperCase()],
    ['an object with one', { id: uuid(31) }, { id: uuid(31), label: 'ignored' }],
    ['each form', uuid(31), { id: uuid(31) }],
    ['with a tag, since a link writes nothing of the record', uuid(31), { id: uuid(31), _etag: '1' }],
  ])('ManyFlexibleField: a link that is sent twice counts once: %s', async (_, first, second) => {
    const created = await api.post('/flexible/', book({ tags: [first, uuid(32), second] }))
    expect(created.data()).toMatchObject({ tags: [{ label: 'a' }, { label: 'b' }] })
  })

  test('ManyFlexibleField: an identifier of a child that is sent twice counts once, and an object does not', async () => {
    const created = await api.post('/flexibleChildren/', book({ chapters: [{ title: 'one' }, { title: 'two' }] }))
    const { id, chapters } = created.data<{ id: string; chapters: readonly { id: string }[] }>()
    const [one = { id: '' }] = chapters
    const kept = await api.put(`/flexibleChildren/${id}/`, book({ chapters: [one.id, one.id] }))
    expect(kept.data()).toMatchObject({ chapters: [one] })
    for (const second of [{ id: one.id, title: 'new' }, one.id]) {
      const answer = await api.patch(`/flexibleChildren/${id}/`, { chapters: [{ id: one.id, title: 'new' }, second] })
      expect(answer.envelope()).toMatchObject({
        errors: { [second === one.id ? 'chapters.1' : 'chapters.1.id']: [expect.stringMatching(/same record/)] },
      })
    }
  })

  test('ManyDataToIdField: objects in, identifiers out', async () => {
    const created = await api.post('/dataToId/', book({ chapters: [{ title: 'one' }] }))
    expect(created.data()).toMatchObject({ chapters: [expect.stringMatching(/^[0-9a-f-]{36}$/)] })
  })

  test('input: another form of an identifier', async () => {
    const body = { title: 'T', author: `urn:person:${uuid(1)}`, editor: { name: 'Bob' }, tags: [`urn:tag:${uuid(32)}`] }
    const created = await api.post('/urns/', body)
    expect(created.data()).toMatchObject({ author: 'Ada', editor: 'Bob', tags: [uuid(32)] })
    const missing = await api.post('/urns/', { ...body, author: `urn:person:${uuid(9)}` })
    expect(missing.envelope()).toMatchObject({ errors: { author: [expect.stringContaining(uuid(9))] } })
    const wrong = await api.post('/urns/bulk-create/', [{ ...body, author: uuid(1), tags: [uuid(32)] }])
    expect(wrong.envelope()).toMatchObject({
      errors: { '0.author': [expect.any(String)], '0.tags.0': [expect.any(String)] },
    })
  })
})
