import { customType, pgTable } from 'drizzle-orm/pg-core'
import { expect, test } from 'vitest'
import { columnKind } from '../../src/model/column-kind.ts'

const typed = (type: string) =>
  pgTable('t', { amount: customType<{ data: string }>({ dataType: () => type })() }).amount

test.each([
  ['numeric(10, 2)', { kind: 'decimal', precision: 10, scale: 2 }],
  ['numeric(5)', { kind: 'decimal', precision: 5, scale: 0 }],
  // Thousands only: limits that nothing else here can say, and the database holds values to them.
  ['numeric(3,-3)', { kind: 'decimal' }],
  ['numeric', { kind: 'decimal' }],
])('%s has the limits that can be said of it', (type, kind) => {
  expect(columnKind(typed(type))).toEqual(kind)
})
