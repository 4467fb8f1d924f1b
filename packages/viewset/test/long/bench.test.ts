import { expect, test } from 'vitest'
import { DIALECTS } from '../../bench/case.ts'
import { measureGrowth } from '../../bench/growth/measure.ts'
import { measureLists } from '../../bench/lists/measure.ts'
import { measureNeighbours } from '../../bench/neighbours/measure.ts'
import { collect, measureCases } from '../../bench/support/measure-cases.ts'

/*
 * Measures small sizes of each part of `npm run bench:report` but those that install packages. Every part checks the
 * answers of its servers, so that a change of the API cannot break the benchmark unseen.
 */

test('cases have the same answers as code written by hand, on both databases', async () => {
  const names = ['list', 'retrieve', 'create', 'patch', 'bulk-patch', 'export-csv']
  const results = await collect(measureCases({ names, rounds: 1, mostWarmUp: 1 }))
  expect(results.map(({ dialect, name }) => `${dialect} ${name}`)).toEqual(
    DIALECTS.flatMap(dialect =>
      ['list', 'retrieve', 'export-csv', 'create', 'patch', 'bulk-patch'].map(name => `${dialect} ${name}`),
    ),
  )
  for (const { ratio } of results) expect(ratio.median).toBeGreaterThan(0)
})

test.each(DIALECTS)('%s: tables grow, and each request is measured', async dialect => {
  const { cpu } = await measureGrowth(dialect, 1_000)
  for (const cost of Object.values(cpu)) expect(cost).toBeGreaterThan(0)
})

test.each(DIALECTS)('%s: lists are measured, and their plans printed', async dialect => {
  const plans: string[] = []
  const results = await collect(measureLists(dialect, [1_000], plan => plans.push(plan)))
  expect(results).toHaveLength(8)
  expect(plans).toHaveLength(8)
})

test.each(DIALECTS)('%s: a retrieve is measured beside imports and exports', async dialect => {
  const results = await collect(measureNeighbours(dialect, 500))
  expect(results.map(({ beside }) => beside)).toEqual([
    'nothing',
    'import of CSV',
    'export of CSV',
    'import and exports of CSV',
  ])
})
