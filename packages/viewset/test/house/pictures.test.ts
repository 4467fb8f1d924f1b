import { globSync, readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { PICTURES } from '../../../../scripts/pictures/list.ts'
import { withoutFences } from '../../../../site/anchors.ts'
import { renderAll } from '../../bench/support/pages.ts'
import { readResults } from '../../bench/support/results.ts'
import { root } from '../support/snippets.ts'

const ASSETS = 'docs/assets/'
const LARGEST = 150_000
/** Drawn by hand. */
const DRAWN = ['envelope.svg', 'request.svg', 'two-people.svg', 'undo.svg']

const plots = [...renderAll(readResults()).keys()].filter(path => path.startsWith(ASSETS))
const made = [...PICTURES, ...DRAWN, ...plots.map(path => path.slice(ASSETS.length))].toSorted()
const pages = globSync(['*.md', 'site/*.md', 'docs/**/*.md', 'packages/*/README.md', 'examples/**/README.md'], {
  cwd: root,
  exclude: path => /(^|\/)(node_modules|reference)(\/|$)/.test(path),
})

interface Shown {
  readonly page: string
  readonly alt: string
  /** Path in the repository. */
  readonly file: string
}

const shown: readonly Shown[] = pages.flatMap(page => {
  const text = withoutFences(readFileSync(join(root, page), 'utf8'))
  return Array.from(text.matchAll(/!\[([^\]]*)\]\(([^)\s]+)\)/g), ([, alt = '', link = '']) => ({
    page,
    alt,
    file: join(page, '..', link),
  }))
})

test('a script makes each picture of docs/assets', () => {
  expect(globSync('*', { cwd: join(root, ASSETS) }).toSorted()).toEqual(made)
})

test('each picture of a page is one of them, and its text says what it shows', () => {
  expect(shown.length).toBeGreaterThan(5)
  expect(shown.filter(({ file }) => !made.some(name => file === ASSETS + name))).toEqual([])
  expect(shown.filter(({ alt }) => alt.length < 20)).toEqual([])
})

test('a page shows each picture', () => {
  expect(made.filter(name => !shown.some(({ file }) => file === ASSETS + name))).toEqual([])
})

test(`no picture is larger than ${LARGEST} bytes`, () => {
  expect(made.filter(name => statSync(join(root, ASSETS + name)).size > LARGEST)).toEqual([])
})
