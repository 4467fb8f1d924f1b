import { isNull, ne } from 'drizzle-orm'
import { pgSchema, pgTable, text, uuid } from 'drizzle-orm/pg-core'
import { sqliteTable, text as sqliteText } from 'drizzle-orm/sqlite-core'
import { AllowAny, BaseModelSerializer, BaseViewSet, ReadOnlyViewSet } from 'viewset'
import { describe, expect, test } from 'vitest'
import { useApi } from '../support/api.ts'
import { describeDialects, pgDialect } from '../support/dialects.ts'
import { expectSuccess, ID, uuid as uuidNumber } from '../support/expect.ts'

const permissionClasses = [AllowAny]

describe('pg: tables of one name in two schemas', () => {
  const make = (schema: string) => {
    const parent = pgSchema(schema)
    const things = parent.table('things', {
      id: uuid()
        .primaryKey()
        .$defaultFn(() => crypto.randomUUID()),
      name: text().notNull().unique(),
    })
    const serializer = BaseModelSerializer(things, { fields: ['id', 'name'] })
    return { parent, things, Things: BaseViewSet({ model: things, serializer, permissionClasses, ordering: 'name' }) }
  }
  const one = make('one')
  const two = make('two')
  const api = useApi(pgDialect, {
    tables: { one: one.parent, two: two.parent, oneThings: one.things, twoThings: two.things },
    resources: { one: one.Things, two: two.Things },
  })

  test("never take each other's rows", async () => {
    for (const [path, name] of [
      ['/one/', 'first'],
      ['/two/', 'second'],
    ] as const) {
      expectSuccess(await api.post(path, { name }), 201, { data: { id: ID, name } })
    }
    for (const [path, name] of [
      ['/one/', 'first'],
      ['/two/', 'second'],
    ] as const) {
      const [thing] = (await api.get(path)).data<{ id: string }[]>()
      expectSuccess(await api.get(path), 200, { count: 1, data: [{ id: ID, name, index: 1 }] })
      expectSuccess(await api.patch(`${path}${thing?.id}/`, { name: `${name} changed` }), 200, {
        data: { id: ID, name: `${name} changed` },
      })
    }
    // What is unique is so within one table: the other one's values are no obstacle.
    expect((await api.post('/two/', { name: 'first changed' })).status).toBe(201)
    const [thing] = (await api.get('/one/')).data<{ id: string }[]>()
    expect((await api.delete(`/one/${thing?.id}/`)).status).toBe(204)
    expectSuccess(await api.get('/one/'), 200, { count: 0, data: [] })
    expect((await api.get('/two/')).data()).toHaveLength(2)
  })
})

describeDialects('two definitions of one table', dialect => {
  const wide =
    dialect.name === 'pg'
      ? pgTable('things', { id: uuid().primaryKey(), secret: text(), name: text().notNull() })
      : sqliteTable('things', { id: sqliteText().primaryKey(), secret: sqliteText(), name: sqliteText().notNull() })
  const narrow =
    dialect.name === 'pg'
      ? pgTable('things', { id: uuid().primaryKey(), name: text().notNull() })
      : sqliteTable('things', { id: sqliteText().primaryKey(), name: sqliteText().notNull() })
  const api = useApi(dialect, {
    tables: { wide },
    resources: {
      wide: BaseViewSet({
        model: wide,
        serializer: BaseModelSerializer(wide, { fields: ['id', 'secret', 'name'] }),
        permissionClasses,
      }),
      narrow: BaseViewSet({
        model: narrow,
        serializer: BaseModelSerializer(narrow, { fields: ['id', 'name'] }),
        permissionClasses,
      }),
      // The first one whose columns a condition names.
      named: BaseViewSet({
        model: narrow,
        serializer: BaseModelSerializer(narrow, { fields: ['id', 'name'] }),
        permissionClasses,
        queryset: () => ne(narrow.name, ''),
      }),
      open: ReadOnlyViewSet({
        model: wide,
        serializer: BaseModelSerializer(wide, { fields: ['id', 'secret'] }),
        permissionClasses,
        queryset: () => isNull(wide.secret),
      }),
      names: ReadOnlyViewSet({
        model: narrow,
        serializer: BaseModelSerializer(narrow, { fields: ['name'] }),
        permissionClasses,
      }),
    },
  })

  test('each read their own columns of what the other wrote', async () => {
    const id = uuidNumber(1)
    expectSuccess(await api.post('/wide/', { id, name: 'A' }), 201, { data: { id, secret: null, name: 'A' } })
    expectSuccess(await api.post('/narrow/', { id: uuidNumber(2), name: 'B' }), 201, {
      data: { id: uuidNumber(2), name: 'B' },
    })
    expectSuccess(await api.patch(`/wide/${id}/`, { name: 'C' }), 200, { data: { id, secret: null, name: 'C' } })
    expectSuccess(await api.patch(`/narrow/${id}/`, { name: 'D' }), 200, { data: { id, name: 'D' } })
    expectSuccess(await api.get(`/names/${id}/`), 200, { data: { name: 'D' } })
  })

  test('each have conditions on columns that the other does not have', async () => {
    const id = uuidNumber(3)
    expectSuccess(await api.post('/named/', { id, name: 'E' }), 201, { data: { id, name: 'E' } })
    expectSuccess(await api.get(`/open/${id}/`), 200, { data: { id, secret: null } })
  })
})

describeDialects('names that need quoting', dialect => {
  const odd =
    dialect.name === 'pg'
      ? pgTable('order "by"', {
          id: uuid().primaryKey(),
          select: text('select * from').notNull(),
          Upper: text('Upper'),
        })
      : sqliteTable('order "by"', {
          id: sqliteText().primaryKey(),
          select: sqliteText('select * from').notNull(),
          Upper: sqliteText('Upper'),
        })
  const serializer = BaseModelSerializer(odd, { fields: ['id', 'select', 'Upper'] })
  const api = useApi(dialect, {
    tables: {},
    resources: { odd: BaseViewSet({ model: odd, serializer, permissionClasses, ordering: 'select' }) },
  })

  test('are quoted everywhere', async () => {
    const type = dialect.name === 'pg' ? 'uuid' : 'text'
    const create = `create table "order ""by""" (id ${type} primary key, "select * from" text not null, "Upper" text)`
    await api.database.driver.run({ text: create }, [])
    const data = { id: uuidNumber(1), select: 'x', _upper: null }
    expectSuccess(await api.post('/odd/', { id: uuidNumber(1), select: 'x' }), 201, { data })
    expectSuccess(await api.get('/odd/?ordering=-select'), 200, { count: 1, data: [{ ...data, index: 1 }] })
    expectSuccess(await api.patch(`/odd/${uuidNumber(1)}/`, { _upper: 'y' }), 200, { data: { ...data, _upper: 'y' } })
    expect((await api.delete(`/odd/${uuidNumber(1)}/`)).status).toBe(204)
  })
})
