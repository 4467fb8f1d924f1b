import fc from 'fast-check'
import { expect, test } from 'vitest'
import { decimalFromNumber } from '../../src/model/values.ts'
import { cases } from '../support/cases.ts'

/** A decimal of up to 15 digits, as text with its scale. */
const decimal = fc
  .record({
    scale: fc.integer({ min: 0, max: 15 }),
    digits: fc.bigInt({ min: -(10n ** 15n) + 1n, max: 10n ** 15n - 1n }),
  })
  .map(({ scale, digits }) => {
    const text = String(digits < 0n ? -digits : digits).padStart(scale + 1, '0')
    const sign = digits < 0n ? '-' : ''
    return { scale, text: scale === 0 ? sign + text : `${sign}${text.slice(0, -scale)}.${text.slice(-scale)}` }
  })

test('up to 15 digits go through a double and come back with their scale', () => {
  fc.assert(
    fc.property(decimal, ({ scale, text }) => {
      expect(decimalFromNumber(Number(text), scale)).toBe(text)
    }),
    { numRuns: cases(1000) },
  )
})

test.each([
  [5n, 2, '5.00'],
  [-5n, 0, '-5'],
  [0n, 5, '0.00000'],
  [29.9, 2, '29.90'],
  [-0, 2, '0.00'],
  [0.1 + 0.2, 2, '0.30'],
  [1e-7, 7, '0.0000001'],
  [123456789012.345, 3, '123456789012.345'],
  ['29.90', undefined, '29.90'],
])('%d with %d places is %s', (value, scale, expected) => {
  expect(decimalFromNumber(value, scale)).toBe(expected)
})
