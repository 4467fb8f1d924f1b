import { readdir, readFile } from 'node:fs/promises'
import { join, relative } from 'node:path'
import { describe, expect, test } from 'vitest'
import { publicEntries } from '../../../../scripts/entries.ts'
import manifest from '../../package.json' with { type: 'json' }
import { circlesOf } from '../support/circles.ts'
import { kindCases } from '../support/kind-switches.ts'
import { importsOf, layerBreaches } from '../support/layers.ts'
import { packageRoot } from '../support/snippets.ts'
import { readSources, readTree } from '../support/sources.ts'

function breachesOf(path: string, text: string): string[] {
  return layerBreaches(new Map([[path, text]]))
}

test('the sources keep to their layers', async () => {
  const sources = await readSources()
  expect(sources.size).toBeGreaterThan(0)
  expect(layerBreaches(sources)).toEqual([])
})

test('a layer imports itself and those below', () => {
  expect(breachesOf('viewset/mixins/list.ts', `import { a } from '../permissions.ts'`)).toEqual([])
  expect(breachesOf('viewset/mixins/list.ts', `import { a } from '../../core/errors.ts'`)).toEqual([])
  expect(breachesOf('fastify/plugin.ts', `import { a } from '../viewset/compose.ts'`)).toEqual([])
  expect(breachesOf('index.ts', `export * from './fastify/plugin.ts'`)).toEqual([])
})

test.each([
  [`import { a } from '../../query/filters.ts'`],
  [`import type { A } from '../../query/filters.ts'`],
  [`import { type A } from '../../query/filters.ts'`],
  [`import '../../query/filters.ts'`],
  [`export * from '../../query/filters.ts'`],
  [`export type { A } from '../../query/filters.ts'`],
  [`const a = await import('../../query/filters.ts')`],
  [`type A = import('../../query/filters.ts').A`],
  [`type A = typeof import('../../query/filters.ts')`],
  [`declare module '../../query/filters.ts' { interface A {} }`],
])('no layer imports one above: %s', text => {
  expect(breachesOf('store/dialect/pg.ts', text)).toEqual([
    `store/dialect/pg.ts imports '../../query/filters.ts': query/ is above store/`,
  ])
})

test('the rules of faces stand on what every author of a face can import', async () => {
  const entries = publicEntries(manifest).map(subpath => subpath.replace('.', 'viewset'))
  const isPublic = (specifier: string) => specifier.startsWith('node:') || entries.includes(specifier)
  const sources = await readTree(join(packageRoot, '../viewset-faces/src'))
  const others = [...sources].flatMap(([path, text]) =>
    importsOf(text)
      .filter(specifier => !isPublic(specifier) && !sources.has(join(path, '..', specifier)))
      .map(specifier => `${path} imports '${specifier}'`),
  )
  expect(sources.size).toBeGreaterThan(0)
  expect(others).toEqual([])
})

test('only viewset-tools imports viewset/internal', async () => {
  const folders = ['viewset/test/extensions', 'viewset-faces/src', 'create-viewset/templates']
  const trees = await Promise.all(folders.map(folder => readTree(join(packageRoot, '..', folder))))
  const texts = trees.flatMap(tree => [...tree.values()])
  expect(texts.length).toBeGreaterThan(folders.length)
  expect(texts.filter(text => importsOf(text).includes('viewset/internal'))).toEqual([])
})

