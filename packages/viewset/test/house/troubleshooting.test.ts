import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { AllowAny, BaseModelSerializer, ImportableViewSet, IsAuthenticatedOrReadOnly, importModel } from 'viewset'
import { apiKey, hashApiKey } from 'viewset/auth'
import { kit } from 'viewset/sqlite'
import { startApi } from 'viewset/testing'
import { afterAll, describe, expect, test } from 'vitest'
import { isAsSaid, root } from '../support/snippets.ts'
import { readSources, readTree } from '../support/sources.ts'
import { appOf } from '../support/test-app.ts'

const page = readFileSync(join(root, 'docs/troubleshooting.md'), 'utf8')
/** The messages that the page quotes. */
const quoted = Array.from(page.matchAll(/^### `(.+)`$/gm), ([, message = '']) => message)
const isQuoted = (message: string) => quoted.some(known => isAsSaid(`${known}…`, message))

describe('docs/troubleshooting.md has the message of', async () => {
  const KEY = 'the key of the user ann'
  const authors = kit.table('authors', { ...kit.BaseModelMixin(), name: kit.text(100).notNull().unique() })
  const AuthorViewSet = ImportableViewSet({
    model: authors,
    serializer: BaseModelSerializer(authors, { fields: ['id', 'name'] }),
    permissionClasses: [IsAuthenticatedOrReadOnly],
    importPermissionClasses: [AllowAny],
    filterFields: ['name'],
    importFileConfig: {
      fileFormat: ['csv', 'xlsx'],
      order: ['authors'],
      models: { authors: importModel({ model: authors, fields: ['name'], uniqueFields: ['name'] }) },
    },
  })
  const api = await startApi({
    schema: { authors },
    app: ({ database }) =>
      appOf('fastify', {
        prefix: '/api',
        database,
        resources: { authors: AuthorViewSet },
        authenticate: apiKey({ keys: { [hashApiKey(KEY)]: { id: 'ann' } } }),
      }),
  })
  afterAll(() => api.close())
  const headers = { 'x-api-key': KEY }
  const importOf = async (content: string, fields: Readonly<Record<string, string>>) => {
    const body = new FormData()
    body.set('file', new Blob([Buffer.from(content, 'latin1')]), 'authors.csv')
    for (const [name, value] of Object.entries(fields)) body.set(name, value)
    return api.request('POST', '/authors/import-from-file/', { body, headers })
  }

  test.each<[string, () => ReturnType<typeof importOf>]>([
    ['a request without a key', () => api.post('/authors/', { name: 'Ada' })],
    ['a wrong key', () => api.get('/authors/', { headers: { 'x-api-key': 'wrong' } })],
    ['an unknown address', () => api.get('/author/')],
    ['an unknown record', () => api.get('/authors/12/')],
    ['an unknown parameter', () => api.get('/authors/?nme=Ada')],
    ['a body of another type', () => api.request('POST', '/authors/', { body: new FormData(), headers })],
    ['a large body', () => api.post('/authors/', { name: 'x'.repeat(2_000_000) }, { headers })],
    ['missing columns', () => importOf('nme\nAda\n', { append_data: 'true' })],
    ['a form without append_data', () => importOf('name\nAda\n', {})],
    ['an XLS file', () => importOf('\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1 old', { append_data: 'true' })],
    ['work in the background', () => importOf('name\nAda\n', { append_data: 'true', background: 'true' })],
  ])('%s', async (_, ask) => {
    const { message } = (await ask()).envelope()
    expect(isQuoted(message), message).toBe(true)
  })

  test('an empty cell', async () => {
    const { data } = (await importOf('name,x\n,1\n', { append_data: 'true' })).envelope()
    const [error] = (data as { errors: { message: string }[] }).errors
    expect(isQuoted(error?.message ?? ''), error?.message).toBe(true)
  })

  test('a database that is away', async () => {
    await api.database.close()
    const { message } = (await api.get('/authors/')).envelope()
    expect(isQuoted(message), message).toBe(true)
  })
})

describe('the other messages of docs/troubleshooting.md', () => {
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

  test('are in the code', async () => {
    const trees = [await readSources(), await readTree(TEMPLATES)]
    const start = readFileSync(join(TEMPLATES, 'source/start.js'), 'utf8')
    const code = [...trees.flatMap(tree => [...tree.values()]), start].join('\n')
    const words = (code.match(/[\w'-]+/g) ?? []).join(' ')
    const isRun = (run: readonly string[]) => run.length === RUN && words.includes(run.join(' '))
    expect(quoted.length).toBeGreaterThan(20)
    const unknown = quoted
      .filter(message => !OTHERS.test(message))
      .flatMap(sentencesOf)
      .filter(sentence => !sentence.some((_, index) => isRun(sentence.slice(index, index + RUN))))
    expect(unknown.map(sentence => sentence.join(' '))).toEqual([])
  })
})
