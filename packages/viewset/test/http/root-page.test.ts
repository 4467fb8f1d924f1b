import { createHash } from 'node:crypto'
import fastifyCors from '@fastify/cors'
import { eq } from 'drizzle-orm'
import Fastify from 'fastify'
import {
  AllowAny,
  BaseViewSet,
  CursorPagination,
  defineMixin,
  IsAuthenticated,
  noCount,
  type OpenApiDocument,
  PermissionDenied,
  ReadOnlyViewSet,
  StandardPageNumberPagination,
} from 'viewset'
import { resources as plugin, serverOptions } from 'viewset/fastify'
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import { useApi } from '../support/api.ts'
import { describeDialects, sqliteDialect } from '../support/dialects.ts'
import { models, seed, users } from '../support/models.ts'
import { serializers } from '../support/serializers.ts'

declare module 'viewset' {
  interface MixinTypes<M, S> {
    EnclosingMixin: { config: object; methods: object }
  }
}

const BROWSER = { accept: 'text/html,application/xhtml+xml,application/xml;q=0.9,image/avif,*/*;q=0.8' }
const asBrowser = { headers: BROWSER }

/** The lists of a page: their links and their counts. */
function listsOf(page: string): readonly (readonly [link: string, label: string, count: string | undefined])[] {
  const items = page.matchAll(/<li><a href="([^"]*)">([^<]*)<\/a>(?:<span class="count quiet">([^<]*)<\/span>)?/g)
  return [...items].map(([, link = '', label = '', count]) => [link, label, count])
}

/** The page counts lists for half a second of this clock, which stands still on the slowest machine. */
let now = performance.now()
beforeEach(() => {
  now = performance.now()
  vi.spyOn(performance, 'now').mockImplementation(() => now)
})
afterEach(() => void vi.restoreAllMocks())