test('viewset-tools imports entries of viewset', async () => {
  const entries = Object.keys(manifest.exports).map(subpath => subpath.replace('.', 'viewset'))
  const imported = [...(await readTree(join(packageRoot, '../viewset-tools/src'))).values()].flatMap(importsOf)
  const ofViewset = imported.filter(specifier => /^viewset\b|\/viewset\//.test(specifier))
  expect(ofViewset).toContain('viewset/internal')
  expect(ofViewset.filter(specifier => !entries.includes(specifier))).toEqual([])
})

test('what a comment or a string says is no import', () => {
  const text = `/** @example\n * import fastify from 'fastify'\n */\nconst a = 10n + "import '../query/filters.ts'"`
  expect(breachesOf('store/a.ts', text)).toEqual([])
})

test('faces do not import one another', () => {
  expect(breachesOf('fetch/a.ts', `import '../fastify/a.ts'`)).toEqual([
    `fetch/a.ts imports '../fastify/a.ts': faces do not know one another`,
  ])
})

test.each([
  ['query/a.ts', 'pg', 'only model and store may'],
  ['records/a.ts', 'better-sqlite3', 'only model and store may'],
  ['viewset/a.ts', 'fastify', 'only fastify may'],
  ['store/a.ts', 'fastify/types/request', 'only fastify may'],
  ['store/a.ts', 'viewset/pg', 'use a relative path'],
  ['store/a.ts', '../pg.ts', 'entry points are for users'],
  ['store/a.ts', '../../test/a.ts', 'it is outside src/'],
])('%s does not import %s', (path, specifier, reason) => {
  expect(breachesOf(path, `import '${specifier}'`)).toEqual([`${path} imports '${specifier}': ${reason}`])
})

test('drivers and frameworks stay in their folders', () => {
  expect(breachesOf('store/dialect/pg.ts', `import pg from 'pg'`)).toEqual([])
  expect(breachesOf('fastify/plugin.ts', `import fastify from 'fastify'`)).toEqual([])
  expect(breachesOf('viewset/a.ts', `import { sql } from 'drizzle-orm/pg-core'`)).toEqual([])
})

test('every folder of src/ is a layer', () => {
  expect(breachesOf('helpers/a.ts', '')).toEqual(['helpers/a.ts: helpers/ is not a layer'])
})

test('what a kind of value does is told in kinds/, and how a database holds it in its dialect', async () => {
  // The files of tables have kinds of cells of their own.
  const homes = /^(kinds|tabular|model\/dialect)\//
  const switches = [...(await readSources())]
    .filter(([path]) => !homes.test(path))
    .flatMap(([path, text]) => kindCases(text).map(kind => `${path} decides by the kind "${kind}"`))
  expect(switches).toEqual([])
})

test('views are made in one place, which keeps them within the scopes of their mixins', async () => {
  const makers = [...(await readSources())].filter(([, text]) => /new resource\(/i.test(text)).map(([path]) => path)
  expect(makers).toEqual(['viewset/make-view.ts'])
})

test('a switch over kinds is noticed', () => {
  expect(kindCases("switch (column.kind) { case 'text': case 'decimal': break; case 'uuid': }")).toEqual([
    'decimal',
    'uuid',
  ])
  expect(kindCases("switch (typeof value) { case 'boolean': case 'bigint': }")).toEqual([])
})

/** Files whose types name one another, where one file would not be simpler. */
const TYPE_CIRCLES = [
  // A kit has the mixins and the tables of jobs, keys and histories, which are made of its columns.
  [
    'model/history.ts',
    'model/kit.ts',
    'model/mixins.ts',
    'model/tables/history-tables.ts',
    'model/tables/idempotency-tables.ts',
    'model/tables/import-mapping-tables.ts',
    'model/tables/job-tables.ts',
  ],
  // A database makes transactions, which are of a database.
  [
    'store/connection/database.ts',
    'store/connection/session.ts',
    'store/connection/transaction.ts',
    'store/connection/with-transaction.ts',
  ],
  // A serializer has fields, some of which have a serializer.
  ['serializer/fields.ts', 'serializer/model-serializer.ts'],
]

test('no files import one another in a circle, but for the types of some', async () => {
  const { values, types } = circlesOf(await readSources())
  expect(values).toEqual([])
  expect(types).toEqual(TYPE_CIRCLES)
})

describe('a circle', () => {
  const between = (a: string, b: string) =>
    circlesOf(
      new Map([
        ['core/a.ts', a],
        ['core/c.ts', `export { b } from './b.ts'`],
        ['core/b.ts', b],
      ]),
    )
  const circle = ['core/a.ts', 'core/b.ts', 'core/c.ts']

  test.each([
    [`import { a } from './a.ts'`],
    [`import { type A, a } from './a.ts'`],
    [`import './a.ts'`],
    [`export * from './a.ts'`],
    [`export const a = () => import('./a.ts')`],
  ])('of values: %s', text => {
    expect(between(`import { b } from './c.ts'`, text)).toEqual({ values: [circle], types: [circle] })
  })

  test.each([
    [`import type { A } from './a.ts'`],
    [`import { type A, type B } from './a.ts'`],
    [`export type { A } from './a.ts'`],
    [`type A = import('./a.ts').A`],
  ])('of types only: %s', text => {
    expect(between(`import { b } from './c.ts'`, text)).toEqual({ values: [], types: [circle] })
  })

  test.each([
    [`declare module './a.ts' { interface A {} }`],
    [`const a = "import './a.ts'"`],
    [`import { a } from 'a.ts'`],
  ])('is none: %s', text => {
    expect(between(`import { b } from './c.ts'`, text)).toEqual({ values: [], types: [] })
  })
})

test('no file is longer than people read at once', async () => {
  const sources = new Map(await readSources())
  // An entry is a list of names, in which one looks something up. A spine that is read from top to bottom may be long.
  sources.delete('index.ts')
  // A catalogue of texts is one file for each language.
  const isText = (path: string) => path.startsWith('core/messages/')
  const long = [...sources]
    .filter(([path, text]) => !isText(path) && text.split('\n').length > 401)
    .map(([path]) => path)
  expect(long).toEqual([])
})

test('what a third party writes needs public entries only', async () => {
  const folder = join(import.meta.dirname, '../extensions')
  const entries = await readdir(folder, { recursive: true, withFileTypes: true })
  const files = entries.filter(entry => entry.isFile()).map(entry => join(entry.parentPath, entry.name))
  expect(files.length).toBeGreaterThanOrEqual(5)
  for (const path of files) {
    const imported = [...(await readFile(path, 'utf8')).matchAll(/(?:from|import) '([^']+)'/g)].map(([, name]) => name)
    const inside = imported.filter(name => name?.startsWith('.') && !join(path, '..', name).startsWith(folder))
    expect([relative(folder, path), inside]).toEqual([relative(folder, path), []])
  }
})
