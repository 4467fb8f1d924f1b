import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { CODE, type Sentence, sentencesOfMarkdown, sentencesOfTypeScript } from './prose.ts'
import { retiredNamesIn } from './retired-names.ts'

/*
 * A checker of plain English for pages and comments. It also runs on single files, from the root of the repository:
 *
 *     node packages/viewset/test/support/plain-english.ts docs/import.md     prints the findings of the file
 *     node packages/viewset/test/support/plain-english.ts                    prints the number of findings of each file
 */

const root = join(import.meta.dirname, '../../../..')

/** A longer sentence is refused. Most sentences should have at most 25 words. */
export const MOST_WORDS = 30

/** Words whose subject has no name, and what to write instead. */
export const RETIRED_WORDS: Readonly<Record<string, string>> = {
  nobody: 'name the subject: no client, no request',
  somebody: 'name the subject: a client, a user',
  whoever: 'name the subject: the client that',
  whatever: 'name the thing: any value, every error',
  tell: 'write report, show or say',
  tells: 'write reports, shows or says',
  telling: 'write reporting, showing or saying',
  told: 'write reported, shown or said',
}

/** A place that may break a rule, and why. */
export interface Exception {
  /** The path of the file in the repository. */
  readonly path: string
  /** A part of the sentence. */
  readonly sentence: string
  readonly reason: string
}

export const EXCEPTIONS: readonly Exception[] = []

/** Each breach of a rule in a file, as `path:line: what is wrong`. */
export function findingsIn(path: string, text: string, exceptions = EXCEPTIONS): readonly string[] {
  const isCode = path.endsWith('.ts')
  const sentences = (isCode ? sentencesOfTypeScript(text) : sentencesOfMarkdown(text)).filter(
    sentence => !exceptions.some(other => other.path === path && sentence.text.includes(other.sentence)),
  )
  const faults = sentences.flatMap(sentence => faultsOf(sentence).map(fault => `${path}:${sentence.line}: ${fault}`))
  // The test of the glossary reads the code.
  return isCode ? faults : [...faults, ...retiredIdentifiersIn(path, text)]
}

function faultsOf({ text, words }: Sentence): readonly string[] {
  const start = `"${text.replaceAll(CODE, '`…`').split(' ').slice(0, 12).join(' ')}${words > 12 ? ' …' : ''}"`
  const faults = (text.match(/[\p{L}\p{N}_$]+/gu) ?? []).flatMap(word => {
    const key = word.toLowerCase()
    return Object.hasOwn(RETIRED_WORDS, key) ? [`"${word}" in ${start}: ${RETIRED_WORDS[key]}`] : []
  })
  return words > MOST_WORDS ? [`${words} words in ${start}`, ...faults] : faults
}

/** Retired names in a page. Many of them are ordinary words: only what looks like an identifier is one. */
function retiredIdentifiersIn(path: string, text: string): readonly string[] {
  return text.split('\n').flatMap((line, index) => {
    const identifiers = line.match(/\b[a-z]+[A-Z]\w*|\b[A-Z]+[a-z]+[A-Z]\w*|\b[A-Z]+_[A-Z_]+\b/g) ?? []
    return retiredNamesIn(`${path}:${index + 1}`, identifiers.join(' '))
  })
}

const PATTERNS = [
  'README.md',
  'CONTRIBUTING.md',
  'docs/**/*.md',
  'site/*.md',
  'packages/*/README.md',
  'examples/atlas/README.md',
  'examples/atlas/src/**/*.ts',
  'packages/*/src/**/*.{ts,md}',
  'scripts/**/*.ts',
]

/** The text of all files that the rules hold for, by their path in the repository. */
export function readProse(): ReadonlyMap<string, string> {
  // The reference is generated from doc comments.
  const paths = globSync(PATTERNS, { cwd: root, exclude: ['docs/reference/**', '**/node_modules/**'] }).toSorted()
  return new Map(paths.map(path => [path.replaceAll('\\', '/'), readFileSync(join(root, path), 'utf8')]))
}

function print(paths: readonly string[]): void {
  for (const path of paths) {
    for (const finding of findingsIn(path, readFileSync(join(root, path), 'utf8'))) console.log(finding)
  }
}

function printNumbers(): void {
  for (const [path, text] of readProse()) {
    const { length } = findingsIn(path, text)
    if (length > 0) console.log(`${length} ${path}`)
  }
}

if (import.meta.main) {
  const paths = process.argv.slice(2)
  if (paths.length > 0) print(paths)
  else printNumbers()
}
