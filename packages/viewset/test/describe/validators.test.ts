import Fastify from 'fastify'
import type { Database, OpenApiDocument } from 'viewset'
import { anyOf, apiKey, bearerJwt, hashApiKey } from 'viewset/auth'
import { resources, serverOptions } from 'viewset/fastify'
import { createTestDatabase, type TestDatabase } from 'viewset/testing'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { describeOneDialect, type TestDialect } from '../support/dialects.ts'
import { faultsOf } from '../support/document-faults.ts'
import { everyApi } from '../support/every-api.ts'
import { examplesOf, wrongExamplesOf } from '../support/wrong-examples.ts'

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
    expect(examplesOf(document).length).toBeGreaterThan(20)
    expect(wrongExamplesOf(document)).toEqual([])
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
