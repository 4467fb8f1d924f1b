import { eq, sql } from 'drizzle-orm'
import {
  AllowAny,
  BaseModelSerializer,
  BulkViewSet,
  currentDb,
  type DeclaredManyField,
  ExpressionField,
  IdOnlyField,
  IdToDataField,
  insertMany,
  ManyDataToDataField,
  ManyDataToIdField,
  ManyIdOnlyField,
  type ModelSerializer,
  scoped,
} from 'viewset'
import { beforeEach, describe, expect, test } from 'vitest'
import { useApi } from '../support/api.ts'
import { describeDialects } from '../support/dialects.ts'

describeDialects('an answer with children for If-None-Match', dialect => {
  const c = dialect.kit
  const goods = c.table('goods', { id: c.integer().primaryKey(), name: c.text(20).notNull() })
  const orders = c.table('orders', {
    id: c.integer().primaryKey(),
    number: c.text(20).notNull(),
    good: c.foreignKey(goods),
    payer: c.foreignKey(goods, { onDelete: 'set null' }),
    ...c.VersionMixin(),
  })
  const lines = c.table('lines', { ...lineOf(), quantity: c.integer().notNull().default(1), good: c.foreignKey(goods) })
  const leaving = c.table('leaving', { ...lineOf(), good: c.foreignKey(goods, { onDelete: 'cascade' }) })
  const clearing = c.table('clearing', { ...lineOf(), good: c.foreignKey(goods, { onDelete: 'set null' }) })
  const boxes = c.table('boxes', {
    id: c.integer().primaryKey(),
    line: c.foreignKey(lines, { onDelete: 'cascade' }).notNull(),
    label: c.text(20).notNull(),
  })
  const orderGoods = c.table('order_goods', {
    id: c.integer().primaryKey(),
    order: c.foreignKey(orders, { onDelete: 'cascade' }).notNull(),
    good: c.foreignKey(goods, { onDelete: 'cascade' }).notNull(),
  })
  function lineOf() {
    return {
      id: c.integer().primaryKey(),
      order: c.foreignKey(orders, { onDelete: 'cascade' }).notNull(),
    }
  }

  const Good = BaseModelSerializer(goods, { fields: ['id', 'name'] })
  const Line = BaseModelSerializer(lines, {
    name: 'Line',
    fields: ['id', 'quantity', 'good'],
    extra: {
      boxes: ManyDataToDataField({
        queryset: boxes,
        serializer: BaseModelSerializer(boxes, { fields: ['id', 'label'] }),
      }),
    },
  })
  const list = <S extends ModelSerializer<typeof lines>>(serializer: S) =>
    ManyDataToDataField({ queryset: lines, serializer, ordering: 'id' })
  const few = scoped(lines, () => eq(lines.quantity, 1))
  const isBoss = () => true
  /** Lists that only their own writes change, with the order's version. */
  const versioned = {
    children: { lines: list(Line) },
    keysOfChildren: { lines: ManyDataToIdField({ queryset: lines, serializer: Line }) },
    writesInScope: { lines: ManyDataToDataField({ queryset: few, serializer: Line }) },
  }
  /** Lists that change without the order's version, or that some readers see otherwise. */
  const changing = {
    readsInScope: { lines: ManyDataToDataField({ queryset: few, serializer: Line, scopeReads: true }) },
    readOnly: { lines: ManyDataToDataField({ queryset: lines, serializer: Line, readOnly: true }) },
    links: { goods: ManyIdOnlyField({ queryset: goods, through: orderGoods }) },
    computed: {
      lines: list(
        BaseModelSerializer(lines, { name: 'Computed', fields: ['id', 'quantity'], extra: { twice: () => 2 } }),
      ),
    },
    expression: {
      lines: list(
        BaseModelSerializer(lines, {
          name: 'Expressed',
          fields: ['id', 'quantity'],
          extra: { one: ExpressionField({ expression: sql`1`, type: 'integer' }) },
        }),
      ),
    },
    related: {
      lines: list(
        BaseModelSerializer(lines, {
          name: 'Related',
          fields: ['id', 'quantity'],
          extra: { good: IdToDataField({ queryset: goods, serializer: Good }) },
        }),
      ),
    },
    relatedInScope: {
      lines: list(
        BaseModelSerializer(lines, {
          name: 'RelatedInScope',
          fields: ['id', 'quantity'],
          extra: { good: IdOnlyField({ queryset: scoped(goods, () => eq(goods.name, 'x')), scopeReads: true }) },
        }),
      ),
    },
    forSome: {
      lines: list(
        BaseModelSerializer(lines, {
          name: 'ForSome',
          fields: ['id', 'quantity'],
          readableBy: { quantity: isBoss },
        }),
      ),
    },
    leaving: {
      lines: ManyDataToDataField({
        queryset: leaving,
        serializer: BaseModelSerializer(leaving, { fields: ['id', 'good'] }),
      }),
    },
    clearing: {
      lines: ManyDataToDataField({
        queryset: clearing,
        serializer: BaseModelSerializer(clearing, { fields: ['id', 'good'] }),
      }),
    },
  }
  type Lists = Readonly<Record<string, DeclaredManyField>>
  const resource = (name: string, extra: Lists, more: object = {}) =>
    BulkViewSet({
      model: orders,
      serializer: BaseModelSerializer(orders, { name, fields: ['id', 'number', 'good'], extra }),
      permissionClasses: [AllowAny],
      version: 'version',
      ...more,
    })
  const named = (all: Readonly<Record<string, Lists>>) =>
    Object.fromEntries(
      Object.entries(all).map(([name, extra]) => [
        name,
        resource(`Order${name[0]?.toUpperCase()}${name.slice(1)}`, extra),
      ]),
    )
  const resources = {
    ...named(versioned),
    ...named(changing),
    expanding: resource('OrderExpanding', {}, { expandableFields: { good: Good } }),
    cleared: BulkViewSet({
      model: orders,
      serializer: BaseModelSerializer(orders, { name: 'Cleared', fields: ['id', 'number', 'payer'] }),
      permissionClasses: [AllowAny],
      version: 'version',
    }),
    chosen: resource(
      'OrderChosen',
      { lines: list(Line) },
      { sparseFields: true, expandableFields: { good: Good, lines: Line } },
    ),
    lines: BulkViewSet({
      model: lines,
      serializer: BaseModelSerializer(lines, { name: 'OwnLine', fields: ['id', 'order', 'quantity', 'good'] }),
      permissionClasses: [AllowAny],
    }),
    goods: BulkViewSet({ model: goods, serializer: Good, permissionClasses: [AllowAny] }),
  }
  const api = useApi(dialect, {
    tables: { goods, orders, lines, leaving, clearing, boxes, orderGoods },
    resources,
  })
  beforeEach(() =>
    api.database.use(async () => {
      await insertMany(goods, [
        { id: 1, name: 'nut' },
        { id: 2, name: 'bolt' },
      ])
      await insertMany(orders, [{ id: 1, number: 'A', good: 1, payer: 2 }])
      await insertMany(lines, [{ id: 1, order: 1, good: 1 }])
      await insertMany(boxes, [{ id: 1, line: 1, label: 'a' }])
      await insertMany(leaving, [{ id: 1, order: 1, good: 2 }])
      await insertMany(clearing, [{ id: 1, order: 1, good: 2 }])
    }),
  )
  const tagOf = async (path: string) => String((await api.get(path)).headers.etag)
  const ask = async (path: string, tag: string) => (await api.get(path, { headers: { 'if-none-match': tag } })).status

  test.each(Object.keys(versioned))('is a 304 without a change, and a 200 after a write of a child: %s', async name => {
    const tag = await tagOf(`/${name}/1/`)
    expect(await ask(`/${name}/1/`, tag)).toBe(304)
    await api.patch('/lines/1/', { quantity: 5 })
    expect(await ask(`/${name}/1/`, tag)).toBe(200)
  })

  test.each(Object.keys(changing))('is a 200 without a change: %s', async name => {
    expect(await ask(`/${name}/1/`, await tagOf(`/${name}/1/`))).toBe(200)
  })

  test('is a 200 if the database may clear a shown column', async () => {
    const tag = await tagOf('/cleared/1/')
    await api.delete('/goods/2/')
    const answer = await api.get('/cleared/1/', { headers: { 'if-none-match': tag } })
    expect([answer.status, answer.data()]).toEqual([200, { id: 1, number: 'A', payer: null }])
  })

  test('is a 200 if it shows an expanded record, whose changes do not move the version', async () => {
    const tag = await tagOf('/expanding/1/')
    await api.patch('/goods/1/', { name: 'new' })
    expect(await ask('/expanding/1/', tag)).toBe(304)
    const answer = await api.get('/expanding/1/?expand=good', { headers: { 'if-none-match': tag } })
    expect([answer.status, answer.data()]).toEqual([200, { id: 1, number: 'A', good: { id: 1, name: 'new' } }])
  })

  describe('with a choice of fields', () => {
    test.each([
      ['fields=lines.quantity', 304],
      ['expand=good', 200],
      ['expand=lines', 200],
      ['fields=good.name&expand=good', 200],
    ])('%s: %d', async (query, status) => {
      const path = `/chosen/1/?${query}`
      expect(await ask(path, await tagOf(path))).toBe(status)
    })
  })

  test('is a 200 after code has written the child of a child', async () => {
    const tag = await tagOf('/children/1/')
    await api.database.use(() => insertMany(boxes, [{ id: 2, line: 1, label: 'b' }]))
    expect(await ask('/children/1/', tag)).toBe(200)
    const next = await tagOf('/children/1/')
    await api.database.use(() => currentDb().insert(goods).values({ id: 3, name: 'pin' }))
    expect(await ask('/children/1/', next)).toBe(304)
  })
})
