import { AllowAny, BaseViewSet } from 'viewset'
import { createHandler } from 'viewset/fetch'
import { createTestDatabase, type TestDatabase } from 'viewset/testing'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { sqliteDialect } from '../support/dialects.ts'
import { models } from '../support/models.ts'
import { serializers } from '../support/serializers.ts'

const tables = models(sqliteDialect.kit)

describe('links of viewset/fetch', () => {
  let db: TestDatabase
  beforeAll(async () => {
    db = await createTestDatabase({ schema: tables })
  })
  afterAll(() => db.drop())

  /** The address that the root of the API tells of its resource. */
  async function linkFor(headers: Readonly<Record<string, string>>): Promise<string> {
    const authors = BaseViewSet({
      model: tables.authors,
      serializer: serializers(tables).AuthorReference,
      permissionClasses: [AllowAny],
    })
    const handler = createHandler({ prefix: '/api', database: db.database, resources: { authors } })
    const response = await handler(new Request('http://localhost:3000/api/', { headers }))
    const { data } = (await response.json()) as { readonly data: readonly [{ readonly url: string }] }
    return data[0].url
  }

  test('start with the host that the client asked, where a framework has put its own address in its place', async () => {
    expect(await linkFor({ host: 'books.example.org' })).toBe('http://books.example.org/api/authors/')
  })

  test('start with the address of the request, where it has no header', async () => {
    expect(await linkFor({})).toBe('http://localhost:3000/api/authors/')
  })
})
