import { existsSync, globSync, readFileSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { RETIRED_NAMES, retiredNamesIn } from '../support/retired-names.ts'
import { readSources, readTree } from '../support/sources.ts'

const src = join(import.meta.dirname, '../../src')
const root = join(src, '../../..')

test('no retired name is in the sources', async () => {
  const others = ['faces', 'tools'].map(name => readTree(join(root, `packages/viewset-${name}/src`)))
  const files = [await readSources(), ...(await Promise.all(others))].flatMap(tree => [...tree])
  expect(files.length).toBeGreaterThan(0)
  expect(files.flatMap(([path, text]) => retiredNamesIn(path, text))).toEqual([])
})

test('a retired name is found as a whole word, with what to write instead', () => {
  expect(retiredNamesIn('a.ts', 'const unit: Unit = unitsOf(rows)')).toEqual([
    'a.ts: Unit; write ImportRecord instead',
    'a.ts: unitsOf; write recordsOf instead',
  ])
  expect(retiredNamesIn('a.ts', 'const united = StagedRows')).toEqual([])
})

test('no name is retired in favour of another retired one', () => {
  expect(Object.values(RETIRED_NAMES).filter(name => Object.hasOwn(RETIRED_NAMES, name))).toEqual([])
})

test.each(['CONTRIBUTING.md', 'packages/viewset/src/importing/README.md'])(
  'the files that %s leads through are there',
  async page => {
    const text = await readFile(join(root, page), 'utf8')
    const folder = page.startsWith('packages') ? join(root, page, '..') : src
    const diagrams = [...text.matchAll(/```mermaid\n(.*?)```/gs)].map(([, diagram = '']) => diagram).join('\n')
    const named = [...diagrams.matchAll(/[\w-]+(?:\/[\w-]+)+\.ts/g)].map(([path]) => path)
    expect(named.length).toBeGreaterThan(5)
    expect(named.filter(path => !existsSync(join(folder, path)))).toEqual([])
  },
)

describe('the decisions', () => {
  const folder = join(root, 'decisions')
  const read = (name: string) => readFileSync(join(folder, name), 'utf8')
  const pages = globSync('*.md', { cwd: folder }).filter(name => name !== 'README.md')

  test.each(pages)('%s has at most 300 words', name => {
    // What stands between words (a dash, the lines of a table) is none.
    expect(read(name).match(/\S*[\p{L}\p{N}]\S*/gu)?.length).toBeLessThanOrEqual(300)
  })

  test('are all in the index, in order, by number and title, with a sentence', () => {
    const rows = Array.from(
      read('README.md').matchAll(/^\| (\d+) \| \[(.+)\]\((.+)\) \| \S.*\. \|$/gm),
      ([, ...row]) => row,
    )
    const expected = pages.toSorted().map(name => {
      const [, title] = /^# (?:\d+\. )?(.+)/.exec(read(name)) ?? []
      return [String(Number.parseInt(name, 10)), title, name]
    })
    expect(rows).toEqual(expected)
  })
})
