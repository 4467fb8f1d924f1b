import * as pg from 'drizzle-orm/pg-core'
import { AllowAny, BaseModelSerializer, BulkViewSet } from 'viewset'
import { kit } from 'viewset/sqlite'
import { describe, expect, test } from 'vitest'
import { useApi } from '../support/api.ts'
import { describeDialects, pgDialect } from '../support/dialects.ts'
import { expectInvalid, expectSuccess } from '../support/expect.ts'
import { problemOf } from '../support/problem.ts'

const permissionClasses = [AllowAny]

describeDialects('a decimal whose scale is above its precision', dialect => {
  const c = dialect.kit
  const rates = c.table('rates', { ...c.BaseModelMixin(), rate: c.decimal(2, 4) })
  const serializer = BaseModelSerializer(rates, { fields: ['rate'] })
  const api = useApi(dialect, {
    tables: { rates },
    resources: { rates: BulkViewSet({ model: rates, serializer, permissionClasses }) },
  })

  test('takes what is small enough', async () => {
    for (const rate of ['0.0099', '-0.0012', '0.0000']) {
      expectSuccess(await api.post('/rates/', { rate }), 201, { data: { rate } })
    }
  })

  test('refuses what is larger, and what has more digits', async () => {
    const zeros = 'Ensure that the first 2 decimal places are 0.'
    const whole = 'Ensure that there are no more than 0 digits before the decimal point.'
    expectInvalid(await api.post('/rates/', { rate: '0.01' }), { rate: [zeros] })
    expectInvalid(await api.post('/rates/', { rate: '1' }), { rate: [whole] })
    const places = 'Ensure that there are no more than 4 decimal places.'
    expectInvalid(await api.post('/rates/', { rate: '0.00123' }), { rate: [places] })
  })
})

describe('pg: a numeric with a scale below 0', () => {
  const sums = pg.pgTable('sums', { id: pg.serial().primaryKey(), sum: pg.numeric({ precision: 3, scale: -2 }) })
  const serializer = BaseModelSerializer(sums, { fields: ['id', 'sum'] })
  const api = useApi(pgDialect, {
    tables: { sums },
    resources: { sums: BulkViewSet({ model: sums, serializer, permissionClasses }) },
  })

  test('holds whole numbers, which the database rounds', async () => {
    expectSuccess(await api.post('/sums/', { sum: '12345' }), 201, { data: { id: 1, sum: '12300' } })
    const digits = 'Ensure that there are no more than 5 digits before the decimal point.'
    expectInvalid(await api.post('/sums/', { sum: '123456' }), { sum: [digits] })
    expectInvalid(await api.post('/sums/', { sum: '0.5' }), {
      sum: ['Ensure that there are no more than 0 decimal places.'],
    })
  })

  test('is none that a kit makes', () => {
    expect(problemOf(() => kit.decimal(3, -2))).toBe('decimal: scale: must not be below 0, as -2 is')
  })
})