describeDialects('the root of an API in a browser', dialect => {
  const tables = models(dialect.kit)
  const { authors } = tables
  const common = { model: authors, serializer: serializers(tables).AuthorReference }
  const open = { ...common, permissionClasses: [AllowAny] }
  class Uncounted extends StandardPageNumberPagination {
    override readonly countStrategy = noCount
  }
  let slowness = 0
  class Broken extends ReadOnlyViewSet(open) {
    override async getQueryset(): Promise<never> {
      throw new Error('the index is gone')
    }
  }
  class Rewritten extends ReadOnlyViewSet(open) {
    override async list() {
      return super.list()
    }
  }
  class Refusing extends ReadOnlyViewSet(open) {
    override async finalize(): Promise<never> {
      throw new PermissionDenied()
    }
  }
  // A mixin that encloses requests, as for row-level security.
  const Enclosing = defineMixin('EnclosingMixin', {
    around: { isNeeded: () => true, run: (_view, next) => next() },
  })
  const api = useApi(dialect, {
    tables,
    users,
    openapi: {
      info: { title: 'Tom & Jerry <b>', version: '3', description: '"Books"' },
      permissionClasses: [IsAuthenticated],
    },
    schema: true,
    resources: {
      authors: BaseViewSet({ ...open, describes: { description: 'People & <script>alert(1)</script>' } }),
      adas: ReadOnlyViewSet({
        ...open,
        queryset: () => {
          now += slowness
          return eq(authors.name, 'Ada')
        },
      }),
      members: ReadOnlyViewSet({ ...common, permissionClasses: [IsAuthenticated] }),
      'old/cursors': ReadOnlyViewSet({ ...open, paginationClass: CursorPagination }),
      uncounted: ReadOnlyViewSet({ ...open, paginationClass: Uncounted }),
      rewritten: Rewritten,
      refusing: Refusing,
      enclosed: ReadOnlyViewSet.add(Enclosing)(open),
      whole: ReadOnlyViewSet({ ...open, paginationClass: null }),
      'authors/:author/others': ReadOnlyViewSet(open),
    },
  })
  const stored = () =>
    seed(api.database, tables, {
      authors: ['Ada', 'Bob', 'Cleo'].map(name => ({ name, email: `${name.toLowerCase()}@example.org` })),
    })

  test('lists what the user may list, with exact counts where a list has one', async () => {
    await stored()
    const shown = listsOf((await api.get('/', asBrowser)).text)
    const lists = [
      ['./authors/', 'Authors', '3 records'],
      ['./adas/', 'Adas', '1 record'],
      ['./old/cursors/', 'Cursors', undefined],
      ['./uncounted/', 'Uncounted', undefined],
      ['./rewritten/', 'Rewritten', undefined],
      ['./refusing/', 'Refusing', undefined],
      ['./enclosed/', 'Enclosed', undefined],
      ['./whole/', 'Whole', '3 records'],
    ]
    expect(shown).toEqual(lists)
    const ofAnn = listsOf((await api.get('/', { ...asBrowser, as: 'ann' })).text)
    expect(ofAnn).toEqual(lists.toSpliced(2, 0, ['./members/', 'Members', '3 records']))
  })

  test('begins no further count after half a second', async () => {
    await stored()
    slowness = 501
    const counts = listsOf((await api.get('/', asBrowser)).text).flatMap(([, label, count]) => (count ? [label] : []))
    slowness = 0
    expect(counts).toEqual(['Authors', 'Adas'])
  })

  test('counts nothing for an address with parameters, which could be filters', async () => {
    await stored()
    const statements = await api.statementsOf(() => api.get('/?name=Ada', asBrowser))
    expect(statements).toEqual([])
  })

  test('shows the version, the description and the link of the document to those who may read it', async () => {
    const { text } = await api.get('/', asBrowser)
    const ofAnn = (await api.get('/', { ...asBrowser, as: 'ann' })).text
    expect(text).toContain('<a href="schema/">Schema</a>')
    for (const part of ['openapi.json', '<small>3</small>', '&#34;Books&#34;']) {
      expect([part, text.includes(part), ofAnn.includes(part)]).toEqual([part, false, true])
    }
    expect(text).toContain('You are not signed in.')
    expect(ofAnn).not.toContain('You are not signed in.')
  })

  test('escapes all texts', async () => {
    const { text } = await api.get('/', asBrowser)
    expect(text).toContain('<title>Tom &#38; Jerry &#60;b&#62;</title>')
    expect(text).not.toContain('<script')
    expect(text).not.toContain('<b>')
  })

  test('loads nothing, runs nothing and is kept by no proxy', async () => {
    const { status, headers, text } = await api.get('/', asBrowser)
    expect(status).toBe(200)
    const [, style = ''] = /<style>(.*)<\/style>/s.exec(text) ?? []
    const hash = createHash('sha256').update(style).digest('base64')
    expect(headers).toMatchObject({
      'content-type': 'text/html; charset=utf-8',
      'content-security-policy': `default-src 'none'; style-src 'sha256-${hash}'; img-src data:; base-uri 'none'; form-action 'none'; frame-ancestors 'none'`,
      'cache-control': 'private, no-cache',
      vary: 'Accept, Accept-Language',
    })
    expect(text).not.toMatch(/https?:|<script|\sstyle=|\son\w+=/)
  })

  test.each([
    ['*/*', false],
    ['application/json', false],
    ['application/json, text/html', false],
    ['text/html;q=0.5, application/json', false],
    ['text/html;q=0', false],
    ['text/html;q=x', false],
    ['text/*', false],
    ['', false],
    ['TEXT/HTML', true],
    ['application/json;q=0.5, text/html', true],
    ['text/html;level=1;q=0.3', true],
  ])('for a client that accepts %j is a page: %s', async (accept, isPage) => {
    const { headers } = await api.get('/', { headers: { accept } })
    expect([headers['content-type'], headers.vary]).toEqual(
      isPage ? ['text/html; charset=utf-8', 'Accept, Accept-Language'] : ['application/json; charset=utf-8', 'Accept'],
    )
  })

  test('is in the language of the browser', async () => {
    await stored()
    const pageIn = (language: string) => api.get('/', { headers: { ...BROWSER, 'accept-language': language } })
    const { headers, text } = await pageIn('de-AT,de;q=0.9,en;q=0.5')
    expect(headers).toMatchObject({ 'content-language': 'de', vary: 'Accept, Accept-Language' })
    for (const part of ['<html lang="de">', '<h2>Ressourcen</h2>', '1 Datensatz<', '3 Datensätze<', 'Schema</a>']) {
      expect(text).toContain(part)
    }
    expect(text).toContain('Sie sind nicht angemeldet.')
    expect((await pageIn('ja')).text).toContain('>3件<')
    expect((await pageIn('fr')).text).toContain('À cette adresse, les programmes reçoivent du JSON : <code>')
  })

  test('answers HEAD as GET, and stays an envelope if the credentials are wrong', async () => {
    const head = await api.request('HEAD', '/', asBrowser)
    expect([head.status, head.text, head.headers['content-type']]).toEqual([200, '', 'text/html; charset=utf-8'])
    const refused = await api.get('/', { ...asBrowser, as: 'nobody' })
    expect([refused.status, refused.headers['content-type']]).toEqual([401, 'application/json; charset=utf-8'])
  })

  test('leaves out the count of a list that fails, and says so in the log', async () => {
    const lines: string[] = []
    const app = Fastify({ ...serverOptions, logger: { level: 'warn', stream: { write: line => lines.push(line) } } })
    await app.register(plugin, { database: api.database, resources: { broken: Broken } })
    const { statusCode, body } = await app.inject({ url: '/', headers: BROWSER })
    expect([statusCode, listsOf(body)]).toEqual([200, [['./broken/', 'Broken', undefined]]])
    expect(lines.join('')).toContain('The list \\"broken\\" was not counted: Error: the index is gone')
    await app.close()
  })
})

