import { randomUUID } from 'node:crypto'
import { ne } from 'drizzle-orm'
import {
  AllowAny,
  BaseModelSerializer,
  BulkViewSet,
  insertMany,
  ManyDataToDataField,
  type ModelRecord,
  preSave,
  type SerializerInput,
  ValidationError,
} from 'viewset'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { useApi } from '../support/api.ts'
import { describeDialects } from '../support/dialects.ts'
import { uuid } from '../support/expect.ts'
import { orderSerializers, orders as orderTables } from '../support/orders.ts'

const permissionClasses = [AllowAny]

describeDialects('a tree of one model', dialect => {
  const { kit } = dialect
  const places = kit.table('places', {
    id: kit.uuid().primaryKey().$defaultFn(randomUUID),
    parent: kit.foreignKey('self', { onDelete: 'cascade' }),
    name: kit.text(20).notNull().unique(),
    kind: kit.text(10).notNull().default('open'),
  })
  const Child = BaseModelSerializer(places, { name: 'Child', fields: ['id', 'name'] })
  const serializer = BaseModelSerializer(places, {
    fields: ['id', 'name'],
    extra: { children: ManyDataToDataField({ queryset: places, serializer: Child, ordering: 'name' }) },
  })
  const config = { model: places, serializer, permissionClasses, queryset: () => ne(places.kind, 'secret') } as const
  const api = useApi(dialect, {
    tables: { places },
    resources: { places: BulkViewSet(config), unchecked: BulkViewSet({ ...config, checkScope: 'never' }) },
  })
  const [root, open, secret] = [uuid(1), uuid(2), uuid(3)]
  beforeEach(async () => {
    await api.database.transaction(async () => {
      await insertMany(places, [{ id: root, name: 'root' }])
      await insertMany(places, [
        { id: open, name: 'open', parent: root },
        { id: secret, name: 'secret', parent: root, kind: 'secret' },
      ])
    })
  })
  const stored = async () => (await api.rows('places')).map(row => row[0])

  test.each(['places', 'unchecked'])(
    'children that the queryset hides stay, whatever a PUT leaves out: %s',
    async at => {
      const one = await api.put(`/${at}/${root}/`, { name: 'root', children: [] })
      expect(one.status).toBe(200)
      expect((await stored()).toSorted()).toEqual([root, secret])
      const bulk = await api.put(`/${at}/bulk-update/`, [{ id: root, name: 'root', children: [] }])
      expect(bulk.status).toBe(200)
      expect((await stored()).toSorted()).toEqual([root, secret])
    },
  )

  test.each([
    ['POST', '/places/', { name: 'new', children: [{ name: 'new' }] }],
    ['PATCH', `/places/${root}/`, { name: 'both', children: [{ name: 'both' }] }],
  ])('two levels of a %s cannot have one unique value', async (method, path, body) => {
    const answer = await api.request(method as 'POST', path, { body })
    expect([answer.status, answer.envelope().errors]).toEqual([400, { name: [expect.stringMatching(/same value/)] }])
  })

  test('a list cannot name a child that the queryset hides', async () => {
    const answer = await api.patch(`/places/${root}/`, { children: [{ id: secret, name: 'found' }] })
    expect(answer.envelope()).toMatchObject({ errors: { 'children.0.id': [expect.stringMatching(/There is no/)] } })
  })
})

