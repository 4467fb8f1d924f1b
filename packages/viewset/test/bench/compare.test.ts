import { describe, expect, test } from 'vitest'
import { advice, compare, compareQuick, comparing, isSlower, recordedOf } from '../../bench/support/compare.ts'
import { collect } from '../../bench/support/measure-cases.ts'
import { type CaseResult, verdict } from '../../bench/support/report.ts'
import { spreadOf } from '../../bench/support/statistics.ts'
import { quickRows } from '../../bench/support/tables.ts'

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

describe('comparing cases', () => {
  async function* results(...all: readonly CaseResult[]) {
    yield* all
  }
  const slow = result([0.7, 0.7, 0.7])
  const fast = result([1, 1, 1], { name: 'retrieve' })

  async function compared(measured: readonly CaseResult[], again: readonly CaseResult[]) {
    const asked: string[] = []
    const all = await collect(
      comparing(results(...measured), {
        recorded: [recorded, { ...recorded, name: 'retrieve' }],
        compare,
        again: ({ name, dialect }) => {
          asked.push(`${name} ${dialect}`)
          return results(...again)
        },
      }),
    )
    return { asked, all }
  }

  test('measures a slower one a second time, and no other one', async () => {
    const { asked, all } = await compared([slow, fast], [recorded])
    expect(asked).toEqual(['list pg'])
    expect(all.map(({ result: { name }, comparison, isRepeated }) => [name, comparison, isRepeated])).toEqual([
      ['list', 'slower', true],
      ['list', 'same', false],
      ['retrieve', 'faster', false],
    ])
  })

  test('advises nothing about a case that is only slower the first time', async () => {
    const { all } = await compared([slow], [recorded])
    expect(isSlower(all)).toBe(false)
    expect(advice(all, 'npm run record')).toBeUndefined()
  })

  test('names the slower ones, the command that profiles the first one, and the one that records', async () => {
    const { all } = await compared([slow, fast], [slow])
    expect(isSlower(all)).toBe(true)
    expect(advice(all, 'npm run record')).toBe(`Slower than recorded, twice: list on pg. See where the time goes:
  npm run bench -- list --dialect pg --profile profiles
If the cost is intended, give the reason in a decision, and record the case again: npm run record`)
  })

  test('advises to record a faster one', async () => {
    const { all } = await compared([fast], [])
    expect(isSlower(all)).toBe(false)
    expect(advice(all, 'npm run record')).toBe('Faster than recorded: retrieve on pg. Record the gain: npm run record')
  })
})

describe('in the quick benchmark', () => {
  test('a case may fall to 0.7 of its recorded ratio in the better quarter of the rounds', () => {
    expect(compareQuick(recorded, result([0.1, 0.2, 0.3, 0.645, 2]))).toBe('same')
    expect(compareQuick(recorded, result([0.1, 0.2, 0.3, 0.643, 2]))).toBe('slower')
  })

  test('a faster case is the same, and one without a recorded ratio is new', () => {
    expect(compareQuick(recorded, result([2]))).toBe('same')
    expect(compareQuick(undefined, recorded)).toBe('new')
  })

  test('the table has each ratio beside the recorded one', () => {
    const all = [
      { result: result([0.5]), recorded, comparison: 'slower', isRepeated: true },
      { result: result([0.8, 0.9, 1.1]), recorded, comparison: 'same', isRepeated: false },
      { result: result([1.25], { name: 'create' }), recorded: undefined, comparison: 'new', isRepeated: false },
    ] as const
    expect(quickRows(all).rows.slice(1)).toEqual([
      ['list', '1', '1', '0.50', '0.50', '0.92', 'slower, measured again'],
      ['list', '1', '1', '0.90', '1.00', '0.92', 'same'],
      ['create', '1', '1', '1.25', '1.25', '-', 'new'],
    ])
  })
})

test('a target is met by the median', () => {
  expect(verdict(result([0.5, 0.9, 2]))).toBe('0.9 met')
  expect(verdict(result([0.5, 0.89, 2]))).toBe('0.9 missed')
  expect(verdict(result([0.5], { target: null }))).toBe('')
})
