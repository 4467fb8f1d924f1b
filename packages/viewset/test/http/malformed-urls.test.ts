import Fastify, { type FastifyInstance } from 'fastify'
import { AllowAny, BaseViewSet, type ErrorHandler } from 'viewset'
import { type ResourcesOptions, resources, serverOptions } from 'viewset/fastify'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { english } from '../../src/core/messages/english.ts'
import { german } from '../../src/core/messages/german.ts'
import { useApi } from '../support/api.ts'
import { sqliteDialect } from '../support/dialects.ts'
import { models } from '../support/models.ts'
import { serializers } from '../support/serializers.ts'

const tables = models(sqliteDialect.kit)
const authors = BaseViewSet({
  model: tables.authors,
  serializer: serializers(tables).AuthorReference,
  permissionClasses: [AllowAny],
})
const texts = (text: string) => ({ messages: { en: { 'malformed.url': text } }, languages: ['en'] })
const errorHandler: ErrorHandler = Object.assign(
  (({ code }) => ({ status: 422, body: { title: code } })) satisfies ErrorHandler,
  { schema: {} },
)

/** Fastify answers a malformed URL before it knows the route. */
describe('a malformed URL on a Fastify server', () => {
  const api = useApi(sqliteDialect, { tables, resources: { authors } })
  let app: FastifyInstance
  beforeAll(async () => {
    app = Fastify(serverOptions)
    const register = (prefix: string, options: Partial<ResourcesOptions>) =>
      app.register(resources, { prefix, database: api.database, resources: { authors }, ...options })
    await register('/api', {})
    await register('/api/inner', texts('The inner API.'))
    await register('/:tenant/own', texts('The API of a tenant.'))
    await register('/fixed/own', texts('The API with a fixed path.'))
    await register('/project', { errorHandler })
    await register('/codes', { errorCodes: true })
  })
  afterAll(() => app.close())

  const ask = async (url: string, accepted = 'de') => {
    const response = await app.inject({ url, headers: { 'accept-language': accepted, 'x-request-id': 'asked' } })
    return { status: response.statusCode, headers: response.headers, body: response.json() }
  }

  test.each([
    ['/api/%zz/', german['malformed.url']],
    ['/api/authors/%zz/?x=/api/inner/', german['malformed.url']],
    ['/api/inner/%zz/', 'The inner API.'],
    ['/api/innermost/%zz/', german['malformed.url']],
    ['/a/own/%zz/', 'The API of a tenant.'],
    ['/fixed/own/%zz/', 'The API with a fixed path.'],
  ])('has the answer of the API with the longest prefix: %s', async (url, text) => {
    const { status, headers, body } = await ask(url)
    expect([status, body.message]).toEqual([400, text])
    expect(headers).toMatchObject({
      'content-language': text === german['malformed.url'] ? 'de' : 'en',
      'content-type': 'application/json; charset=utf-8',
      'x-request-id': 'asked',
    })
  })

  test.each([
    ['de', german['malformed.url'], 'de'],
    ['nl', english['malformed.url'], 'en'],
  ])('outside of all APIs has a language of Viewset: %s', async (accepted, text, language) => {
    const { status, headers, body } = await ask('/%zz/', accepted)
    expect([status, body.message]).toEqual([400, text])
    expect(headers).toMatchObject({ 'content-language': language, vary: 'Accept-Language' })
  })

  test.each(['/api/%zz/', '/%zz/'])('answers HEAD with the headers of GET: %s', async url => {
    const [get, head] = [await app.inject(url), await app.inject({ method: 'HEAD', url })]
    expect([head.statusCode, head.body]).toEqual([400, ''])
    expect(head.headers).toMatchObject({
      'content-length': String(Buffer.byteLength(get.body)),
      'content-language': 'en',
      vary: 'Accept-Language',
    })
  })

  test('has the JSON of its project', async () => {
    const { status, headers, body } = await ask('/project/%zz/')
    expect([status, body, headers['x-request-id']]).toEqual([422, { title: 'validation_error' }, 'asked'])
  })

  test('has the error codes of its API', async () => {
    expect((await ask('/codes/%zz/')).body.codes).toEqual({ non_field_errors: ['malformed'] })
  })

  test('has the answer of its own server, if a process has several', async () => {
    const other = Fastify(serverOptions)
    await other.register(resources, {
      prefix: '/api',
      database: api.database,
      resources: { authors },
      ...texts('Other'),
    })
    expect((await other.inject('/api/%zz/')).json().message).toBe('Other')
    expect((await ask('/api/%zz/', 'en')).body.message).toBe(english['malformed.url'])
    await other.close()
  })
})
