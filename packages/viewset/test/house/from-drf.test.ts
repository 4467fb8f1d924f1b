import { readdir, readFile } from 'node:fs/promises'
import { basename, join } from 'node:path'
import { expect, test } from 'vitest'
import { DRF_COMMONS_NAMES, DRF_NAMES, namesOf } from '../support/drf-names.ts'

const root = join(import.meta.dirname, '../../../..')
const src = join(import.meta.dirname, '../../src')

/** What our side names that is not ours: of HTTP, JavaScript, and the libraries that an application has anyway. */
const OF_OTHERS = new Set(['$type', 'Allow', 'FormData', 'OPTIONS', 'npx', 'trustProxy', 'unaccent', 'viewset'])

/** What stands in its examples. */
const EXAMPLES = new Set(['ArticleViewSet', 'author', 'email', 'title'])

interface Row {
  readonly theirs: ReadonlySet<string>
  readonly ours: readonly string[]
}

/** The rows of the page's tables of names, behind "What is different on purpose". */
async function rows(): Promise<readonly Row[]> {
  const page = await readFile(join(root, 'docs/from-django-rest-framework.md'), 'utf8')
  const tables = page.slice(page.indexOf('## Views and generic views'))
  const lines = [...tables.matchAll(/^\| (.+?) \| (.+) \|$/gm)].filter(([, theirs]) => theirs?.includes('`'))
  return lines.map(([, theirs = '', ours = '']) => ({
    theirs: new Set(codeOf(theirs).flatMap(wordsOf)),
    ours: codeOf(ours),
  }))
}

const codeOf = (cell: string) => [...cell.matchAll(/`([^`]+)`/g)].map(([, code = '']) => code)
const wordsOf = (code: string): readonly string[] => code.match(/[A-Za-z_$]\w*/g) ?? []

/** The words of our sources, without those in comments, and the names of the package's entries. */
async function knownWords(): Promise<ReadonlySet<string>> {
  const found = await readdir(src, { recursive: true, withFileTypes: true })
  const files = found.filter(entry => entry.isFile() && entry.name.endsWith('.ts'))
  const texts = await Promise.all(files.map(({ parentPath, name }) => readFile(join(parentPath, name), 'utf8')))
  const entries = files.filter(({ parentPath }) => parentPath === src).map(({ name }) => basename(name, '.ts'))
  return new Set([...entries, ...texts.flatMap(text => wordsOf(text.replace(/\/\*[\s\S]*?\*\/|\/\/.*/g, '')))])
}

/** What the entries of the package export, by the reference, which is written before the tests. */
async function exportedNames(): Promise<ReadonlySet<string>> {
  const folder = join(root, 'docs/reference')
  const pages = await Promise.all((await readdir(folder)).map(name => readFile(join(folder, name), 'utf8')))
  return new Set(pages.flatMap(text => [...text.matchAll(/^### (\w+)$/gm)].map(([, name = '']) => name)))
}

test.each([
  ['Django REST framework', DRF_NAMES],
  ['drf-commons', DRF_COMMONS_NAMES],
])('every name of %s is on the page for those who know it', async (_, names) => {
  const told = new Set((await rows()).flatMap(({ theirs }) => [...theirs]))
  expect(namesOf(names).filter(name => !told.has(name))).toEqual([])
})

test('what the page says it is called here is there: classes are exported, the rest is in the sources', async () => {
  const [exported, known] = await Promise.all([exportedNames(), knownWords()])
  const isThere = (name: string) =>
    OF_OTHERS.has(name) || EXAMPLES.has(name) || (/^[A-Z][a-z]/.test(name) ? exported : known).has(name)
  // Texts are free, Zod and other packages are not ours, and what stands behind a dot is a member and no export.
  const code = (await rows()).flatMap(({ ours }) => ours).map(span => span.replace(/'[^']*'|\bz\..*|^@.*/g, ''))
  const members = code.flatMap(span => [...span.matchAll(/\.(\w+)/g)].map(([, name = '']) => name))
  const names = code.flatMap(span => wordsOf(span.replace(/\.\w+|COMMON_(?=[A-Z])/g, '')))
  expect(names.length).toBeGreaterThan(400)
  expect([...names.filter(name => !isThere(name)), ...members.filter(name => !known.has(name))]).toEqual([])
})
