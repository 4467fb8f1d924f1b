import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { root } from '../support/snippets.ts'
import { readSources, readTree } from '../support/sources.ts'

const TEMPLATES = join(root, 'packages/create-viewset/templates')

/** Messages of Node and of browsers. */
const OTHERS = /^Cannot find |^No 'Access-Control-Allow-Origin'/

/** Words that stand behind each other in one message. */
const RUN = 3

/** The sentences of a message that are long enough to be looked for. */
function sentencesOf(message: string): readonly (readonly string[])[] {
  const sentences = message.split(/[.;:] |…/).map(sentence => sentence.match(/[\w'-]+/g) ?? [])
  return sentences.filter(words => words.length > RUN + 1)
}

test('docs/troubleshooting.md quotes messages of the code', async () => {
  const trees = [await readSources(), await readTree(TEMPLATES)]
  const start = readFileSync(join(TEMPLATES, 'source/start.js'), 'utf8')
  const code = [...trees.flatMap(tree => [...tree.values()]), start].join('\n')
  const words = (code.match(/[\w'-]+/g) ?? []).join(' ')
  const page = readFileSync(join(root, 'docs/troubleshooting.md'), 'utf8')
  const quoted = Array.from(page.matchAll(/^### `(.+)`$/gm), ([, message = '']) => message)
  expect(quoted.length).toBeGreaterThan(20)
  const unknown = quoted
    .filter(message => !OTHERS.test(message))
    .flatMap(sentencesOf)
    .filter(sentence => !sentence.some((_, index) => isRun(sentence.slice(index, index + RUN), words)))
  expect(unknown.map(sentence => sentence.join(' '))).toEqual([])
})

function isRun(run: readonly string[], words: string): boolean {
  return run.length === RUN && words.includes(run.join(' '))
}