describe('the page of the root', () => {
  const tables = models(sqliteDialect.kit)
  const open = { model: tables.authors, serializer: serializers(tables).AuthorReference, permissionClasses: [AllowAny] }
  const api = useApi(sqliteDialect, { tables, resources: {} })
  const resources = { authors: ReadOnlyViewSet(open) }

  async function served(options: object, server: object = serverOptions) {
    const app = Fastify(server)
    await app.register(plugin, { database: api.database, resources, ...options })
    return app
  }

  test.each([
    ['/api', 'api/authors/'],
    ['/api/', './authors/'],
    ['/v1/api', 'api/authors/'],
  ])('at %s has links that are relative to its address', async (url, link) => {
    const prefix = url.replace(/\/$/, '')
    const app = await served({ prefix, baseUrl: 'https://example.org/shop' })
    const { body } = await app.inject({ url, headers: BROWSER })
    expect(listsOf(body)).toEqual([[link, 'Authors', '0 records']])
    await app.close()
  })

  test('has links that stay on the server, also below a part of the address that looks like a scheme', async () => {
    const app = await served({ prefix: '/:tenant', schema: true })
    const { body } = await app.inject({ url: '/javascript:alert(1)', headers: BROWSER })
    expect(listsOf(body)).toEqual([['./javascript:alert(1)/authors/', 'Authors', '0 records']])
    expect(body).not.toContain('"javascript:')
    await app.close()
  })

  test('says in the document that it is there', async () => {
    const app = await served({ openapi: true })
    const { paths }: OpenApiDocument = (await app.inject('/openapi.json')).json()
    expect(paths['/']?.get?.responses).toMatchObject({
      200: { content: { 'application/json': {}, 'text/html': { schema: { type: 'string' } } } },
    })
    await app.close()
  })

  test('can be switched off', async () => {
    const app = await served({ rootPage: false, openapi: true })
    const { headers } = await app.inject({ url: '/', headers: BROWSER })
    expect([headers['content-type'], headers.vary]).toEqual(['application/json; charset=utf-8', undefined])
    const { paths }: OpenApiDocument = (await app.inject('/openapi.json')).json()
    expect(JSON.stringify(paths['/'])).not.toContain('text/html')
    await app.close()
    await expect(served({ rootPage: 'no' })).rejects.toThrow('api: rootPage: must be true or false, not "no"')
  })

  test('keeps the Vary of a plugin', async () => {
    const app = Fastify(serverOptions)
    await app.register(fastifyCors, { origin: ['https://a.example', 'https://b.example'] })
    await app.register(plugin, { database: api.database, resources })
    const origin = 'https://a.example'
    const page = await app.inject({ url: '/', headers: { ...BROWSER, origin } })
    expect(page.headers.vary).toBe('Origin, Accept, Accept-Language')
    const list = await app.inject({ url: '/', headers: { origin } })
    expect(list.headers.vary).toBe('Origin, Accept')
    await app.close()
  })
})
