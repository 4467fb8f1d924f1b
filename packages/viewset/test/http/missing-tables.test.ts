import Fastify from 'fastify'
import {
  AllowAny,
  BaseModelSerializer,
  BulkImportableViewSet,
  type ColumnKit,
  Database,
  HistoryModelMixin,
  IdToDataField,
  importForeignKey,
  importModel,
  ManyDataToDataField,
  ManyIdToDataField,
} from 'viewset'
import { resources as plugin, serverOptions } from 'viewset/fastify'
import { describe, expect, test } from 'vitest'
import { useApi } from '../support/api.ts'
import { capturedLog } from '../support/captured-log.ts'
import { CountingDriver } from '../support/counting-driver.ts'
import { describeDialects } from '../support/dialects.ts'
import { ManualQueue } from '../support/manual-queue.ts'
import { MemoryJobFiles } from '../support/memory-job-files.ts'
import { importForm } from '../support/multipart.ts'

function tablesOf(c: ColumnKit) {
  const regions = c.table('regions', { id: c.integer().primaryKey(), name: c.text(20).notNull().unique() })
  const customers = c.table('customers', { id: c.integer().primaryKey(), name: c.text(20).notNull() })
  const orders = c.table('orders', {
    id: c.integer().primaryKey(),
    number: c.text(20).notNull().unique(),
    customer: c.foreignKey(customers),
    region: c.foreignKey(regions),
  })
  const lines = c.table('lines', {
    id: c.integer().primaryKey(),
    order: c.foreignKey(orders, { onDelete: 'cascade' }).notNull(),
    name: c.text(20).notNull(),
  })
  const boxes = c.table('boxes', {
    id: c.integer().primaryKey(),
    line: c.foreignKey(lines, { onDelete: 'cascade' }).notNull(),
    name: c.text(20).notNull(),
  })
  const tags = c.table('tags', { id: c.integer().primaryKey(), name: c.text(20).notNull() })
  const orderTags = c.table(
    'order_tags',
    { order: c.foreignKey(orders).notNull(), tag: c.foreignKey(tags).notNull() },
    t => [c.primaryKey(t.order, t.tag)],
  )
  return { regions, customers, orders, lines, boxes, tags, orderTags, ...c.HistoryTable(orders), ...c.JobTables() }
}

/** Every table but that of the resource, in the order of their names. */
const RELATED = [
  'boxes',
  'customers',
  'lines',
  'order_tags',
  'orders_history',
  'regions',
  'tags',
  'viewset_job_errors',
  'viewset_jobs',
]

