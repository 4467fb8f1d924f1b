import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { withoutFences } from '../../../../site/anchors.ts'
import { renderAll, renderPage } from '../../bench/support/pages.ts'
import { readResults } from '../../bench/support/results.ts'
import { newestChange, staleResults } from '../../bench/support/stale.ts'
import { root } from '../support/snippets.ts'

const read = (path: string) => readFileSync(join(root, path), 'utf8')
const results = readResults()
const rendered = renderAll(results)

test.each([...rendered.keys()])('%s shows the figures of results.json: npm run bench:report -- --render', path => {
  expect(read(path)).toBe(rendered.get(path))
})

test('no recorded figure is more than 30 days older than the newest change of the sources, if git has it', () => {
  const change = newestChange(root)
  // A shallow clone and a folder without history have nothing to compare with.
  if ('unknown' in change) return console.info(`The age of the figures is not checked: ${change.unknown}.`)
  expect(staleResults(results, change.day)).toEqual([])
})

/** Quantities that are settings, limits or examples. All others are measured, and come from results.json. */
const LIMITS: ReadonlyMap<string, readonly string[]> = new Map([
  ['docs/bulk-operations.md', ['1 MB']],
  ['docs/configuration.md', ['64 MB', '256 MB', '50 MB']],
  ['docs/deployment.md', ['50 MB']],
  ['docs/errors.md', ['1 MB']],
  ['docs/import-and-export-without-http.md', ['50 MB', '256 MB', '1 MB']],
  ['docs/import.md', ['50 MB']],
  ['docs/background-work.md', ['8 MB']],
  ['docs/large-tables.md', ['200 ms']],
  ['docs/error-codes-and-translations.md', ['50 MB']],
  ['docs/scaling.md', ['128 MB', '100 ms']],
  ['docs/settings-parameters-and-commands.md', ['50 MB', '1 MB']],
  ['docs/sqlite-under-load.md', ['10 ms']],
  ['packages/viewset/bench/README.md', ['128 MB', '256 MB']],
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
  'packages/viewset/bench/README.md',
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

  test('shows a ratio without a unit, also with the time of the database', () => {
    const [first] = results.cases
    if (!first) throw new Error('No case is recorded.')
    const one = { ...first, dialect: 'pg' as const, name: 'list', ratio: { ...first.ratio, median: 0.5 } }
    const cases = [{ ...one, floorMs: 1, viewsetMs: 2, floorDatabaseMs: 3, viewsetDatabaseMs: 0.5 }]
    expect(renderPage(page('cases.pg.list.ratio'), { ...results, cases })).toContain('-->0.50<!--')
    expect(renderPage(page('cases.pg.list.whole'), { ...results, cases })).toContain('-->1.60<!--')
  })

  test('shows the columns in which other servers cost less, or that there is none', () => {
    const [ours] = results.peers
    if (!ours) throw new Error('No peer is recorded.')
    const same = { ...ours, name: 'Same' }
    const half = { ...same, name: 'Half', cpu: { ...ours.cpu, list: (ours.cpu.list ?? 0) / 2, export: null } }
    const shown = (...peers: readonly (typeof ours)[]) => {
      const written = renderPage('<!-- bench:cheaper -->\n<!-- /bench:cheaper -->', { ...results, peers })
      return written.split('\n').slice(4, -2)
    }
    expect(shown(ours, half, same)).toEqual(['| list of 20 | Half 50 %  |'])
    expect(shown(ours, { ...half, lines: ours.lines / 2 }, { ...half, name: 'Other' })).toEqual([
      '| list of 20 | Half 50 %, Other 50 % |',
      '| lines      | Half 50 %             |',
    ])
    expect(shown(ours, { ...half, measured: 'another day' })).toEqual(['| none   |            |'])
    expect(shown(ours, same)).toEqual(['| none   |            |'])
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

  test('shows when each part was measured, and which of its results are of another day', () => {
    const page = '<!-- bench:peers -->\n<!-- /bench:peers -->'
    const [viewset, ...others] = results.peers
    if (!viewset) throw new Error('No peer is recorded.')
    const peers = [
      viewset,
      ...others.map(({ measured: _, ...one }) => ({
        ...one,
        ...(['Remult', 'Feathers'].includes(one.name) && { measured: 'some day' }),
      })),
    ]
    const lines = renderPage(page, { ...results, measured: { peers: 'today' }, peers }).split('\n')
    expect(lines.at(-3)).toBe('today. Remult; Feathers: some day')
  })

  test('with a figure that was not measured is refused, and names similar figures', () => {
    const refused = (figure: string) => () => renderPage(page(figure), results)
    expect(refused('start.app.cup')).toThrow(
      'results.json has no figure "start.app.cup". There are start.app.ms, start.app.cpu, start.app.memory.',
    )
    expect(refused('start.ap')).toThrow('There are start.npm install')
    expect(refused('speed')).toThrow('There are start, peers, growth, cases.')
  })

  test('with a table that does not exist is refused', () => {
    expect(() => renderPage('<!-- bench:nothing -->\n<!-- /bench:nothing -->', results)).toThrow('no table "nothing"')
  })
})
