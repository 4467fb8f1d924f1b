import fc from 'fast-check'
import { AllowAny, BulkViewSet, insertMany } from 'viewset'
import { expect, test } from 'vitest'
import { useApi } from '../support/api.ts'
import { cases } from '../support/cases.ts'
import { describeDialects } from '../support/dialects.ts'
import { uuid } from '../support/expect.ts'
import { orderSerializers, orders as orderTables } from '../support/orders.ts'

interface Box {
  readonly id: string
  readonly label: string
}
interface Line {
  readonly id: string
  readonly position: number
  readonly quantity: number
  readonly boxes: readonly Box[]
}

/** A line without the keys of new records. */
interface Wanted extends Omit<Line, 'id' | 'boxes'> {
  readonly boxes: readonly Pick<Box, 'label'>[]
}

/** An item of a request: a stored record by its number, or a new one. */
interface BoxItem {
  readonly stored: number | null
  readonly label: string
}
interface LineItem {
  readonly stored: number | null
  readonly position: number
  /** Absent in the request. */
  readonly quantity: number | undefined
  readonly boxes: readonly BoxItem[] | undefined
}
interface Step {
  readonly method: 'PUT' | 'PATCH'
  readonly order: number
  readonly isBulk: boolean
  readonly lines: readonly LineItem[]
}

const stored = fc.option(fc.nat({ max: 3 }), { freq: 2 })
const box = fc.record({ stored, label: fc.constantFrom('a', 'b', 'c', 'd', 'e', 'f') })
const line: fc.Arbitrary<LineItem> = fc.record({
  stored,
  position: fc.nat({ max: 4 }),
  quantity: fc.option(fc.nat({ max: 3 }), { nil: undefined }),
  boxes: fc.option(fc.array(box, { maxLength: 3 }), { nil: undefined }),
})
const step: fc.Arbitrary<Step> = fc.record({
  method: fc.constantFrom('PUT', 'PATCH'),
  order: fc.nat({ max: 1 }),
  isBulk: fc.boolean(),
  lines: fc.array(line, { maxLength: 4 }),
})

