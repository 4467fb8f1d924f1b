import { validate as validateByHyperjump } from '@hyperjump/json-schema/openapi-3-1'
import { createConfig, lintFromString } from '@redocly/openapi-core'
import { Validator } from '@seriousme/openapi-schema-validator'
import Fastify from 'fastify'
import type { Database, OpenApiDocument } from 'viewset'
import { anyOf, apiKey, bearerJwt, hashApiKey } from 'viewset/auth'
import { resources, serverOptions } from 'viewset/fastify'
import { createTestDatabase, type TestDatabase } from 'viewset/testing'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { DescribedApi } from '../support/described-api.ts'
import { describeDialects, type TestDialect } from '../support/dialects.ts'
import { everyApi } from '../support/every-api.ts'

/** What our addresses are made on purpose: those of Django end with a slash. */
const BY_DESIGN = { 'no-path-trailing-slash': 'off' } as const

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

describeDialects('the document of an API that uses everything', dialect => {
  let store: TestDatabase
  let document: OpenApiDocument
  beforeAll(async () => {
    store = await createTestDatabase(dialect.server)
    document = await documentOf(store.database, dialect)
  })
  afterAll(() => store.drop())

  test('is one of OpenAPI 3.1', async () => {
    expect(await new Validator().validate({ ...document })).toEqual({ valid: true })
  })

  test('is one for a second validator, which judges its schemas as well', async () => {
    const validate = await validateByHyperjump('https://spec.openapis.org/oas/3.1/schema-base')
    const output = validate(JSON.parse(JSON.stringify(document)), 'DETAILED')
    expect(output).toMatchObject({ valid: true })
  })

  test('leaves a linter nothing to say', async () => {
    const config = await createConfig({ extends: ['recommended'], rules: BY_DESIGN })
    const problems = await lintFromString({ source: JSON.stringify(document), config })
    expect(problems.map(({ ruleId, message, location: [at] }) => `${ruleId}: ${message} ${at?.pointer}`)).toEqual([])
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
