import { once } from 'node:events'
import { SignJWT } from 'jose'
import type { BrowserContextOptions } from 'playwright-core'
import { BaseViewSet, IsAuthenticated, IsAuthenticatedOrReadOnly, importModel } from 'viewset'
import { anyOf, apiKey, bearerJwt, hashApiKey } from 'viewset/auth'
import { describe, expect, test } from 'vitest'
import { type ApiOptions, useApi } from '../support/api.ts'
import { accessibilityViolations, useBrowser } from '../support/browser.ts'
import { sqliteDialect } from '../support/dialects.ts'
import { uuid } from '../support/expect.ts'
import { FullViewSet } from '../support/full-viewset.ts'
import { models } from '../support/models.ts'
import { answerOf, ReferencePage } from '../support/reference-page.ts'
import { serializers } from '../support/serializers.ts'
import { stripPath } from '../support/stripping-proxy.ts'

const tables = models(sqliteDialect.kit)
const { authors } = tables
const { ArticleSerializer, AuthorSerializer } = serializers(tables)
const common = { permissionClasses: [IsAuthenticatedOrReadOnly], exportPermissionClasses: [IsAuthenticated] }
const resources = {
  articles: BaseViewSet({ ...common, model: tables.articles, serializer: ArticleSerializer }),
  authors: FullViewSet({
    ...common,
    model: authors,
    serializer: AuthorSerializer,
    upsertFields: ['email'],
    importPermissionClasses: [IsAuthenticated],
    importFileConfig: {
      fileFormat: 'csv',
      order: ['authors'],
      models: { authors: importModel({ model: authors, fields: ['name', 'email'], uniqueFields: ['email'] }) },
    },
  }),
}
const secret = 'a secret of more than thirty-two bytes'
const options: ApiOptions = {
  tables,
  resources,
  openapi: { info: { title: 'Publishing house' } },
  docs: true,
  authenticate: anyOf(bearerJwt({ secret }), apiKey({ keys: { [hashApiKey('robot-key')]: { id: uuid(902) } } })),
}
const token = await new SignJWT({})
  .setProtectedHeader({ alg: 'HS256' })
  .setSubject(uuid(901))
  .setExpirationTime('1h')
  .sign(new TextEncoder().encode(secret))

const UNAUTHORIZED = 'logged Failed to load resource: the server responded with a status of 401 (Unauthorized)'

const browser = useBrowser()

async function open(address: string, context: BrowserContextOptions = {}): Promise<ReferencePage> {
  return new ReferencePage(await browser.newPage(context)).open(address)
}

/** An API that listens, of which the tests of the surrounding suite know the address. */
function useServer(changes: Partial<ApiOptions> = {}): { address(): Promise<string>; rows(): Promise<unknown> } {
  const api = useApi(sqliteDialect, { ...options, ...changes })
  return {
    address: async () => {
      return `http://127.0.0.1:${await api.listen()}`
    },
    rows: async () => (await api.rows('authors')).length,
  }
}

