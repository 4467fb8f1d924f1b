import { globSync } from 'node:fs'
import { describe, expect, test } from 'vitest'
import { contentsOf, DOCS, pagesOf, readContents } from '../../../../site/contents.ts'
import { weightOf } from '../../../../site/search.ts'

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
  const contents = contentsOf('README.md', path => files.get(path) ?? '')

  test('are the links that begin a row or an item, by their headings, and what a README lists', () => {
    expect(contents).toEqual([
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
    expect(pagesOf(contents).map(({ path }) => path)).toEqual([
      'models.md',
      'bulk.md',
      'reference/README.md',
      'reference/pg.md',
      'bulk.md',
      'reference/keys.md',
    ])
  })
})
