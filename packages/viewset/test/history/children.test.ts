import { randomUUID } from 'node:crypto'
import { ne } from 'drizzle-orm'
import {
  AllowAny,
  BaseModelSerializer,
  BulkViewSet,
  eraseHistory,
  HistoryModelMixin,
  insertMany,
  ManyDataToDataField,
  ManyIdOnlyField,
  scoped,
  withoutHistory,
} from 'viewset'
import { createHandler } from 'viewset/fetch'
import { beforeEach, expect, test } from 'vitest'
import { useApi } from '../support/api.ts'
import { describeDialects } from '../support/dialects.ts'
import { uuid } from '../support/expect.ts'
import { orderSerializers, orders as orderTables } from '../support/orders.ts'

interface Entry {
  readonly id: number | null
  readonly path: string | null
  readonly action: string
  readonly before: Record<string, unknown> | null
  readonly after: Record<string, unknown> | null
}

describeDialects('the history of a parent', dialect => {
  const c = dialect.kit
  const tables = orderTables(c)
  const { orders, lines, boxes, products } = tables
  const { Order } = orderSerializers(tables)
  const tags = c.table('tags', { id: c.integer().primaryKey(), label: c.text(20).notNull() })
  const tasks = c.table('tasks', {
    id: c.uuid().primaryKey().$defaultFn(randomUUID),
    title: c.text(20).notNull(),
    tenant: c.text(10).notNull().default(''),
  })
  const steps = c.table('steps', {
    id: c.integer().primaryKey(),
    task: c.foreignKey(tasks, { onDelete: 'cascade' }).notNull(),
    text: c.text(20).notNull(),
    cost: c.integer(),
    secret: c.text(20),
  })
  const stepTags = c.table('step_tags', {
    id: c.integer().primaryKey(),
    step: c.foreignKey(steps, { onDelete: 'cascade' }).notNull(),
    tag: c.foreignKey(tags).notNull(),
  })
  const histories = {
    ...c.HistoryTable(orders),
    ...c.HistoryTable(lines, { parent: 'order' }),
    ...c.HistoryTable(boxes, { parent: 'line' }),
    ...c.HistoryTable(tasks),
    ...c.HistoryTable(steps, { parent: 'task', redact: ['secret'] }),
  }
  const ViewSet = BulkViewSet.add(HistoryModelMixin)
  const permissionClasses = [AllowAny]
  const Step = BaseModelSerializer(steps, {
    fields: ['id', 'text', 'cost', 'secret'],
    extra: { tags: ManyIdOnlyField({ queryset: tags, through: stepTags }) },
    readableBy: { cost: user => user?.id === 'boss' },
  })
  const Task = BaseModelSerializer(tasks, {
    fields: ['id', 'title'],
    extra: { steps: ManyDataToDataField({ queryset: steps, serializer: Step }) },
  })
  const Open = BaseModelSerializer(tasks, {
    name: 'OpenTask',
    fields: ['id', 'title'],
    extra: {
      steps: ManyDataToDataField({
        queryset: scoped(steps, () => ne(steps.text, 'hidden')),
        scopeReads: true,
        serializer: BaseModelSerializer(steps, { name: 'OpenStep', fields: ['id', 'text'] }),
      }),
    },
  })
  const Lines = BaseModelSerializer(lines, {
    name: 'Plain',
    fields: ['id', 'order', 'position', 'product', 'quantity'],
  })
  const api = useApi(dialect, {
    tables: { ...tables, tags, tasks, steps, stepTags, ...histories },
    users: { boss: { id: 'boss' }, ann: { id: 'ann' } },
    resources: {
      orders: ViewSet({ model: orders, serializer: Order, permissionClasses }),
      lines: BulkViewSet({ model: lines, serializer: Lines, permissionClasses }),
      tasks: ViewSet({ model: tasks, serializer: Task, permissionClasses }),
      open: ViewSet({ model: tasks, serializer: Open, permissionClasses }),
      mine: ViewSet({
        model: tasks,
        serializer: Task,
        permissionClasses,
        fixedValues: ({ user }) => ({ tenant: String(user?.id ?? '') }),
      }),
    },
  })
  const product = uuid(1)
  const history = async (path: string, as = 'boss') =>
    (await api.get(`${path}history/?page_size=100`, { as })).data<readonly Entry[]>()
  const places = async (path: string, as?: string) =>
    (await history(path, as)).map(({ path: place, action }) => `${place ?? ''} ${action}`)
  beforeEach(() => api.database.use(() => insertMany(products, [{ id: product, name: 'nut' }])))

  test('has the entries of children and of theirs, each with its path, newest first', async () => {
    const created = await api.post('/orders/', {
      number: 'A',
      lines: [{ position: 1, product, boxes: [{ label: 'x' }] }],
    })
    expect(created.status).toBe(201)
    const {
      id,
      lines: [stored],
    } = created.data<{ id: string; lines: { id: string; boxes: { id: string }[] }[] }>()
    const [lineId, boxId] = [stored?.id ?? '', stored?.boxes[0]?.id ?? '']
    const path = `/orders/${id}/`
    await api.patch(path, { lines: [{ id: lineId, quantity: 5, boxes: [{ id: boxId, label: 'y' }] }] })
    await api.put(path, { number: 'A', lines: [] })
    expect(await places(path)).toEqual([
      `lines.${lineId}.boxes.${boxId} delete`,
      `lines.${lineId} delete`,
      `lines.${lineId}.boxes.${boxId} update`,
      `lines.${lineId} update`,
      `lines.${lineId}.boxes.${boxId} create`,
      `lines.${lineId} create`,
      ' create',
    ])
    const [, , box, update] = await history(path)
    expect(update).toMatchObject({ before: { quantity: 1 }, after: { quantity: 5 } })
    expect(box).toMatchObject({ before: { label: 'x' }, after: { label: 'y' } })
    const page = await api.get(`${path}history/?page_size=3&page=3`)
    expect(page.envelope()).toMatchObject({ count: 7, next: null, previous: expect.stringContaining('page=2') })
    expect(page.data<Entry[]>().map(({ action }) => action)).toEqual(['create'])
    expect((await api.get(`${path}history/?page=9`)).status).toBe(404)
    await api.delete(path)
    expect((await places(path))[0]).toBe(' delete')
  })

  test('has the entries of a child and of its children while it belonged to the record', async () => {
    const [one, two] = await Promise.all(
      ['A', 'B'].map(async number => {
        const body = { number, lines: [{ position: number === 'A' ? 1 : 2, product, boxes: [{ label: number }] }] }
        return (await api.post('/orders/', body)).data<{
          id: string
          lines: { id: string; boxes: { id: string }[] }[]
        }>()
      }),
    )
    const moved = one?.lines[0]?.id ?? ''
    const box = one?.lines[0]?.boxes[0]?.id ?? ''
    expect((await api.patch(`/lines/${moved}/`, { order: two?.id })).status).toBe(200)
    const before = [`lines.${moved}.boxes.${box} create`, `lines.${moved} create`, ' create']
    expect(await places(`/orders/${one?.id}/`)).toEqual(before)
    await api.patch(`/orders/${two?.id}/`, { lines: [{ id: moved, boxes: [{ id: box, label: 'later' }] }] })
    expect((await places(`/orders/${two?.id}/`)).filter(place => place.includes(moved))).toEqual([
      `lines.${moved}.boxes.${box} update`,
      `lines.${moved} update`,
    ])
    expect(await places(`/orders/${one?.id}/`)).toEqual(before)
  })

  test('shows fields and links of children as the nested serializer does, for each reader', async () => {
    await api.database.use(() => insertMany(tags, [{ id: 7, label: 'a' }]))
    const created = await api.post('/tasks/', { title: 'T', steps: [{ text: 'a', cost: 1, secret: 's', tags: [7] }] })
    const {
      id,
      steps: [step],
    } = created.data<{ id: string; steps: { id: number }[] }>()
    const path = `/tasks/${id}/`
    await api.patch(path, { steps: [{ id: step?.id, cost: 2 }] }, { as: 'boss' })
    await api.patch(path, { steps: [{ id: step?.id, tags: [] }] }, { as: 'boss' })
    const seen = async (as: string) => (await history(path, as)).map(({ before, after }) => [before, after])
    const whole = { id: step?.id, text: 'a' }
    expect((await seen('boss')).slice(0, 3)).toEqual([
      [{ tags: [7] }, { tags: [] }],
      [{ cost: 1 }, { cost: 2 }],
      [null, { ...whole, cost: 1, tags: [7] }],
    ])
    expect((await seen('ann')).slice(0, 2)).toEqual([
      [{ tags: [7] }, { tags: [] }],
      [null, { ...whole, tags: [7] }],
    ])
  })

  test('has the entries of children of a child without entries, and numbers its own entries only', async () => {
    const created = await api.post('/orders/', { number: 'A' })
    const { id } = created.data<{ id: string }>()
    const [line, box] = [uuid(41), uuid(42)]
    await api.database.transaction(() =>
      withoutHistory(async () => {
        await insertMany(lines, [{ id: line, order: id, position: 1, product }])
        await insertMany(boxes, [{ id: box, line, label: 'x' }])
      }),
    )
    await api.patch(`/orders/${id}/`, { lines: [{ id: line, boxes: [{ id: box, label: 'y' }] }] })
    expect(await places(`/orders/${id}/`)).toEqual([`lines.${line}.boxes.${box} update`, ' create'])
    expect((await history(`/orders/${id}/`)).map(entry => entry.id)).toEqual([null, expect.any(Number)])
  })

  test('is erased with the record', async () => {
    const body = { number: 'A', lines: [{ position: 1, product, boxes: [{ label: 'x' }] }] }
    const { id } = (await api.post('/orders/', body)).data<{ id: string }>()
    const other = (await api.post('/orders/', { number: 'B', lines: [{ position: 1, product }] })).data<{
      id: string
    }>()
    await api.database.use(() => eraseHistory(orders, [id]))
    expect((await history(`/orders/${id}/`)).map(({ after }) => after)).toEqual([null, null, null])
    expect((await history(`/orders/${other.id}/`)).every(({ after }) => after)).toBe(true)
  })

  test('leaves out children outside of the scope of the list', async () => {
    const { id, steps: all } = (
      await api.post('/tasks/', { title: 'T', steps: [{ text: 'a' }, { text: 'hidden' }] })
    ).data<{ id: string; steps: { id: number }[] }>()
    expect(await places(`/open/${id}/`)).toEqual([`steps.${all[0]?.id} create`, ' create'])
  })

  test('is only for the tenant of its entries', async () => {
    const body = { title: 'T', steps: [{ text: 'a' }] }
    const { id } = (await api.post('/mine/', body, { as: 'ann' })).data<{ id: string }>()
    expect(await places(`/mine/${id}/`, 'ann')).toHaveLength(2)
    await api.delete(`/mine/${id}/`, { as: 'ann' })
    expect(await places(`/mine/${id}/`, 'ann')).toHaveLength(4)
    expect((await api.get(`/mine/${id}/history/`, { as: 'boss' })).status).toBe(404)
  })

  test('needs the option "parent" of children that clients write', () => {
    const notes = c.table('notes', {
      id: c.integer().primaryKey(),
      text: c.text(20),
      task: c.foreignKey(tasks).notNull(),
    })
    c.HistoryTable(notes)
    const serializer = BaseModelSerializer(tasks, {
      name: 'WithNotes',
      fields: ['id'],
      extra: {
        notes: ManyDataToDataField({
          queryset: notes,
          serializer: BaseModelSerializer(notes, { fields: ['id', 'text'] }),
        }),
      },
    })
    expect(() => ViewSet({ model: tasks, serializer, permissionClasses })).toThrow(
      "so write HistoryTable(notes, { parent: 'task' })",
    )
  })

  test('needs a parent that writes the children, at the start', () => {
    const notes = c.table('notes', {
      id: c.integer().primaryKey(),
      text: c.text(20),
      task: c.foreignKey(tasks).notNull(),
      tag: c.foreignKey(tags),
      step: c.foreignKey(steps),
    })
    const Note = BaseModelSerializer(notes, { fields: ['id', 'text'] })
    const list = { queryset: notes, serializer: Note }
    const ofTask = BaseModelSerializer(tasks, {
      name: 'TaskOfNotes',
      fields: ['id', 'title'],
      extra: { notes: ManyDataToDataField({ ...list, column: 'task' }) },
    })
    const start = (parent: 'task' | 'tag' | 'step') => () => {
      c.HistoryTable(notes, { parent })
      const all = ViewSet({ model: tasks, serializer: ofTask, permissionClasses })
      return createHandler({ database: api.database, resources: { all } })
    }
    expect(start('task')).not.toThrow()
    expect(start('tag')).toThrow(
      'resources.all: HistoryModelMixin: the history of "notes" names "tag" as the parent, which is no list\'s foreign ' +
        "key; write HistoryTable(notes, { parent: 'task' })",
    )
    expect(start('step')).toThrow('names "step" as the parent')
    // Another serializer may write the children with the parent that the history names.
    BaseModelSerializer(steps, {
      name: 'StepOfNotes',
      fields: ['id'],
      extra: { notes: ManyDataToDataField({ ...list, column: 'step' }) },
    })
    expect(start('step')).not.toThrow()
  })
})
