import { existsSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { RETIRED_NAMES, retiredNamesIn } from '../support/retired-names.ts'
import { readSources } from '../support/sources.ts'

const src = join(import.meta.dirname, '../../src')
const root = join(src, '../../..')

test('no retired name is in the sources', async () => {
  const files = [...(await readSources())]
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
