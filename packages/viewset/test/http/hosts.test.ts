import { AllowAny, ReadOnlyViewSet } from 'viewset'
import { beforeEach, expect, test } from 'vitest'
import { useApi } from '../support/api.ts'
import { describeOneDialect } from '../support/dialects.ts'
import { expectError, nonField, uuid } from '../support/expect.ts'
import { models, seed } from '../support/models.ts'
import { serializers } from '../support/serializers.ts'

// A `Request` has an address in place of this header, so this is about Fastify.
describeOneDialect('links', dialect => {
  const tables = models(dialect.kit)
  const api = useApi(dialect, {
    tables,
    server: { trustProxy: '127.0.0.1' },
    resources: {
      authors: ReadOnlyViewSet({
        model: tables.authors,
        serializer: serializers(tables).AuthorReference,
        permissionClasses: [AllowAny],
      }),
    },
  })
  const headers = { 'x-forwarded-host': 'api.example.org', 'x-forwarded-proto': 'https' }
  const nextFor = async (remoteAddress: string) => {
    const response = await api.app.inject({ url: '/api/authors/?page_size=1', headers, remoteAddress })
    return response.json<{ next: string }>().next
  }

  // A list has a link only where there is another page.
  beforeEach(() =>
    seed(api.database, tables, {
      authors: [
        { id: uuid(1), name: 'Ada' },
        { id: uuid(2), name: 'Bob' },
      ],
    }),
  )

  test.each(['evil.example/path', 'evil.example?x='])('are refused for the host %j', async host => {
    const message = 'The Host header is malformed.'
    const response = await api.get('/authors/?page_size=1', { headers: { host } })
    expectError(response, 400, message, nonField(message))
  })

  test('start with what the proxy says, if that one is trusted', async () => {
    expect(await nextFor('127.0.0.1')).toBe('https://api.example.org/api/authors/?page_size=1&page=2')
    expect(await nextFor('203.0.113.9')).toBe('http://localhost:80/api/authors/?page_size=1&page=2')
  })
})