describeDialects('a table beside that of a resource that does not exist', dialect => {
  const tables = tablesOf(dialect.kit)
  const { regions, customers, orders, lines, boxes, tags, orderTags, jobs, jobErrors } = tables
  const Box = BaseModelSerializer(boxes, { fields: ['id', 'name'] })
  const Line = BaseModelSerializer(lines, {
    fields: ['id', 'name'],
    extra: { boxes: ManyDataToDataField({ queryset: boxes, serializer: Box }) },
  })
  const Tag = BaseModelSerializer(tags, { fields: ['id', 'name'] })
  const Customer = BaseModelSerializer(customers, { fields: ['id', 'name'] })
  const Order = BaseModelSerializer(orders, {
    fields: ['id', 'number'],
    extra: {
      customer: IdToDataField({ queryset: customers, serializer: Customer }),
      lines: ManyDataToDataField({ queryset: lines, serializer: Line }),
      tags: ManyIdToDataField({ queryset: tags, through: orderTags, serializer: Tag }),
    },
  })
  const resource = BulkImportableViewSet.add(HistoryModelMixin)({
    model: orders,
    serializer: Order,
    permissionClasses: [AllowAny],
    historyPermissionClasses: [AllowAny],
    importFileConfig: {
      fileFormat: 'csv',
      order: ['orders'],
      models: {
        orders: importModel({
          model: orders,
          fields: ['number'],
          uniqueFields: ['number'],
          foreignKeys: { region: importForeignKey({ model: regions, lookupField: 'name', sourceField: 'region' }) },
        }),
      },
    },
  })
  const options = (queue = new ManualQueue()) => ({
    resources: { orders: resource },
    jobs: { tables: { jobs, jobErrors }, queue, files: new MemoryJobFiles() },
  })
  const { lines: log, server } = capturedLog()
  const api = useApi(dialect, { tables: {}, server, users: { ann: { id: 'ann' } }, ...options() })
  const missing = (name: string) => `table ${name} does not exist: run your migrations`

  test('is named at the start, by one statement for all', async () => {
    const { lines: log, server } = capturedLog()
    const driver = new CountingDriver(api.database.driver)
    const app = Fastify({ ...serverOptions, ...server })
    await app.register(plugin, { database: new Database(driver), ...options() })
    await app.listen({ port: 0, host: '127.0.0.1' })
    // The sweep of jobs reports its own table.
    const named = () => [...new Set(log.map(({ msg }) => msg))].toSorted()
    await expect.poll(named).toEqual([...RELATED, 'orders'].toSorted().map(missing))
    expect(driver.statements.filter(text => text.includes('json'))).toHaveLength(1)
    await app.close()
  })

  test('is named in the log of a request that needs it', async () => {
    const { driver } = api.database
    const text = 'create table "orders" (id serial primary key, number text, customer_id integer, region_id integer)'
    await driver.run({ text }, [])
    await driver.run({ text: `insert into "orders" (id, number) values (101, 'a')` }, [])
    if (dialect.name === 'sqlite') {
      // Errors about such a foreign key name the table with its schema.
      await driver.run({ text: 'alter table "orders" add column other integer references "customers"' }, [])
    }
    const named = async (method: string, path: string, sent: object = {}) => {
      log.length = 0
      const { status, text } = await api.request(method as 'GET', path, { as: 'ann', ...sent })
      expect([path, status]).toEqual([path, 500])
      expect(text).not.toMatch(/no such table|does not exist|lines|customers/)
      const names = log.map(({ msg }) => /^table (\w+) does not exist: run your migrations$/.exec(String(msg))?.[1])
      expect(RELATED).toContain(names.at(-1))
      return names.at(-1)
    }
    expect(await named('GET', '/orders/')).toBe('customers')
    expect(await named('GET', '/orders/101/')).toBe('customers')
    expect(await named('GET', '/orders/101/history/')).toBe('orders_history')
    expect(await named('GET', '/jobs/')).toBe('viewset_jobs')
    await named('POST', '/orders/', { body: { number: 'b', lines: [{ name: 'x', boxes: [] }], tags: [] } })
    await named('PATCH', '/orders/101/', { body: { number: 'b' } })
    await named('PUT', '/orders/101/', { body: { number: 'b', lines: [], tags: [1], customer: 1 } })
    await named('POST', '/orders/bulk-create/', { body: [{ number: 'b', lines: [], tags: [] }] })
    await named('DELETE', '/orders/101/')
    await named('DELETE', '/orders/bulk-delete/', { body: [101] })
    await named('POST', '/orders/export/', { body: { file_type: 'csv' } })
    await named('POST', '/orders/export/?background=true', { body: { file_type: 'csv' } })
    await named('POST', '/orders/import-from-file/', importForm('number,region\nx,North\n'))
    await driver.run({ text: 'drop table "orders"' }, [])
  })

  describe('is named in the log of a job', () => {
    const { lines: log, server } = capturedLog()
    const queue = new ManualQueue()
    const stored = { regions, customers, orders, tags, orderTags, jobs, jobErrors }
    const api = useApi(dialect, { tables: stored, server, users: { ann: { id: 'ann' } }, ...options(queue) })

    test('that needs it', async () => {
      const answer = await api.post('/orders/export/?background=true', { file_type: 'csv' }, { as: 'ann' })
      const { id } = answer.data<{ id: string }>()
      await api.database.driver.run({ text: `insert into "orders" (id, number) values (101, 'a')` }, [])
      await queue.run(id)
      expect((await api.get(`/jobs/${id}/`, { as: 'ann' })).data()).toMatchObject({ state: 'failed' })
      expect(log.map(({ msg }) => msg)).toEqual([missing('lines')])
    })
  })
})
