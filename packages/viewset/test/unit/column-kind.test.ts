import { customType, pgTable } from 'drizzle-orm/pg-core'
import { expect, test } from 'vitest'
import { columnKind } from '../../src/model/column-kind.ts'

const typed = (type: string) =>
  pgTable('t', { amount: customType<{ data: string }>({ dataType: () => type })() }).amount

test.each([
  ['numeric(10, 2)', { kind: 'decimal', precision: 10, scale: 2 }],
  ['numeric(5)', { kind: 'decimal', precision: 5, scale: 0 }],
  // Thousands only: whole numbers, which the database rounds.
  ['numeric(3,-3)', { kind: 'decimal', precision: 6, scale: 0 }],
  ['numeric(2,4)', { kind: 'decimal', precision: 2, scale: 4 }],
  ['numeric', { kind: 'decimal' }],
])('%s has the limits that can be said of it', (type, kind) => {
  expect(columnKind(typed(type))).toEqual(kind)
})
