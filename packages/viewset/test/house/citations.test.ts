import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { root } from '../support/snippets.ts'

/** Papers that a reader of the repository does not have. Cite docs/wire.md, an RFC, DRF or SQL instead. */
const PAPERS = 'SPEC|CONTRACT|HARDENING|FINDINGS|BASELINES|WRITES|IMPORTS|DESIGN|WRITING|CONSOLE|FORMATS'

/** A title with its ending, with a number, with a heading in quotes, or in brackets. */
const CITATION = new RegExp(
  `\\b(${PAPERS})(\\.md\\b|,? [A-Z]?\\d|,? ")|\\((SPEC|CONTRACT|HARDENING|FINDINGS|DESIGN)\\)`,
)

const citationsIn = (path: string, text: string) =>
  text.split('\n').flatMap((line, index) => (CITATION.test(line) ? [`${path}:${index + 1}: ${line.trim()}`] : []))

test('no page and no source cites a paper that is not in the repository', () => {
  const isOther = (name: string) => /(^|\/)(\.|node_modules$|dist$|fixtures$|reference$)/.test(name)
  const paths = globSync('**/*.{ts,tsx,md,vue}', { cwd: root, exclude: isOther })
  expect(paths.length).toBeGreaterThan(900)
  expect(paths.flatMap(path => citationsIn(path, readFileSync(join(root, path), 'utf8')))).toEqual([])
})

test.each([
  `/** As ${'CONTRACT'}.md says. */`,
  `test('${'HARDENING'} 12: a body')`,
  `// ${'FINDINGS'} E12`,
  `(${'CONTRACT'}, "Envelope")`,
  `see (${'SPEC'})`,
])('%s is found', line => {
  expect(citationsIn('a.ts', line)).toHaveLength(1)
})

test('names in capitals are no citations', () => {
  expect(citationsIn('a.ts', "for (const write of WRITES) EXPORT_FORMATS.join(', ')")).toEqual([])
})
