import { describe, expect, test } from 'vitest'
import { type Results, readResults, withResults } from '../../bench/support/results.ts'

const AUTUMN = 'Node v24.21.0, 2 x AMD EPYC, 2026-09-23'
const WINTER = 'Node v24.21.0, 2 x AMD EPYC, 2026-12-21'
const recorded = readResults()
const [viewset, hand] = recorded.peers
const [growth] = recorded.growth
if (!viewset || !hand || !growth) throw new Error('Nothing is recorded.')

const results = (over: Partial<Results>): Results => ({
  ...recorded,
  measured: { peers: AUTUMN, growth: AUTUMN },
  ...over,
})

describe('a recorded part', () => {
  const before = results({ peers: [viewset, hand] })

  test('has the new results, when they were measured, and no result that was not measured again', () => {
    const after = withResults(before, 'peers', { fresh: [{ ...viewset, lines: 61 }], measured: WINTER })
    expect(after).toEqual({
      ...before,
      measured: { peers: WINTER, growth: AUTUMN },
      peers: [{ ...viewset, lines: 61 }],
    })
  })

  test('keeps a result that could not be measured, with its own date, behind the new ones', () => {
    const after = withResults(results({ peers: [hand, viewset] }), 'peers', {
      fresh: [viewset],
      measured: WINTER,
      keeps: ({ name }) => name === hand.name,
    })
    expect(after.peers).toEqual([viewset, { ...hand, measured: AUTUMN }])
    const later = withResults(after, 'peers', { fresh: [viewset], measured: 'later', keeps: () => true })
    expect(later.peers).toEqual([viewset, { ...hand, measured: AUTUMN }])
  })

  test('keeps a result of the same machine and day without a date of its own', () => {
    const after = withResults(before, 'peers', { fresh: [viewset], measured: AUTUMN, keeps: () => true })
    expect(after.peers).toEqual([viewset, hand])
  })

  test('is in the order of the databases and of the sizes of their tables', () => {
    const of = (dialect: 'sqlite' | 'pg', rows: number) => ({ ...growth, dialect, rows })
    const growing = results({ growth: [of('sqlite', 1_000), of('pg', 1_000)] })
    const fresh = [of('pg', 10), of('sqlite', 10_000), of('sqlite', 10)]
    const after = withResults(growing, 'growth', { fresh, measured: WINTER, keeps: () => true })
    expect(after.growth.map(({ dialect, rows, measured }) => [dialect, rows, measured])).toEqual([
      ['sqlite', 10, undefined],
      ['sqlite', 1_000, AUTUMN],
      ['sqlite', 10_000, undefined],
      ['pg', 10, undefined],
      ['pg', 1_000, AUTUMN],
    ])
  })
})
