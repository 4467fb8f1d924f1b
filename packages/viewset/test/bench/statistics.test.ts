import { describe, expect, test } from 'vitest'
import { hasSettled, quantile, spreadOf } from '../../bench/support/statistics.ts'

describe('a figure has settled', () => {
  test('when the last four rounds cost about what the four before did', () => {
    expect(hasSettled([200, 150, 120, 101, 100, 99, 101, 99, 100, 101])).toBe(true)
  })

  test('not while rounds still get cheaper', () => {
    expect(hasSettled([200, 180, 160, 140, 120, 110, 100, 95])).toBe(false)
    expect(hasSettled([110, 108, 106, 104, 102, 100, 98, 96])).toBe(false)
  })

  test('not before there are eight rounds to compare', () => {
    expect(hasSettled([100, 100, 100, 100, 100, 100, 100])).toBe(false)
  })

  test('in spite of a round that the machine was busy with something else', () => {
    expect(hasSettled([100, 100, 100, 100, 100, 100, 900, 100])).toBe(true)
  })

  test('when rounds get dearer: waiting does not help', () => {
    expect(hasSettled([100, 100, 100, 100, 120, 120, 120, 120])).toBe(true)
  })
})

test('a quantile lies between its neighbours in proportion', () => {
  expect(quantile([4, 1, 3, 2], 0.5)).toBe(2.5)
  expect(quantile([10, 20, 30], 0.75)).toBe(25)
  expect(quantile([7], 0.99)).toBe(7)
})

test('a spread has median, quartiles and extremes', () => {
  expect(spreadOf([5, 1, 4, 2, 3])).toEqual({ lowest: 1, lowerQuartile: 2, median: 3, upperQuartile: 4, highest: 5 })
})
