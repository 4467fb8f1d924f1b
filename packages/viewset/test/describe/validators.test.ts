import Fastify from 'fastify'
import type { Database, OpenApiDocument } from 'viewset'
import { anyOf, apiKey, bearerJwt, hashApiKey } from 'viewset/auth'
import { resources, serverOptions } from 'viewset/fastify'
import { createTestDatabase, type TestDatabase } from 'viewset/testing'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { DescribedApi } from '../support/described-api.ts'
import { describeOneDialect, type TestDialect } from '../support/dialects.ts'
import { faultsOf } from '../support/document-faults.ts'
import { everyApi } from '../support/every-api.ts'

async function documentOf(database: Database, dialect: TestDialect): Promise<OpenApiDocument> {
  const app = Fastify(serverOptions)
  const { resources: every, openapi } = everyApi(dialect)
  const authenticate = anyOf(
    bearerJwt({ secret: 'a secret of thirty-two characters', algorithms: ['HS256'] }),
    apiKey({ keys: { [hashApiKey('robot')]: { id: 'robot' } } }),
  )
  await app.register(resources, { prefix: '/:tenant/api', database, resources: every, authenticate, openapi })
  const headers = { host: 'api.every.test' }
  return (await app.inject({ url: '/north/api/openapi.json', headers })).json()
}

/** Every schema that has examples, by where it stands. */
function examplesOf(value: unknown, place = '#'): readonly (readonly [schema: string, examples: readonly unknown[]])[] {
  if (typeof value !== 'object' || value === null) return []
  const { examples } = value as { readonly examples?: unknown }
  return [
    ...(Array.isArray(examples) ? [[place, examples] as const] : []),
    ...Object.entries(value).flatMap(([key, part]) =>
      examplesOf(part, `${place}/${key.replaceAll('~', '~0').replaceAll('/', '~1')}`),
    ),
  ]
}

describeOneDialect('the document of an API that uses everything', dialect => {
  let store: TestDatabase
  let document: OpenApiDocument
  beforeAll(async () => {
    store = await createTestDatabase(dialect.server)
    document = await documentOf(store.database, dialect)
  })
  afterAll(() => store.drop())

  test('is right for two validators and a linter', async () => {
    expect(await faultsOf(document)).toEqual([])
  })

  test('has examples, each of which its schema accepts', () => {
    const described = DescribedApi.of(document)
    const examples = examplesOf(document)
    expect(examples.length).toBeGreaterThan(10)
    const wrong = examples.flatMap(([schema, values]) =>
      values.map(value => described.errorsOf(schema, value) && [schema, value, described.errorsOf(schema, value)]),
    )
    expect(wrong.filter(Boolean)).toEqual([])
  })

  test('names each operation once', () => {
    const operations = Object.values(document.paths).flatMap(path => Object.values(path))
    const ids = operations.map(({ operationId }) => String(operationId))
    expect(ids.filter(id => !/^[a-z][A-Za-z0-9]*$/.test(id))).toEqual([])
    expect(new Set(ids).size).toBe(ids.length)
  })

  test('says where it stands, who may ask and what is to be left', () => {
    expect(document).toMatchObject({
      servers: [{ url: 'http://api.every.test/north/api' }],
      components: { securitySchemes: { bearer: { type: 'http' }, apiKey: { type: 'apiKey' } } },
      paths: {
        '/countries/{country}/cities/{id}/': { get: { parameters: [{ name: 'country' }, { name: 'id' }] } },
        '/visits/': { get: { deprecated: true } },
        '/cities/known-sizes/': { get: { deprecated: true } },
      },
    })
  })
})
