import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import Fastify from 'fastify'
import { type ResourcesOptions, resources, serverOptions } from 'viewset/fastify'
import { startApi } from 'viewset/testing'
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest'
import { run } from '../../../viewset/src/cli/run.ts'
import { ProjectFolder } from '../../../viewset/test/support/command.ts'

const SCHEMA = `
import { kit as c } from 'viewset/sqlite'
import { sqliteTable, integer, text, primaryKey } from 'drizzle-orm/sqlite-core'

export const authors = c.table('authors', { ...c.BaseModelMixin(), name: c.text(100).notNull() })
export const articles = c.table(
  'articles',
  {
    ...c.BaseModelMixin(),
    title: c.text(200).notNull(),
    author: c.foreignKey(authors).notNull(),
    parent: c.foreignKey('self'),
    price: c.decimal(8, 2),
    status: c.enumeration(['draft', 'published']).notNull().default('draft'),
    apiToken: c.text(),
  },
  t => [c.index(t.price), c.index(t.status), c.index(t.createdAt)],
)
// As drizzle-kit pull writes it.
export const books = sqliteTable('books', { id: integer().primaryKey(), title: text().notNull() })
const bookKey = () => integer().references(() => books.id)
export const reviews = sqliteTable('book_reviews', {
  id: integer().primaryKey(),
  bookId: integer('book_id').notNull().references(() => books.id),
  stars: integer().notNull(),
})
export const pairs = sqliteTable('pairs', { a: bookKey(), b: bookKey() }, t => [primaryKey({ columns: [t.a, t.b] })])
export const version = 1
`

let folder: ProjectFolder
const add = (...args: readonly string[]) => folder.viewset(['add', 'resource', ...args])
const read = (path: string) => readFile(join(folder.path, path), 'utf8')

beforeAll(async () => {
  folder = await ProjectFolder.make()
})
beforeEach(() => folder.write('src/schema.ts', SCHEMA))
afterEach(() => folder.clear())
afterAll(() => folder?.remove())

test('writes a resource beside the tables, and says how it is registered', async () => {
  const { code, stdout, stderr } = await add('articles')
  expect([code, stderr]).toEqual([0, ''])
  expect(stdout).toBe(`${join(folder.path, 'src/resources/articles.ts')}

Where your API is registered, add (the path is as from src):
  import { ArticleViewSet } from './resources/articles.ts'
  resources: { ..., articles: ArticleViewSet }

Please look at:
- articles.apiToken looks like a secret, so it is no field.
`)
  await expect(await read('src/resources/articles.ts')).toMatchFileSnapshot('../fixtures/drafts/added-articles.txt')
})

test('drafts what compiles and answers, for kit tables and plain ones', async () => {
  for (const table of ['authors', 'articles', 'books', 'book_reviews']) expect((await add(table)).code).toBe(0)
  expect(await folder.compile('src')).toBe('')

  const load = (path: string) => import(join(folder.path, path))
  const { ArticleViewSet } = await load('src/resources/articles.ts')
  const { AuthorViewSet } = await load('src/resources/authors.ts')
  const { BookViewSet } = await load('src/resources/books.ts')
  const { ReviewViewSet } = await load('src/resources/reviews.ts')
  const drafted: ResourcesOptions['resources'] = {
    articles: ArticleViewSet,
    authors: AuthorViewSet,
    books: BookViewSet,
    reviews: ReviewViewSet,
  }
  const api = await startApi({
    schema: await load('src/schema.ts'),
    app: async setup => {
      const app = Fastify(serverOptions)
      await app.register(resources, { ...setup, prefix: '/api', resources: drafted })
      return app
    },
  })
  try {
    const as = { as: { id: 'ann' } }
    expect((await api.get('/articles/')).status).toBe(401)
    const author = (await api.post('/authors/', { name: 'Ada' }, as)).data<{ id: string }>()
    const made = await api.post('/articles/', { title: 'Engines', author: author.id }, as)
    const article = made.data<{ id: string }>()
    expect(article).toMatchObject({ title: 'Engines', author: { id: author.id, name: 'Ada' }, parent: null })
    await api.post('/books/', { title: 'Looms' }, as)
    const review = await api.post('/reviews/', { book: 1, stars: 5 }, as)
    expect(review.data()).toEqual({ id: 1, stars: 5, book: { id: 1, title: 'Looms' } })
    expect((await api.get('/articles/?status=draft&price__gte=1', as)).data()).toEqual([])
    expect((await api.delete(`/articles/${article.id}/`, as)).status).toBe(204)
    expect((await api.get('/articles/', as)).data()).toEqual([])
  } finally {
    await api.close()
  }
})

test('finds the tables where the configuration or the command line says', async () => {
  await folder.write('db/tables.ts', SCHEMA)
  await folder.write('viewset.config.ts', "export default { resources: {}, models: './db/tables.ts' }")
  expect((await add('authors')).stdout).toContain(join(folder.path, 'db/resources/authors.ts'))
  expect(await read('db/resources/authors.ts')).toContain("import { authors } from '../tables.ts'")

  expect((await add('authors', '--models', 'src/schema.ts', '--out', 'api')).code).toBe(0)
  expect(await read('api/authors.ts')).toContain("import { authors } from '../src/schema.ts'")
})

test('writes over no file without --force', async () => {
  await folder.write('src/resources/authors.ts', 'what somebody has written')
  const refused = await add('authors')
  expect([refused.code, refused.stderr]).toEqual([
    1,
    `These files exist already; give another --out, or --force:\n${join(folder.path, 'src/resources/authors.ts')}\n`,
  ])
  expect(await read('src/resources/authors.ts')).toBe('what somebody has written')
  expect((await add('authors', '--force')).code).toBe(0)
  expect(await read('src/resources/authors.ts')).toContain('AuthorViewSet')
})

test.each([
  [['article'], /^There is no table "article"; did you mean "articles"\?$/],
  [['version'], /^There is no table "version"; known: "articles", "authors", "books", "pairs", "reviews"$/],
  [['pairs'], /^pairs cannot be a resource: it only joins others: it can be the `through` of a ManyIdToDataField\.$/],
  [['authors', '--models', 'no.ts'], /^There is no .*no\.ts\.$/],
  [['authors', '--models', 'empty.ts'], /^.*empty\.ts exports no Drizzle table\.$/],
])('says what is wrong: %j', async (args, message) => {
  await folder.write('empty.ts', 'export const version = 1')
  await expect(run(['add', 'resource', ...args], folder.path)).rejects.toThrow(message)
})

test('asks where the tables are in a project that does not say', async () => {
  await folder.clear()
  await expect(run(['add', 'resource', 'authors'], folder.path)).rejects.toThrow(
    "Which module exports the tables? Give it by --models, or in viewset.config.ts: models: './src/schema.ts'",
  )
  await folder.write('other.config.mjs', 'export default { resources: {}, models: 1 }')
  await expect(run(['add', 'resource', 'authors', '--config', 'other.config.mjs'], folder.path)).rejects.toThrow(
    /"models" must be the path of the module that exports the tables$/,
  )
})
