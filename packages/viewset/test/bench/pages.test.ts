import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { replaceBetween } from '../../bench/support/pages.ts'
import { barPlot, linePlot } from '../../bench/support/plot.ts'
import { digits, tableOf } from '../../bench/support/table.ts'

test('a table is aligned, words at the left and figures at the right', () => {
  const rows = [
    ['case', 'ms'],
    ['list', '0.5'],
    ['retrieve', '12'],
  ]
  expect(tableOf({ words: 1, rows })).toBe(
    ['| case     |  ms |', '|----------|----:|', '| list     | 0.5 |', '| retrieve |  12 |'].join('\n'),
  )
})

test('figures have the digits that mean something', () => {
  expect([0.01234, 0.1234, 1.234, 12.34, 123.4, 12_345].map(digits)).toEqual([
    '0.012',
    '0.123',
    '1.23',
    '12.3',
    '123',
    '12,345',
  ])
})

test('a table takes its place in a page, and what stands around stays', () => {
  const page = 'before\n<!-- bench:cases -->\nold\n<!-- /bench:cases -->\nafter'
  const written = 'before\n<!-- bench:cases -->\n\nnew\n\n<!-- /bench:cases -->\nafter'
  expect(replaceBetween(page, 'cases', 'new')).toBe(written)
  expect(replaceBetween(written, 'cases', 'new')).toBe(written)
})

test('a page without a place for a table is refused', () => {
  expect(() => replaceBetween('nothing', 'cases', 'new')).toThrow('A page has no place for its table')
})

test('a bar is as long as its share of the largest value, and none is drawn for what cannot be done', () => {
  const bars = [
    { label: 'ours', value: 1 },
    { label: 'theirs', value: 4 },
    { label: 'none', value: null },
  ]
  const plot = barPlot('title', [{ title: 'list', bars }], String)
  const widths = [...plot.matchAll(/<rect class="(\w+)"[^>]* width="([\d.]+)"/g)].map(([, name, width]) => [
    name,
    width,
  ])
  const [ours, theirs] = widths
  expect(widths.length).toBe(2)
  expect([ours?.[0], theirs?.[0]]).toEqual(['ours', 'bar'])
  expect(Number(theirs?.[1]) / Number(ours?.[1])).toBeCloseTo(4, 0)
  expect(plot).toContain('>-</text>')
})

test('lines that grow tenfold with ten times the rows rise evenly, and their labels do not cover each other', () => {
  const points = [
    [1_000, 1],
    [10_000, 10],
    [100_000, 100],
  ] as const
  const lines = [
    { label: 'search', points },
    { label: 'a & b', points },
  ]
  const plot = linePlot('title', [{ title: 'SQLite', lines }], { x: 'rows', y: 'ms' })
  const [, path = ''] = / d="(M[\d. L]+)"\/><text[^>]*>search</.exec(plot) ?? []
  const heights = path
    .split(/[ML]/)
    .slice(1)
    .map(point => Number(point.split(' ')[1]))
  expect((heights[0] ?? 0) - (heights[1] ?? 0)).toBeCloseTo((heights[1] ?? 0) - (heights[2] ?? 0), 0)
  const labels = [...plot.matchAll(/y="([\d.]+)" class="name/g)].map(([, y]) => Number(y))
  expect(Math.abs((labels[0] ?? 0) - (labels[1] ?? 0))).toBeGreaterThanOrEqual(14)
  expect(plot).toContain('a &amp; b')
})
test('README shows what is recorded, and says when it was measured', () => {
  const root = join(import.meta.dirname, '../../../..')
  const results = JSON.parse(readFileSync(join(root, 'packages/viewset/bench/results.json'), 'utf8'))
  const readme = readFileSync(join(root, 'README.md'), 'utf8')
  expect(results.peers.length).toBeGreaterThan(1)
  for (const { name, version } of results.peers) expect(readme).toContain(`${name} ${version}`)
  expect(readme).toContain(results.measured.peers)
})
