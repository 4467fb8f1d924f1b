import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { anchorsOf } from '../../../../site/anchors.ts'
import { deadLinks, readMarkdown } from '../support/links.ts'
import { root } from '../support/snippets.ts'

const pages = readMarkdown()

test.each([...pages.keys()])('the links of %s lead somewhere', path => {
  expect(deadLinks(path, pages, target => existsSync(join(root, target)))).toEqual([])
})

test('pages outside of docs/ do not link to the reference, which GitHub does not have', () => {
  const outside = [...pages].filter(([path]) => !/^(docs|site)\//.test(path))
  expect(outside.filter(([, text]) => /\]\([^)]*docs\/reference\//.test(text)).map(([path]) => path)).toEqual([])
})

test('READMEs of packages name files of the repository, since a registry has no links to them', () => {
  const readmes = [...pages].filter(([path]) => /^packages\/[\w-]+\/README\.md$/.test(path))
  expect(readmes.length).toBe(4)
  for (const [path, text] of readmes) {
    expect(text, path).not.toMatch(/\]\((?!#)/)
    const named = Array.from(text.matchAll(/`((?:docs|examples)\/[\w./-]+)`/g), ([, name = '']) => name)
    expect(
      named.filter(name => !existsSync(join(root, name))),
      path,
    ).toEqual([])
  }
})

describe('of the links of a page', () => {
  const files = new Map([
    ['docs/a.md', ''],
    ['docs/b.md', '# The `b`\n## Twice\n## Twice\n```sh\n# no heading\n```\n'],
  ])
  const dead = (text: string) =>
    deadLinks('docs/a.md', new Map([...files, ['docs/a.md', text]]), path => files.has(path) || path === 'LICENSE')

  test.each([
    ['to a page', '[b](b.md)'],
    ['to a file above', '[the licence](../LICENSE)'],
    ['to a heading', '[b](b.md#the-b)'],
    ['to the second heading of the same words', '[b](b.md#twice-1)'],
    ['to a heading of its own', '## Here\n[here](#here)'],
    ['to another host', '[b](https://example.org/b.md)'],
    ['in code', '`[c](c.md)`\n```md\n[c](c.md)\n```\n'],
  ])('one %s is right', (_, text) => {
    expect(dead(text)).toEqual([])
  })

  test.each([
    ['to no page', '[c](c.md)', 'c.md'],
    ['to no heading', '[b](b.md#c)', 'b.md#c'],
    ['to no third heading of the same words', '[b](b.md#twice-2)', 'b.md#twice-2'],
    ['to what is a heading in code only', '[b](b.md#no-heading)', 'b.md#no-heading'],
    ['with a title, to no page', '[c](c.md "C")', 'c.md'],
    ['at the end of the page, to no page', '[c]\n\n[c]: c.md', 'c.md'],
    ['in HTML, to no picture', '<img alt="c" src="c.svg">', 'c.svg'],
  ])('one %s is found', (_, text, link) => {
    expect(dead(text)).toEqual([link])
  })
})

test('an anchor is what GitHub makes of a heading', () => {
  const headings = ['## Time limits', '### `GET /a/{id}/`: one', '# Ümlaut_s – [linked](b.md#c), too']
  expect([...anchorsOf(headings.join('\n'))]).toEqual(['time-limits', 'get-aid-one', 'ümlaut_s--linked-too'])
})
