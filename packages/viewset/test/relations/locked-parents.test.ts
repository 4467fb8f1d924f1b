import { AllowAny, BaseModelSerializer, BulkViewSet, insertMany, ManyDataToDataField } from 'viewset'
import { beforeEach, describe, expect, test } from 'vitest'
import { channels } from '../../src/core/channels.ts'
import { useApi } from '../support/api.ts'
import { pgDialect } from '../support/dialects.ts'

const permissionClasses = [AllowAny]

/** A box belongs to a line of an order and to a pallet of a ship; the names decide nothing. */
describe.each([
  ['orders', 'lines', 'pallets', 'ships'],
  ['z_orders', 'z_lines', 'pallets', 'ships'],
  ['orders', 'z_lines', 'pallets', 'a_ships'],
  ['orders', 'lines', 'a_pallets', 'ships'],
])('pg: children of two families: %s, %s, %s, %s', (...[orderName, lineName, palletName, shipName]) => {
  const c = pgDialect.kit
  const own = () => ({ id: c.integer().primaryKey(), name: c.text(20).notNull(), ...c.VersionMixin() })
  const orders = c.table(orderName, own())
  const lines = c.table(lineName, { ...own(), order: c.foreignKey(orders).notNull() })
  const ships = c.table(shipName, own())
  const pallets = c.table(palletName, { ...own(), ship: c.foreignKey(ships).notNull() })
  const boxes = c.table('boxes', {
    ...own(),
    line: c.foreignKey(lines).notNull(),
    pallet: c.foreignKey(pallets).notNull(),
  })
  const BoxOfLine = BaseModelSerializer(boxes, { name: 'BoxOfLine', fields: ['id', 'name', 'pallet'] })
  const BoxOfPallet = BaseModelSerializer(boxes, { name: 'BoxOfPallet', fields: ['id', 'name', 'line'] })
  const Line = BaseModelSerializer(lines, {
    fields: ['id', 'name'],
    extra: { boxes: ManyDataToDataField({ queryset: boxes, serializer: BoxOfLine }) },
  })
  const Pallet = BaseModelSerializer(pallets, {
    fields: ['id', 'name'],
    extra: { boxes: ManyDataToDataField({ queryset: boxes, serializer: BoxOfPallet }) },
  })
  const version = { version: 'version' } as const
  const api = useApi(pgDialect, {
    tables: { orders, lines, ships, pallets, boxes },
    resources: {
      orders: BulkViewSet({
        ...version,
        model: orders,
        serializer: BaseModelSerializer(orders, {
          fields: ['id', 'name'],
          extra: { lines: ManyDataToDataField({ queryset: lines, serializer: Line }) },
        }),
        permissionClasses,
      }),
      ships: BulkViewSet({
        ...version,
        model: ships,
        serializer: BaseModelSerializer(ships, {
          fields: ['id', 'name'],
          extra: { pallets: ManyDataToDataField({ queryset: pallets, serializer: Pallet }) },
        }),
        permissionClasses,
      }),
      boxes: BulkViewSet({
        ...version,
        model: boxes,
        serializer: BaseModelSerializer(boxes, { name: 'Box', fields: ['id', 'name', 'line', 'pallet'] }),
        permissionClasses,
      }),
    },
  })
  beforeEach(() =>
    api.database.transaction(async () => {
      await insertMany(
        orders,
        ['a', 'b'].map(name => ({ name })),
      )
      await insertMany(
        lines,
        [1, 2].map(order => ({ name: 'line', order })),
      )
      await insertMany(
        ships,
        ['a', 'b'].map(name => ({ name })),
      )
      await insertMany(
        pallets,
        [1, 2].map(ship => ({ name: 'pallet', ship })),
      )
      await insertMany(
        boxes,
        [1, 2, 1, 2].map((line, at) => ({ name: 'box', line, pallet: at < 2 ? 1 : 2 })),
      )
    }),
  )

  test('are written from all sides at once, and no transaction has to run again', async () => {
    const repeated: number[] = []
    const note = (message: unknown) => {
      const { attempt } = message as { attempt: number }
      if (attempt > 1) repeated.push(attempt)
    }
    channels.transaction.start.subscribe(note)
    try {
      for (let round = 0; round < 4; round++) {
        const name = `n${round}`
        const writes = [
          () =>
            api.patch('/orders/1/', {
              lines: [
                {
                  id: 1,
                  boxes: [
                    { id: 1, name },
                    { id: 3, name },
                  ],
                },
              ],
            }),
          () =>
            api.patch('/orders/2/', {
              lines: [
                {
                  id: 2,
                  boxes: [
                    { id: 4, name },
                    { id: 2, name },
                  ],
                },
              ],
            }),
          () =>
            api.patch('/ships/1/', {
              pallets: [
                {
                  id: 1,
                  boxes: [
                    { id: 2, name },
                    { id: 1, name },
                  ],
                },
              ],
            }),
          () =>
            api.patch('/ships/2/', {
              pallets: [
                {
                  id: 2,
                  boxes: [
                    { id: 3, name },
                    { id: 4, name },
                  ],
                },
              ],
            }),
          () => api.patch('/boxes/3/', { name }),
          () =>
            api.patch(
              '/boxes/bulk-update/',
              [4, 1].map(id => ({ id, name })),
            ),
        ]
        const answers = await Promise.all([...writes, ...writes.toReversed()].map(write => write()))
        expect(answers.map(({ status }) => status)).toEqual(answers.map(() => 200))
      }
    } finally {
      channels.transaction.start.unsubscribe(note)
    }
    expect(repeated).toEqual([])
  })
})
