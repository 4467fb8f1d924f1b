import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { withoutFences } from '../../../../site/anchors.ts'
import { renderAll, renderPage } from '../../bench/support/pages.ts'
import { readResults } from '../../bench/support/results.ts'
import { root } from '../support/snippets.ts'

const read = (path: string) => readFileSync(join(root, path), 'utf8')
const results = readResults()
const rendered = renderAll(results)

test.each([...rendered.keys()])('%s shows the figures of results.json: npm run bench:report -- --render', path => {
  expect(read(path)).toBe(rendered.get(path))
})

/** Quantities that are settings, limits or examples. All others are measured, and come from results.json. */
const LIMITS: ReadonlyMap<string, readonly string[]> = new Map([
  ['docs/bulk.md', ['1 MB']],
  ['docs/configuration.md', ['64 MB', '256 MB', '50 MB']],
  ['docs/deployment.md', ['50 MB']],
  ['docs/errors.md', ['1 MB']],
  ['docs/files.md', ['50 MB', '256 MB', '1 MB']],
  ['docs/import.md', ['50 MB']],
  ['docs/job-queues.md', ['8 MB']],
  ['docs/large-tables.md', ['200 ms']],
  ['docs/messages.md', ['50 MB']],
  ['docs/scaling.md', ['128 MB', '100 ms']],
])

/** Pages that still quote a measurement of their own. Use a figure of results.json, or delete the sentence; add none. */
const PENDING: readonly string[] = []

/** The quantities in the prose and the tables of a page, without code, generated tables and figures. */
function quantitiesIn(markdown: string): readonly string[] {
  const text = withoutFences(markdown)
    .replace(/^<!-- bench:(\w+) -->$.*?^<!-- \/bench:\1 -->$/gms, '')
    .replace(/<!-- figure:\S+ -->.*?<!-- \/figure -->/gs, '')
    .replace(/`[^`\n]*`/g, '')
  return Array.from(text.matchAll(/\d[\d.,]*\s(?:ms|µs|kB|MB|GB)\b/g), ([quantity]) => quantity.replace(/\s/, ' '))
}

const pages = [
  'README.md',
  'packages/viewset/README.md',
  ...globSync('docs/{,cookbook/}*.md', { cwd: root }),
].toSorted()
const measuredIn = (path: string) => quantitiesIn(read(path)).filter(one => !LIMITS.get(path)?.includes(one))

test.each(pages.filter(path => !PENDING.includes(path)))('%s quotes no measurement but those of results.json', path => {
  expect(measuredIn(path)).toEqual([])
})

test('a page that is mended is no longer pending', () => {
  expect(PENDING.filter(path => !pages.includes(path) || measuredIn(path).length === 0)).toEqual([])
})

test('no line begins with a figure, which would end its paragraph', () => {
  expect(pages.filter(path => /^ *<!-- figure:/m.test(read(path)))).toEqual([])
})

describe('a page', () => {
  const page = (figure: string) => `It takes <!-- figure:${figure} -->old<!-- /figure -->.`

  test('shows a figure with its unit', () => {
    const { startMs } = results.start.find(({ name }) => name === 'one resource on SQLite') ?? {}
    expect(renderPage(page('start.app.ms'), results)).toBe(page('start.app.ms').replace('old', `${startMs} ms`))
  })

  test('shows two figures as a percentage', () => {
    expect(renderPage(page('start.app.ms/start.app.ms'), results)).toContain('-->100 %<!--')
  })

  test('shows what lists cost in tables of different sizes', () => {
    const list = { dialect: 'sqlite', name: 'first page' } as const
    const lists = [
      { ...list, rows: 1_000, medianMs: 1 },
      { ...list, rows: 1_000_000, medianMs: 47 },
    ]
    const shown = renderPage('<!-- bench:lists -->\n<!-- /bench:lists -->', { ...results, measured: {}, lists })
    expect(shown.split('\n').slice(2, -2)).toEqual([
      '| CPU ms     | SQLite, 1,000 rows | SQLite, 1,000,000 rows |',
      '|------------|-------------------:|-----------------------:|',
      '| first page |                  1 |                     47 |',
    ])
  })

  test('with a figure that was not measured is refused', () => {
    expect(() => renderPage(page('start.nothing'), results)).toThrow('results.json has no figure "start.nothing"')
  })

  test('with a table that does not exist is refused', () => {
    expect(() => renderPage('<!-- bench:nothing -->\n<!-- /bench:nothing -->', results)).toThrow('no table "nothing"')
  })
})
