import fc from 'fast-check'
import { expect, test } from 'vitest'
import { pauseOf } from '../../src/store/connection/transaction.ts'

const attempt = fc.integer({ min: 1, max: 3 })
const chance = fc.double({ min: 0, max: 1, noNaN: true })

test('the pauses of a transaction that keeps losing grow, differ by chance and stay below a tenth of a second', () => {
  fc.assert(
    fc.property(attempt, chance, chance, (n, one, other) => {
      expect(pauseOf(n, one)).toBeGreaterThanOrEqual(10)
      expect(pauseOf(n, one)).toBeLessThanOrEqual(80)
      expect(pauseOf(n, one)).toBeLessThanOrEqual(pauseOf(n + 1, other))
      expect(pauseOf(n, 1) - pauseOf(n, one)).toBeCloseTo((1 - one) * pauseOf(n, 0))
    }),
  )
})
