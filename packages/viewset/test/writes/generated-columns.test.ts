import { sql } from 'drizzle-orm'
import * as pg from 'drizzle-orm/pg-core'
import {
  AllowAny,
  BaseModelSerializer,
  BulkImportableViewSet,
  BulkUpsertModelMixin,
  BulkViewSet,
  type ColumnKit,
  DataToDataField,
  ImportService,
  importModel,
} from 'viewset'
import { kit as sqliteKit } from 'viewset/sqlite'
import { describe, expect, test } from 'vitest'
import { useApi } from '../support/api.ts'
import { describeDialects, pgDialect } from '../support/dialects.ts'
import { expectSuccess } from '../support/expect.ts'
import { csv } from '../support/imports.ts'
import { importForm } from '../support/multipart.ts'
import { problemOf } from '../support/problem.ts'

const permissionClasses = [AllowAny]

function tablesOf(c: ColumnKit) {
  const shelves = c.table('shelves', {
    id: c.integer().primaryKey(),
    name: c.text(20).notNull(),
    label: c.text().generatedAlwaysAs(sql`'shelf ' || name`),
  })
  const items = c.table('items', {
    id: c.integer().primaryKey(),
    name: c.text(20).notNull().unique(),
    slug: c.text().notNull().generatedAlwaysAs(sql`lower(name)`).unique(),
    shelf: c.foreignKey(shelves),
  })
  return { shelves, items }
}

describeDialects('generated columns', dialect => {
  const tables = tablesOf(dialect.kit)
  const { shelves, items } = tables
  const shelf = DataToDataField({
    queryset: shelves,
    serializer: BaseModelSerializer(shelves, { fields: ['name', 'label'] }),
  })
  const serializer = BaseModelSerializer(items, { fields: ['id', 'name', 'slug'], extra: { shelf } })
  const api = useApi(dialect, {
    tables,
    resources: {
      items: BulkImportableViewSet.add(BulkUpsertModelMixin)({
        model: items,
        serializer,
        permissionClasses,
        upsertFields: ['name'],
        importFileConfig: {
          fileFormat: 'csv',
          order: ['items'],
          models: { items: importModel({ model: items, fields: ['name'], uniqueFields: ['name'] }) },
        },
      }),
      saved: BulkViewSet({ model: items, serializer, permissionClasses, useSaveOnBulkUpdate: true }),
    },
  })
  const item = (id: number, name: string) => ({ id, name, slug: name.toLowerCase(), shelf: null })

  test('are read-only by themselves on every path', async () => {
    expectSuccess(await api.post('/items/', { name: 'Axe', slug: 'x' }), 201, { data: item(1, 'Axe') })
    expectSuccess(await api.put('/items/1/', { name: 'Bow', slug: 'x' }), 200, { data: item(1, 'Bow') })
    expectSuccess(await api.patch('/items/1/', { name: 'Cap', slug: 'x' }), 200, { data: item(1, 'Cap') })
    expectSuccess(await api.post('/items/bulk-create/', [{ name: 'Dye', slug: 'x' }]), 201, { data: [item(2, 'Dye')] })
    expectSuccess(await api.patch('/items/bulk-update/', [{ id: 2, name: 'Eel', slug: 'x' }]), 200, {
      data: [item(2, 'Eel')],
    })
    expectSuccess(await api.patch('/saved/bulk-update/', [{ id: 2, name: 'Fan', slug: 'x' }]), 200, {
      data: [item(2, 'Fan')],
    })
    const upsert = [
      { name: 'Fan', slug: 'x' },
      { name: 'Gem', slug: 'x' },
    ]
    expectSuccess(await api.post('/items/bulk-upsert/', upsert), 200, { data: { created: 1, updated: 1 } })
    const nested = { name: 'Hat', shelf: { name: 'top', label: 'x' } }
    expectSuccess(await api.post('/items/', nested), 201, {
      data: { ...item(4, 'Hat'), shelf: { name: 'top', label: 'shelf top' } },
    })
    const imported = await api.post(
      '/items/import-from-file/',
      undefined,
      importForm(csv(['name', 'slug'], ['Ink', 'x'])),
    )
    expect(imported.data()).toMatchObject({ created: 1, failed: 0, ignored_columns: ['slug'] })
    expectSuccess(await api.get('/items/5/'), 200, { data: item(5, 'Ink') })
  })
})

describe('pg: columns that the database always numbers', () => {
  const tickets = pg.pgTable('tickets', {
    id: pg.integer().primaryKey().generatedAlwaysAsIdentity(),
    number: pg.bigint({ mode: 'number' }).generatedAlwaysAsIdentity({ name: 'ticket_numbers', startWith: 100 }),
    note: pg.text(),
  })
  const api = useApi(pgDialect, {
    tables: { tickets },
    resources: {
      tickets: BulkViewSet({
        model: tickets,
        serializer: BaseModelSerializer(tickets, { fields: ['id', 'number', 'note'] }),
        permissionClasses,
      }),
    },
  })

  test('are read-only, also where a row gives nothing else', async () => {
    expectSuccess(await api.post('/tickets/', { id: 7, number: 7 }), 201, { data: { id: 1, number: 100, note: null } })
    expectSuccess(await api.patch('/tickets/1/', { number: 7, note: 'a' }), 200, {
      data: { id: 1, number: 100, note: 'a' },
    })
    expectSuccess(await api.post('/tickets/bulk-create/', [{ number: 7 }, {}]), 201, {
      data: [
        { id: 2, number: 101, note: null },
        { id: 3, number: 102, note: null },
      ],
    })
  })
})

describe('a generated column is refused', () => {
  const { items } = tablesOf(sqliteKit)
  const tickets = pg.pgTable('tickets', {
    id: pg.integer().primaryKey(),
    number: pg.integer().notNull().generatedAlwaysAsIdentity(),
  })

  test('as write-only, since it is read-only', () => {
    expect(problemOf(() => BaseModelSerializer(items, { fields: ['id', 'slug'], writeOnly: ['slug'] }))).toBe(
      'BaseModelSerializer(items): writeOnly: "slug" is read-only, so it cannot be write-only',
    )
  })

  test('among the fields of an import', () => {
    const problem = (model: typeof items | typeof tickets, field: string) =>
      problemOf(
        () =>
          new ImportService({
            fileFormat: 'csv',
            order: ['rows'],
            models: { rows: importModel({ model, fields: [field] as never, uniqueFields: [field] as never }) },
          }),
      )
    const end = 'is computed by the database and cannot be imported'
    expect(problem(items, 'slug')).toContain(`models.rows.fields: "slug" ${end}`)
    expect(problem(tickets, 'number')).toContain(`models.rows.fields: "number" ${end}`)
  })

  test('among the unique fields of an upsert, whose values no client can send', () => {
    const upsert = (uniqueFields: readonly ['slug']) =>
      BulkViewSet.add(BulkUpsertModelMixin)({
        model: items,
        serializer: BaseModelSerializer(items, { fields: ['id', 'name', 'slug'] }),
        permissionClasses,
        upsertFields: uniqueFields,
      })
    expect(problemOf(() => upsert(['slug']))).toBe(
      'resource of "items": upsertFields: "slug" is computed by the database, so no client can send it; name what it is computed from',
    )
  })
})
