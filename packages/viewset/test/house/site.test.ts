import { globSync, readFileSync } from 'node:fs'
import { basename, join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { contentsOf, DOCS, fileNameOf, keywordsIn, pagesOf, readContents, titleOf } from '../../../../site/contents.ts'
import { indexedWordsOf, weightOf, wordsOf } from '../../../../site/search.ts'

const contents = readContents()

test("the site's contents name each page of the guide, and no page that is missing", () => {
  const listed = new Set(pagesOf(readContents()).map(({ path }) => path))
  const pages = globSync('**/*.md', { cwd: DOCS }).filter(path => path !== 'README.md')
  expect([...listed].toSorted()).toEqual(pages.toSorted())
})

test('a search prefers the guide to recipes, and recipes to the reference', () => {
  const weights = ['import.html#basics', 'cookbook/tenants.html', 'reference/import.html'].map(page => {
    return weightOf(`/viewset/${page}`)
  })
  expect(weights).toEqual(weights.toSorted((a, b) => b - a))
  expect(new Set(weights).size).toBe(3)
})

test('a page has one name: its entry, its heading and its file', () => {
  const entries = pagesOf(contents).filter(({ path }) => !/^reference\/|README\.md$/.test(path))
  expect(entries.length).toBeGreaterThan(50)
  const names = entries.map(({ path, title }) => [
    title,
    titleOf(readFileSync(join(DOCS, path), 'utf8')),
    basename(path),
  ])
  expect(names).toEqual(entries.map(({ title }) => [title, title, fileNameOf(title)]))
})

test('the contents are groups by task', () => {
  expect(contents.map(({ title }) => title)).toEqual([
    'Start',
    'Spreadsheets',
    'Resources',
    'Lists',
    'Access',
    'Safe writes',
    'Clients',
    'Operate',
    'Reference',
    'Cookbook',
    'Appendix',
  ])
})

test.each([
  ['A typed client', 'typed-client.md'],
  ['The wire', 'wire.md'],
  ['Update, skip or fail', 'update-skip-or-fail.md'],
])('the file of %s is %s', (title, name) => {
  expect(fileNameOf(title)).toBe(name)
})

test('keywords stand in the front matter only', () => {
  expect(keywordsIn('---\nkeywords: nested, join\n---\n\n# Relations\n')).toBe('nested, join')
  expect(keywordsIn('# Relations\n\nkeywords: nested\n')).toBe('')
})

test('a search does not split words at hyphens, and a page is also found by their parts', () => {
  expect(wordsOf('an If-Match of append_data, "x"')).toEqual(['an', 'If-Match', 'of', 'append_data', 'x'])
  expect(indexedWordsOf('If-Match: 1')).toEqual(['If-Match', 'If', 'Match', '1'])
})

describe('the contents', () => {
  const files = new Map([
    [
      'README.md',
      [
        '# All\nSee [models](models.md).',
        '## Guide\n| Page | |\n|---|---|\n| [Models](models.md) | like [bulk](bulk.md) |\n### Lists\n- [Bulk](bulk.md)',
        '## Reference\n- [Entries](reference/README.md)',
        '## Rules\n1. [None](none.md)\n```md\n- [Code](code.md)\n```\n',
      ].join('\n\n'),
    ],
    ['reference/README.md', '# Entries\n- [viewset/pg](pg.md)\n- [Bulk](../bulk.md)\n\n## Types\n- [Keys](keys.md)\n'],
  ])
  const read = contentsOf('README.md', path => files.get(path) ?? '')

  test('are the links that begin a row or an item, by their headings, and what a README lists', () => {
    expect(read).toEqual([
      {
        title: 'Guide',
        entries: [
          { title: 'Models', path: 'models.md' },
          { title: 'Bulk', path: 'bulk.md' },
        ],
        sections: [],
      },
      {
        title: 'Reference',
        entries: [
          { title: 'Entries', path: 'reference/README.md' },
          { title: 'viewset/pg', path: 'reference/pg.md' },
          { title: 'Bulk', path: 'bulk.md' },
        ],
        sections: [{ title: 'Types', entries: [{ title: 'Keys', path: 'reference/keys.md' }], sections: [] }],
      },
    ])
  })

  test('are pages in their order', () => {
    expect(pagesOf(read).map(({ path }) => path)).toEqual([
      'models.md',
      'bulk.md',
      'reference/README.md',
      'reference/pg.md',
      'bulk.md',
      'reference/keys.md',
    ])
  })
})
