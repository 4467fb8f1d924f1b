import { readFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import Fastify from 'fastify'
import { AllowAny, ConfigError, IsAuthenticated, ReadOnlyViewSet } from 'viewset'
import { resources as plugin, type ResourcesOptions, serverOptions } from 'viewset/fastify'
import { describe, expect, test } from 'vitest'
import { pageFiles } from '../../src/describe/docs/reference-page.ts'
import { useApi } from '../support/api.ts'
import { sqliteDialect } from '../support/dialects.ts'
import { expectError, expectNotAllowed } from '../support/expect.ts'
import { models, users } from '../support/models.ts'
import { serializers } from '../support/serializers.ts'

/** No database is asked here, so one is enough. */
const tables = models(sqliteDialect.kit)
const serializer = serializers(tables).AuthorReference
const resources = { authors: ReadOnlyViewSet({ model: tables.authors, serializer, permissionClasses: [AllowAny] }) }
const FILES = ['swagger-ui.css', 'page.css', 'swagger-ui-bundle.js', 'page.js']
const locate = createRequire(import.meta.url).resolve

/** What the page loads, as it stands in its HTML. */
function linksOf(html: string): string[] {
  return [...html.matchAll(/ (?:href|src)="([^"#:]+\?[^"]*)"/g)].map(([, link = '']) => link)
}

describe('the reference page', () => {
  const api = useApi(sqliteDialect, { tables, users, resources, openapi: true, docs: true })

  test('is a page that may load its own files and nothing else, and runs no script of its own', async () => {
    const { status, headers, text } = await api.get('/docs/')
    expect([status, headers['content-type'], headers['cache-control']]).toEqual([
      200,
      'text/html; charset=utf-8',
      'no-cache',
    ])
    expect(headers['content-security-policy']).toBe(
      "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; " +
        "base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
    )
    expect(headers['x-content-type-options']).toBe('nosniff')
    expect(text.match(/<script\b[^>]*>[^<]|<style|\son\w+=|\sstyle=/g)).toBeNull()
    expect(text).not.toMatch(/https?:|"\//)
    expect(linksOf(text).map(link => link.split('?', 1)[0])).toEqual(FILES)
  })

  test('without its slash leads to itself, by a link that a proxy cannot break', async () => {
    const { status, headers, text } = await api.get('/docs?x=1')
    expect([status, headers.location, text]).toEqual([307, 'docs/', ''])
  })

  test('gives each file for ever at the address with its version, and asks again at others', async () => {
    for (const link of linksOf((await api.get('/docs/')).text)) {
      const name = link.split('?', 1)[0] ?? ''
      const file = await api.get(`/docs/${link}`)
      expect([name, file.status, file.headers['cache-control']]).toEqual([name, 200, 'max-age=31536000, immutable'])
      expect(file.headers['content-type']).toBe(`text/${name.endsWith('.js') ? 'javascript' : 'css'}; charset=utf-8`)
      expect(file.headers['x-content-type-options']).toBe('nosniff')
      const path = name.startsWith('page')
        ? new URL(`../../src/describe/docs/${name}`, import.meta.url)
        : locate(`swagger-ui-dist/${name}`)
      expect(file.bytes.equals(await readFile(path))).toBe(true)
      for (const old of [`/docs/${name}`, `/docs/${name}?v=0`]) {
        expect((await api.get(old)).headers['cache-control']).toBe('no-cache')
      }
    }
  })

  test('gives no other file of its packages', async () => {
    const others = [
      'package.json',
      'index.html',
      'swagger-ui.css.map',
      '../docs/page.css/x',
      '..%2fpackage.json',
      'page.ts',
    ]
    for (const name of others) expectError(await api.get(`/docs/${name}`), 404, 'There is nothing at this address.')
  })

  test('answers HEAD and OPTIONS, and refuses all else with 405', async () => {
    for (const path of ['/docs/', '/docs/page.js']) {
      const head = await api.request('HEAD', path)
      expect([head.status, head.text]).toEqual([200, ''])
      expect((await api.request('OPTIONS', path)).headers.allow).toBe('GET, HEAD, OPTIONS')
      expectNotAllowed(await api.post(path), 'POST')
    }
  })

  test('asks no database', async () => {
    expect(await api.statementsOf(() => api.get('/docs/', { as: 'ann' }))).toEqual([])
  })

  test('is no part of the document that it shows', async () => {
    const { paths } = JSON.parse((await api.get('/openapi.json')).text)
    expect(Object.keys(paths).filter(path => path.includes('docs'))).toEqual([])
  })
})

describe('the reference page and its options', () => {
  const api = useApi(sqliteDialect, {
    tables,
    users,
    resources,
    openapi: { info: { title: 'Books "R" <us> & you' }, permissionClasses: [IsAuthenticated] },
    docs: true,
  })

  /** The answers of another API with these options. */
  async function answersOf(options: Partial<ResourcesOptions>, ...paths: string[]) {
    const app = Fastify(serverOptions)
    await app.register(plugin, { prefix: '/api', database: api.database, resources, ...options })
    const answers = []
    for (const path of paths) answers.push(await app.inject(path))
    await app.close()
    return answers
  }

  test('is called as the document, and its title is text', async () => {
    expect((await api.get('/docs/')).text).toContain('<title>Books &#34;R&#34; &#60;us&#62; &#38; you</title>')
    const [named] = await answersOf(
      { openapi: { info: { title: 'Shop' } }, docs: { title: 'Shop, inside' } },
      '/api/docs/',
    )
    expect(named?.body).toContain('<title>Shop, inside</title>')
    const [plain] = await answersOf({ openapi: true, docs: true }, '/api/docs/')
    expect(plain?.body).toContain('<title>API</title>')
  })

  test('is there for all, although the document is not', async () => {
    expect((await api.get('/docs/')).status).toBe(200)
    expect((await api.get('/openapi.json')).status).toBe(401)
    expect((await api.get('/docs/')).text).toContain('data-security-schemes="{&#34;bearer&#34;:{')
  })

  test('may be behind permissions with all of its files', async () => {
    const paths = ['/api/docs/', '/api/docs', ...FILES.map(name => `/api/docs/${name}`)]
    const docs = { permissionClasses: [IsAuthenticated] }
    expect((await answersOf({ openapi: true, docs }, ...paths)).map(({ statusCode }) => statusCode)).toEqual(
      paths.map(() => 401),
    )
    const answers = await answersOf({ openapi: true, docs, authenticate: () => ({ id: 'ann' }) }, ...paths)
    expect(answers.map(({ statusCode }) => statusCode)).toEqual([200, 307, 200, 200, 200, 200])
  })

  test('is off by default', async () => {
    expect((await answersOf({ openapi: true }, '/api/docs/')).map(({ statusCode }) => statusCode)).toEqual([404])
  })

  test('needs the document', async () => {
    await expect(answersOf({ docs: true })).rejects.toThrow(
      new ConfigError('api', 'docs', 'shows the document of the option openapi; switch that on too'),
    )
  })

  test('needs its renderer, and says so at start', () => {
    const missing = () => {
      throw new Error('Cannot find module')
    }
    expect(() => pageFiles(missing)).toThrow(
      new ConfigError('api', 'docs', 'needs a package that is not installed: npm install swagger-ui-dist'),
    )
  })
})
