import fc from 'fast-check'
import { importModel } from 'viewset'
import { expect, test } from 'vitest'
import { cases } from '../support/cases.ts'
import { describeDialects } from '../support/dialects.ts'
import { csv, importOnce, useDatabase } from '../support/imports.ts'
import { shop, shopSerializers } from '../support/shop.ts'

const serial = fc.constantFrom(null, 'a', 'b', 'c', 'd')
const box = fc.record(
  { id: fc.constantFrom(51, 52, 53), label: fc.constantFrom('x', 'y', 'z') },
  { requiredKeys: ['label'] },
)
const line = fc.record(
  {
    id: fc.constantFrom(31, 32, 33, 34),
    position: fc.integer({ min: 1, max: 3 }),
    product: fc.constantFrom(1, 1, 1, 2, 3),
    quantity: fc.constantFrom(1, 2),
    serial,
    boxes: fc.array(box, { maxLength: 2 }),
  },
  { requiredKeys: ['position', 'product'] },
)
const row = fc.record({
  id: fc.constantFrom(1, 2, 3),
  name: fc.constantFrom('nut', 'bolt', 'gear'),
  number: fc.constantFrom('A', 'B', 'C', 'D', 'E'),
  lines: fc.option(fc.array(line, { maxLength: 3 })),
})

describeDialects('lists of records in random files', dialect => {
  const tables = shop(dialect.kit)
  const { orders, products } = tables
  const { Order } = shopSerializers(tables)
  const db = useDatabase(dialect, tables)

  /** No new record gets the key of a deleted one, since others have higher keys. */
  async function seed(): Promise<void> {
    await db.clear()
    await db.run("insert into products (id, name) values (1, 'nut')")
    await db.run("insert into orders (id, number) values (21, 'A'), (22, 'B'), (23, 'C'), (29, 'Z')")
    const line = (id: number, order: number, position: number, serial: string) =>
      `(${id}, ${order}, ${position}, 1, 1, '${serial}')`
    const lines = [
      line(31, 21, 1, 'a'),
      line(32, 21, 2, 'b'),
      line(33, 22, 1, 'c'),
      line(34, 23, 1, 'e'),
      line(90, 29, 1, 'z'),
    ]
    await db.run(
      `insert into order_lines (id, order_id, position, product_id, quantity, serial) values ${lines.join(', ')}`,
    )
    await db.run("insert into boxes (id, line_id, label) values (51, 31, 'x'), (52, 33, 'y'), (90, 90, 'last')")
  }

  /** Stored records, of which only the first ones have known keys. */
  async function stored() {
    const text = `select case when order_lines.id between 31 and 34 then order_lines.id end, number, position, quantity, serial, label,
      case when boxes.id in (51, 52) then boxes.id end from order_lines join orders on orders.id = order_id
      left join boxes on boxes.line_id = order_lines.id order by number, position, label`
    const { rows } = await db.database.driver.run({ text }, [])
    return [...rows.map(cells => cells.map(String).join(' ')), ...(await db.rows('orders', 'number'))]
  }

  const orderRows = (skipUnchanged: boolean) =>
    importModel({ model: orders, fields: ['number'], lists: ['lines'], uniqueFields: ['number'], skipUnchanged })
  const productRows = importModel({ model: products, fields: ['id', 'name'], uniqueFields: ['id'] })

  test.each([
    ['alone', false],
    ['with the records to which they refer', true],
  ])('%s, they store and report the same as one row after the other', (_, hasProducts) =>
    fc.assert(
      fc.asyncProperty(fc.array(row, { minLength: 1, maxLength: 6 }), fc.boolean(), async (rows, skipUnchanged) => {
        const order = hasProducts ? ['products', 'orders'] : ['orders']
        const models = { ...(hasProducts && { products: productRows }), orders: orderRows(skipUnchanged) }
        const file = csv(
          ['id', 'name', 'number', 'lines'],
          ...rows.map(({ id, name, number, lines }) => [id, name, number, lines === null ? '' : JSON.stringify(lines)]),
        )
        const results = []
        for (const chunkSize of [undefined, 1]) {
          await seed()
          const config = { fileFormat: 'csv' as const, order, models, ...(chunkSize !== undefined && { chunkSize }) }
          const result = await importOnce(config, file, { database: db.database, serializer: Order, model: orders })
          const { processed, created, updated, unchanged = 0, failed } = result
          expect(created + updated + unchanged + failed).toBe(processed)
          results.push({ result, stored: [...(await stored()), ...(await db.rows('products', 'id', 'name'))] })
        }
        expect(results[0]).toEqual(results[1])
      }),
      { numRuns: cases(60) },
    ),
  )
})