describeDialects('children of children', dialect => {
  const tables = orderTables(dialect.kit)
  const { products, orders, lines, boxes } = tables
  const { Order } = orderSerializers(tables)
  const config = { model: orders, serializer: Order, permissionClasses } as const
  class Adding extends BulkViewSet(config) {
    override async performUpdate(record: ModelRecord<typeof orders>, values: SerializerInput<typeof Order>) {
      values.lines?.items.push({ key: uuid(40), values: { quantity: 2 } })
      return super.performUpdate(record, values)
    }
  }
  const api = useApi(dialect, {
    tables,
    resources: {
      orders: BulkViewSet(config),
      saving: BulkViewSet({ ...config, useSaveOnBulkUpdate: true }),
      adding: Adding,
    },
  })
  const [one, two] = [uuid(31), uuid(32)]
  const path = `/orders/${uuid(21)}/`
  const stops: (() => void)[] = []
  afterEach(() => {
    for (const stop of stops.splice(0)) stop()
  })
  beforeEach(async () => {
    await api.database.transaction(async () => {
      await insertMany(products, [{ id: uuid(1), name: 'nut' }])
      await insertMany(orders, [
        { id: uuid(21), number: 'A' },
        { id: uuid(22), number: 'B' },
      ])
      await insertMany(lines, [
        { id: one, order: uuid(21), position: 1, product: uuid(1) },
        { id: two, order: uuid(21), position: 2, product: uuid(1) },
        { id: uuid(40), order: uuid(22), position: 1, product: uuid(1) },
      ])
      await insertMany(boxes, [
        { id: uuid(51), line: one, label: 'x' },
        { id: uuid(52), line: two, label: 'y' },
        { id: uuid(53), line: uuid(40), label: 'z' },
      ])
    })
  })
  const exchanged = {
    lines: [
      { id: one, quantity: 2, boxes: [{ id: uuid(51), label: 'y' }] },
      { id: two, quantity: 2, boxes: [{ id: uuid(52), label: 'x' }] },
    ],
  }

  test.each(['a handler of preSave', 'none'])('exchange unique values: %s', async handler => {
    if (handler !== 'none') stops.push(preSave(lines, () => undefined))
    expect((await api.patch(path, exchanged)).data()).toMatchObject({
      lines: [{ boxes: [{ label: 'y' }] }, { boxes: [{ label: 'x' }] }],
    })
  })

  test.each(['orders', 'saving'])('exchange unique values between the records of a bulk request: %s', async at => {
    const answer = await api.patch(`/${at}/bulk-update/`, [
      { id: uuid(21), lines: [{ id: one, boxes: [{ id: uuid(51), label: 'z' }] }] },
      { id: uuid(22), lines: [{ id: uuid(40), boxes: [{ id: uuid(53), label: 'x' }] }] },
    ])
    expect(answer.data()).toMatchObject([
      { lines: [{ boxes: [{ label: 'z' }] }, {}] },
      { lines: [{ boxes: [{ label: 'x' }] }] },
    ])
  })

  test('a line whose boxes change, and nothing of its own, keeps its version', async () => {
    const versions = async () => (await api.rows('order_lines')).map(row => Number(row.at(-1)))
    const before = await versions()
    const line = { id: one, position: 1, product: 'nut', quantity: 1 }
    const answer = await api.patch(path, {
      lines: [{ ...line, product: uuid(1), boxes: [{ id: uuid(51), label: 'n' }] }],
    })
    expect(answer.data()).toMatchObject({ lines: [{ boxes: [{ label: 'n' }] }, {}] })
    expect(await versions()).toEqual(before)
  })

  test.each([
    ['single', 'lines.1.boxes.0.label'],
    ['bulk', '0.lines.1.boxes.0.label'],
  ])('a handler names the place of a box, also beside a line that does not change: %s', async (how, at) => {
    stops.push(
      preSave(boxes, ({ values }) => {
        if (values.label === 'bad') throw new ValidationError({ label: ['Not that one.'] })
      }),
    )
    const body = { lines: [{ id: one }, { id: two, quantity: 5, boxes: [{ id: uuid(52), label: 'bad' }] }] }
    const answer = await (how === 'single'
      ? api.patch(path, body)
      : api.patch('/orders/bulk-update/', [{ id: uuid(21), ...body }]))
    expect(answer.envelope()).toMatchObject({ errors: { [at]: ['Not that one.'] } })
  })

  test('a hook cannot add the child of another record', async () => {
    const answer = await api.patch(`/adding/${uuid(21)}/`, { lines: [{ id: one, quantity: 2 }] })
    expect(answer.status).toBe(500)
    expect((await api.get(`/orders/${uuid(22)}/`)).data()).toMatchObject({ lines: [{ quantity: 1 }] })
  })
})
