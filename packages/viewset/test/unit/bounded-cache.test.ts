import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { BoundedCache } from '../../src/core/bounded-cache.ts'

/** How often `keys`, asked for one after the other, had to be made, and for which of them. */
function madeOf(limit: number, keys: readonly number[]): number[] {
  const cache = new BoundedCache<number, string>(limit)
  const made: number[] = []
  for (const key of keys) {
    const value = cache.get(key, () => {
      made.push(key)
      return `value of ${key}`
    })
    expect(value).toBe(`value of ${key}`)
  }
  return made
}

const keys = fc.array(fc.nat(9), { maxLength: 60 })

describe('a bounded cache', () => {
  test('makes each value once while all fit', () => {
    fc.assert(
      fc.property(keys, asked => {
        expect(madeOf(10, asked)).toEqual([...new Set(asked)])
      }),
    )
  })

  test('never holds more than its limit: what was asked for longest ago is made again', () => {
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 5 }), limit => {
        const round = Array.from({ length: limit + 1 }, (_, i) => i)
        expect(madeOf(limit, [...round, ...round])).toEqual([...round, ...round])
      }),
    )
  })

  test('replaces a value, which then counts once and is the latest', () => {
    const forgotten: string[] = []
    const cache = new BoundedCache<string, string>(2, { forget: (_key, value) => forgotten.push(value) })
    for (const key of ['a', 'b']) cache.set(key, `old ${key}`)
    cache.set('a', 'new a')
    cache.set('c', 'new c')
    expect(['a', 'b', 'c'].map(key => cache.peek(key))).toEqual(['new a', undefined, 'new c'])
    expect(forgotten).toEqual(['old a', 'old b'])
  })

  test('keeps what was asked for last', () => {
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 5 }), keys, (limit, asked) => {
        const twice = asked.flatMap(key => [key, key])
        expect(madeOf(limit, twice)).toEqual(madeOf(limit, asked))
      }),
    )
  })

  test('once full, forgets what was not used for longest', () => {
    // 0 is used again after the cache is full, so 1 goes first.
    expect(madeOf(3, [0, 1, 2, 0, 3, 0, 1])).toEqual([0, 1, 2, 3, 1])
  })

  test('tells what it forgets', () => {
    const forgotten: [number, string][] = []
    const cache = new BoundedCache<number, string>(2, { forget: (key, value) => forgotten.push([key, value]) })
    for (const key of [0, 1, 2, 1, 0]) cache.get(key, () => `value of ${key}`)
    expect(forgotten).toEqual([
      [0, 'value of 0'],
      [2, 'value of 2'],
    ])
  })
})

describe('a bounded cache with a budget', () => {
  const sizeOf = (key: number) => key

  test('never holds more than its budget, however few entries that are', () => {
    fc.assert(
      fc.property(fc.integer({ min: 9, max: 30 }), keys, (most, asked) => {
        const cache = new BoundedCache<number, object>(100, { budget: { most, sizeOf } })
        const held = new Map<number, object>()
        for (const key of asked)
          held.set(
            key,
            cache.get(key, () => ({})),
          )
        // What it still knows by the end is found again; asking from the newest on makes nothing in between.
        const known: number[] = []
        for (const [key, value] of [...held].reverse()) {
          let isMade = false
          const found = cache.get(key, () => {
            isMade = true
            return value
          })
          if (isMade) break
          expect(found).toBe(value)
          known.push(key)
        }
        expect(known.reduce((sum, key) => sum + key, 0)).toBeLessThanOrEqual(most)
      }),
    )
  })

  test('keeps nothing that is larger by itself, and makes it each time', () => {
    const cache = new BoundedCache<number, object>(100, { budget: { most: 5, sizeOf } })
    expect(cache.get(6, () => ({}))).not.toBe(cache.get(6, () => ({})))
    expect(cache.get(5, () => ({}))).toBe(cache.get(5, () => ({})))
  })
})
