import { describe, expect, test } from 'vitest'
import { advice, compare, recordedOf } from '../../bench/support/compare.ts'
import { type CaseResult, verdict } from '../../bench/support/report.ts'
import { spreadOf } from '../../bench/support/statistics.ts'

function result(ratios: readonly number[], over: Partial<CaseResult> = {}): CaseResult {
  const costs = { floorMs: 1, viewsetMs: 1, floorDatabaseMs: null, viewsetDatabaseMs: null }
  const peaks = { floorPeak: 100, viewsetPeak: 100 }
  const ratio = spreadOf(ratios)
  return { name: 'list', dialect: 'pg', ratio, rounds: ratios.length, target: 0.9, ...costs, ...peaks, ...over }
}

const recorded = result([0.88, 0.9, 0.92, 0.94, 0.96])

describe('beside the recorded ratio, a case is', () => {
  test('the same as long as the middle halves of the rounds overlap', () => {
    expect(compare(recorded, result([0.8, 0.82, 0.85, 0.91, 0.93]))).toBe('same')
  })

  test('slower when its middle half lies below, whatever single rounds say', () => {
    expect(compare(recorded, result([0.7, 0.8, 0.82, 0.85, 1.2]))).toBe('slower')
  })

  test('faster when its middle half lies above', () => {
    expect(compare(recorded, result([0.5, 0.97, 1, 1.02, 1.05]))).toBe('faster')
  })

  test('new where nothing is recorded', () => {
    expect(compare(undefined, recorded)).toBe('new')
  })
})

test('the recorded result is that of the same case and database', () => {
  const onSqlite = result([1], { dialect: 'sqlite' })
  expect(recordedOf([recorded, onSqlite], result([0.9], { dialect: 'sqlite' }))).toBe(onSqlite)
  expect(recordedOf([recorded], result([0.9], { name: 'retrieve' }))).toBeUndefined()
})

test('what is slower is named, with the command that shows why and the one that records anew', () => {
  expect(advice([recorded], [])).toBe(`Slower than recorded, twice: list on pg. Look where the time goes with
  npm run bench -- list --dialect pg --profile profiles
and mend it; or, where the cost is wanted, say why in a decision and record anew: npm run bench:report -- cases`)
})

test('what is faster is to be recorded, and what is the same needs nothing', () => {
  expect(advice([], [recorded])).toBe(
    'Faster than recorded: list on pg. Record it, so that it stays so: npm run bench:report -- cases',
  )
  expect(advice([], [])).toBeUndefined()
})

test('a target is met by the median', () => {
  expect(verdict(result([0.5, 0.9, 2]))).toBe('0.9 met')
  expect(verdict(result([0.5, 0.89, 2]))).toBe('0.9 missed')
  expect(verdict(result([0.5], { target: null }))).toBe('')
})