describe('the reference page in a browser without a network', () => {
  const server = useServer()
  const openPage = async (context?: BrowserContextOptions) => open(`${await server.address()}/api/docs/`, context)

  test('is called as the document, and shows the operations of each resource', async () => {
    const page = await openPage()
    expect(await page.page.title()).toBe('Publishing house')
    expect(await page.tags()).toEqual(['articles', 'authors', 'api'])
    const { paths } = await page.document()
    expect((await page.operations()).toSorted()).toEqual(
      Object.entries(paths)
        .flatMap(([path, methods]) => Object.keys(methods).map(method => `${method.toUpperCase()} ${path}`))
        .toSorted(),
    )
  })

  test('tries out a request of nobody, and shows the envelope of its refusal', async () => {
    const page = await openPage()
    const operation = await page.tryOut('POST', '/authors/')
    await operation.locator('textarea').fill('{"name": "Ada"}')
    const { status, body } = await answerOf(operation)
    expect([status, JSON.parse(body)]).toMatchObject(['401', { success: false, data: null }])
    expect(browser.problems.splice(0)).toEqual([UNAUTHORIZED])
  })

  test.each([
    ['bearer', token, uuid(901)],
    ['apiKey', 'robot-key', uuid(902)],
  ])('signs in by %s, and tries out requests with and without a body', async (scheme, value) => {
    const page = await openPage()
    await page.signIn(scheme, value)
    const create = await page.tryOut('POST', '/authors/')
    await create.locator('textarea').fill('{"name": "Ada", "email": "ada@example.org"}')
    const created = await answerOf(create)
    expect([created.status, JSON.parse(created.body)]).toMatchObject(['201', { success: true, data: { name: 'Ada' } }])
    const list = await page.tryOut('GET', '/authors/')
    await list.locator('[data-param-name="page_size"] input').fill('5')
    const listed = await answerOf(list)
    expect([listed.status, JSON.parse(listed.body)]).toMatchObject([
      '200',
      { success: true, count: 1, next: null, data: [{ index: 1, name: 'Ada', email: 'ada@example.org' }] },
    ])
  })

  test('sends a file to an import, and gives the file of an export to keep', async () => {
    const page = await openPage()
    await page.signIn('bearer', token)
    const imports = await page.tryOut('POST', '/authors/import-from-file/')
    const buffer = Buffer.from('name,email\nAda,ada@example.org\nBob,bob@example.org\n')
    await imports
      .locator('input[type=file][aria-label=file]')
      .setInputFiles({ name: 'authors.csv', mimeType: 'text/csv', buffer })
    const imported = await answerOf(imports)
    expect([imported.status, JSON.parse(imported.body)]).toMatchObject(['201', { data: { processed: 2, created: 2 } }])
    const exports = await page.tryOut('POST', '/authors/export/')
    expect(await exports.locator('[data-code="200"] .example').innerText()).toBe('a file')
    await exports.locator('textarea').fill('{"file_type": "xlsx"}')
    await exports.getByRole('button', { name: 'Execute' }).click()
    const download = page.page.waitForEvent('download')
    await exports.getByText('Download file').click()
    expect((await download).suggestedFilename()).toMatch(/^authors_\d{8}_\d{6}\.xlsx$/)
    expect(await server.rows()).toBe(2)
  })

  test('can be used without seeing it, or without a mouse', async () => {
    const page = await openPage()
    expect(await page.colorScheme()).toBe('normal')
    await answerOf(await page.tryOut('GET', '/authors/'))
    const imports = await page.tryOut('POST', '/authors/import-from-file/')
    await imports.getByText('Schema', { exact: true }).first().click()
    expect(await accessibilityViolations(page.page)).toEqual({})
  })

  test('has the dark colours of a dark system, with contrast enough', async () => {
    const page = await openPage({ colorScheme: 'dark' })
    expect(await page.colorScheme()).toBe('dark')
    await page.tryOut('DELETE', '/authors/{id}/')
    expect(await accessibilityViolations(page.page)).toEqual({})
  })

  test('lets everybody use its dialog to sign in', async () => {
    const page = await openPage()
    await page.page.locator('.auth-wrapper .authorize').first().click()
    expect(await accessibilityViolations(page.page)).toEqual({})
  })

  test.each([1280, 360])('fits a window of %d pixels', async width => {
    const page = await openPage({ viewport: { width, height: 800 } })
    await page.tryOut('GET', '/articles/')
    await page.tryOut('PATCH', '/authors/bulk-update/')
    await page.tryOut('POST', '/authors/import-from-file/')
    await page.screenshot(`reference-page-${width}`)
    expect(await page.page.evaluate('document.documentElement.scrollWidth')).toBe(width)
  })
})

describe('the reference page of an API at', () => {
  describe.each(['/api', '/', '/a/b'])('%s', prefix => {
    const server = useServer({ prefix })

    test.each(['docs', 'docs/?x=1'])('GET %s', async path => {
      const base = (await server.address()) + prefix.replace(/\/?$/, '/')
      const page = await open(base + path)
      expect(page.page.url().split('#', 1)).toEqual([`${base}docs/${path.slice('docs/'.length)}`])
      const { status, body } = await answerOf(await page.tryOut('GET', '/authors/'))
      expect([status, JSON.parse(body)]).toMatchObject(['200', { success: true, count: 0, data: [] }])
    })
  })

  describe('a path that a proxy takes away', () => {
    const server = useServer()

    test.each(['docs', 'docs/'])('GET %s', async path => {
      const { address, server: proxy } = await stripPath('/tools/shop', await server.address())
      const page = await open(`${address}/api/${path}`)
      expect(page.page.url().split('#', 1)).toEqual([`${address}/api/docs/`])
      const { status, body } = await answerOf(await page.tryOut('GET', '/authors/'))
      expect([status, JSON.parse(body)]).toMatchObject(['200', { success: true, count: 0, data: [] }])
      proxy.close()
      proxy.closeAllConnections()
      await once(proxy, 'close')
    })
  })
})

describe('the reference page of a document that not everybody may read', () => {
  const server = useServer({ openapi: { permissionClasses: [IsAuthenticated] }, docs: { title: 'Publishing house' } })

  test('says so, and shows the document to who signs in', async () => {
    const page = await open(`${await server.address()}/api/docs/`)
    expect(await page.page.title()).toBe('Publishing house')
    expect(await page.description()).toBe(
      'Authentication credentials were not provided. Send the header "Authorization: Bearer <token>" or "x-api-key: <key>". Choose “Authorize” to sign in.',
    )
    expect(await page.tags()).toEqual([])
    expect(await accessibilityViolations(page.page)).toEqual({})
    await page.signIn('bearer', 'wrong')
    await expect.poll(() => page.description()).toBe('The token is not valid. Choose “Authorize” to sign in.')
    expect(browser.problems.splice(0)).toEqual([UNAUTHORIZED, UNAUTHORIZED])
    await page.signIn('bearer', token)
    await expect.poll(() => page.tags()).toEqual(['articles', 'authors', 'api'])
    const { status, body } = await answerOf(await page.tryOut('GET', '/authors/'))
    expect([status, JSON.parse(body)]).toMatchObject(['200', { success: true, count: 0, data: [] }])
  })

  test('shows it to who signs in by an API key', async () => {
    const page = await open(`${await server.address()}/api/docs/`)
    expect(browser.problems.splice(0)).toEqual([UNAUTHORIZED])
    await page.signIn('apiKey', 'robot-key')
    await expect.poll(() => page.tags()).toEqual(['articles', 'authors', 'api'])
  })
})