describeDialects('random trees of records', dialect => {
  const tables = orderTables(dialect.kit)
  const { Order } = orderSerializers(tables)
  const { orders, products } = tables
  const resource = BulkViewSet({ model: orders, serializer: Order, permissionClasses: [AllowAny] })
  const api = useApi(dialect, { tables, resources: { orders: resource } })
  const product = uuid(1)
  const seed = async () => {
    await api.clear()
    await api.database.transaction(async () => {
      await insertMany(products, [{ id: product, name: 'nut' }])
      await insertMany(orders, [
        { id: uuid(20), number: '0' },
        { id: uuid(21), number: '1' },
      ])
    })
  }

  type Trees = readonly { readonly id: string; readonly number: string; readonly lines: readonly Line[] }[]
  const read = async () => (await api.get('/orders/?ordering=number')).data<Trees>()

  /** What the rules make of a request: the tree of the order, or `undefined` if it must be refused. */
  function expected(trees: Trees, { method, order, lines }: Step): readonly Wanted[] | undefined {
    const before = trees[order]?.lines ?? []
    const named = lines.flatMap(({ stored }) => (stored === null ? [] : [stored]))
    if (new Set(named).size < named.length || named.some(at => !before[at])) return undefined
    const written: Wanted[] = []
    for (const item of lines) {
      const old = item.stored === null ? undefined : before[item.stored]
      const boxes = (old?.boxes ?? []).map(({ label }) => label)
      const given = item.boxes
      if (given) {
        const namedBoxes = given.flatMap(({ stored }) => (stored === null ? [] : [stored]))
        if (new Set(namedBoxes).size < namedBoxes.length || namedBoxes.some(at => !boxes[at])) return undefined
      }
      const stays = (at: number) => !given?.some(({ stored }) => stored === at)
      const kept = given && method === 'PUT' ? [] : boxes.filter((_, at) => stays(at))
      const labels = [...kept, ...(given ?? []).map(({ label }) => label)]
      written.push({
        position: item.position,
        quantity: item.quantity ?? old?.quantity ?? 1,
        boxes: labels.toSorted().map(label => ({ label })),
      })
    }
    const left = method === 'PUT' ? [] : before.filter((_, at) => !named.includes(at))
    const all = [...written, ...left].toSorted((a, b) => a.position - b.position)
    const elsewhere = trees.filter((_, at) => at !== order).flatMap(tree => tree.lines)
    const labels = [...all, ...elsewhere].flatMap(({ boxes }) => boxes.map(({ label }) => label))
    const isUnique = (values: readonly unknown[]) => new Set(values).size === values.length
    if (!isUnique(all.map(({ position }) => position)) || !isUnique(labels)) return undefined
    return all
  }

  function bodyOf(trees: Trees, { order, lines }: Step): object {
    const before = trees[order]?.lines ?? []
    const idOf = (records: readonly { readonly id: string }[], at: number | null) =>
      at === null ? {} : { id: records[at]?.id ?? uuid(99) }
    return {
      number: String(order),
      lines: lines.map(item => {
        const old = item.stored === null ? undefined : before[item.stored]
        return {
          ...idOf(before, item.stored),
          position: item.position,
          product,
          quantity: item.quantity,
          boxes: item.boxes?.map(({ stored, label }) => ({ ...idOf(old?.boxes ?? [], stored), label })),
        }
      }),
    }
  }

  test('are stored as the rules say, or refused as a whole', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(step, { minLength: 1, maxLength: 6 }), async steps => {
        await seed()
        for (const one of steps) {
          const before = await read()
          const id = before[one.order]?.id
          const body = bodyOf(before, one)
          const response = one.isBulk
            ? await api.request(one.method, '/orders/bulk-update/', { body: [{ id, ...body }] })
            : await api.request(one.method, `/orders/${id}/`, { body })
          const after = await read()
          const wanted = expected(before, one)
          if (!wanted) {
            expect(response.status, response.text).toBe(400)
            expect(after).toEqual(before)
            continue
          }
          expect(response.status, response.text).toBe(200)
          expect(after[one.order]?.lines).toMatchObject(wanted)
          expect(after[one.order]?.lines).toHaveLength(wanted.length)
          expect(after[1 - one.order]).toEqual(before[1 - one.order])
        }
      }),
      { numRuns: cases(100) },
    )
  })

  test('an order with 200 lines takes few statements', async () => {
    await seed()
    const lines = Array.from({ length: 200 }, (_, at) => ({ position: at + 1, product }))
    let id = ''
    const created = await api.statementsOf(async () => {
      id = String((await api.post('/orders/', { number: 'new', lines })).data().id)
    })
    // Two checks, the order, its lines, and their lines and boxes for the answer.
    expect(created).toHaveLength(6)
    const shown = await api.statementsOf(() => api.get(`/orders/${id}/`))
    expect(shown).toHaveLength(3)
    const { lines: before } = (await api.get(`/orders/${id}/`)).data<{ lines: Line[] }>()
    const changed = before.slice(1).map(({ boxes: _, ...one }, at) => ({ ...one, product, quantity: at }))
    const synced = await api.statementsOf(async () => {
      const body = { number: 'new', lines: [...changed, { position: 300, product }] }
      expect((await api.put(`/orders/${id}/`, body)).status).toBe(200)
    })
    // The order and its lines are locked, the new line is checked, four writes follow, and two reads make the answer.
    expect(synced).toHaveLength(10)
    const unchanged = await api.statementsOf(() => api.put(`/orders/${id}/`, { number: 'new', lines: changed }))
    // Without the checks, and without an INSERT and an UPDATE of lines.
    expect(unchanged).toHaveLength(6)
  })
})
