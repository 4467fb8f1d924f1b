import { and, eq, gt, inArray, not, or, type SQL, sql } from 'drizzle-orm'
import { alias, integer, pgTable, text } from 'drizzle-orm/pg-core'
import { expect, test } from 'vitest'
import { equalColumns } from '../../src/advice/equal-columns.ts'

const orders = pgTable('orders', { id: integer().primaryKey(), tenant: text(), status: text(), other: text() })
const others = pgTable('others', { tenant: text() })
const own = (condition: SQL | undefined) => condition && equalColumns(condition, orders).map(({ name }) => name)

test.each<[string, SQL | undefined, readonly string[]]>([
  ['one value', eq(orders.tenant, 'a'), ['tenant']],
  ['some', and(eq(orders.tenant, 'a'), eq(orders.status, 'b')), ['tenant', 'status']],
  ['one of several conditions', and(eq(orders.tenant, 'a'), gt(orders.id, 1)), ['tenant']],
  [
    'conditions in conditions',
    and(and(eq(orders.tenant, 'a'), gt(orders.id, 1)), and(eq(orders.status, 'b'))),
    ['tenant', 'status'],
  ],
  ['SQL that says the same', sql`${orders.tenant} = ${'a'}`, ['tenant']],
  ['SQL around it', sql`(${eq(orders.tenant, 'a')})`, ['tenant']],
  ['either', or(eq(orders.tenant, 'a'), eq(orders.status, 'b')), []],
  ['both or neither', and(or(eq(orders.tenant, 'a'), gt(orders.id, 1)), eq(orders.status, 'b')), ['status']],
  ['the contrary', not(eq(orders.tenant, 'a')), []],
  ['one of some values', inArray(orders.tenant, ['a']), []],
  ['another column', eq(orders.tenant, orders.other), []],
  ['a subquery', eq(orders.tenant, sql`(select 'a')`), []],
  ['another table', eq(others.tenant, 'a'), []],
  ['the same table by another name', eq(alias(orders, 'o').tenant, 'a'), []],
  ['SQL that goes on', sql`${orders.tenant} = ${'a'} or true`, []],
  ['nothing', sql`true`, []],
])('%s', (_, condition, columns) => {
  expect(own(condition)).toEqual(columns)
})
