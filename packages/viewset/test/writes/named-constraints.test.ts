import { sql } from 'drizzle-orm'
import { check as pgCheck } from 'drizzle-orm/pg-core'
import { check as sqliteCheck } from 'drizzle-orm/sqlite-core'
import { AllowAny, BaseModelSerializer, BulkImportableViewSet, importModel } from 'viewset'
import { beforeEach, describe, expect, test } from 'vitest'
import { useApi } from '../support/api.ts'
import { describeDialects } from '../support/dialects.ts'
import { expectInvalid, nonField } from '../support/expect.ts'
import { csv } from '../support/imports.ts'
import { importForm } from '../support/multipart.ts'
import { problemOf } from '../support/problem.ts'

const OVERLAPS = 'Overlaps another period.'

/** No two periods share a day: an exclusion constraint, or a trigger on a database that has none. */
const MIGRATIONS: Readonly<Record<string, readonly string[]>> = {
  pg: [`alter table prices add constraint prices_period exclude using gist (int4range(starts, ends, '[]') with &&)`],
  sqlite: ['insert', 'update'].map(
    event => `create trigger prices_period_${event} after ${event} on prices
      when exists (select 1 from prices where id <> new.id and starts <= new.ends and ends >= new.starts)
      begin select raise(abort, 'prices_period'); end`,
  ),
}

describeDialects('a constraint of the database with a sentence of its own', dialect => {
  const c = dialect.kit
  const check = dialect.name === 'pg' ? pgCheck : sqliteCheck
  const prices = c.table(
    'prices',
    { id: c.integer().primaryKey(), starts: c.integer().notNull().unique(), ends: c.integer().notNull() },
    t => [
      check('prices_order', sql`${t.ends} >= ${t.starts}`),
      c.constraint('prices_order', { message: 'A period ends after it starts.' }),
      c.constraint('prices_period', { column: t.starts, message: OVERLAPS }),
    ],
  )
  const Prices = BulkImportableViewSet({
    model: prices,
    serializer: BaseModelSerializer(prices, { fields: ['id', 'starts', 'ends'] }),
    permissionClasses: [AllowAny],
    importPermissionClasses: [AllowAny],
    importFileConfig: {
      fileFormat: 'csv',
      order: ['prices'],
      models: { prices: importModel({ model: prices, fields: ['starts', 'ends'], uniqueFields: ['starts'] }) },
    },
  })
  const api = useApi(dialect, { tables: { prices }, resources: { prices: Prices } })
  let isMigrated = false
  beforeEach(async () => {
    if (!isMigrated) for (const text of MIGRATIONS[dialect.name] ?? []) await api.database.driver.run({ text }, [])
    isMigrated = true
    await api.post('/prices/', { starts: 1, ends: 10 })
    await api.post('/prices/', { starts: 20, ends: 29 })
  })

  test.each([
    ['a create', 'POST', '/prices/', { starts: 5, ends: 6 }],
    ['a PATCH', 'PATCH', '/prices/1/', { ends: 21 }],
    [
      'a bulk create',
      'POST',
      '/prices/bulk-create/',
      [
        { starts: 11, ends: 12 },
        { starts: 12, ends: 13 },
      ],
    ],
    ['a bulk update', 'PATCH', '/prices/bulk-update/', [{ id: 1, ends: 20 }]],
  ] as const)('%s answers with it, under its field', async (_, method, path, body) => {
    expectInvalid(await api.request(method, path, { body }), { starts: [OVERLAPS] })
  })

  test('a check without a column belongs to no field', async () => {
    expectInvalid(await api.post('/prices/', { starts: 6, ends: 5 }), nonField('A period ends after it starts.'))
  })

  test('an import names the rows that the database refused, and stores the others', async () => {
    const rows = csv(['starts', 'ends'], [11, 12], [12, 13], [14, 13], [15, 16])
    const imported = await api.request('POST', '/prices/import-from-file/', importForm(rows))
    expect(imported.data()).toMatchObject({ created: 2, failed: 2 })
    expect(imported.data().errors).toMatchObject([
      { row: 3, message: expect.stringContaining(OVERLAPS) },
      { row: 4, message: expect.stringContaining('A period ends after it starts.') },
    ])
  })

  describe('a mistake in its declaration is refused', () => {
    const declare = (options: object) => () => {
      const table = c.table('t', { id: c.integer().primaryKey() }, () => [c.constraint('t_rule', options as never)])
      BaseModelSerializer(table, { fields: ['id'] })
    }

    test('no sentence', () => {
      expect(problemOf(declare({}))).toContain('constraint: message: must be a sentence, not undefined')
    })

    test('an unknown option', () => {
      expect(problemOf(declare({ message: 'No.', field: 'id' }))).toContain('field')
    })
  })
})
