import { AllowAny, BaseViewSet } from 'viewset'
import { expect, test } from 'vitest'
import { TestApi } from '../support/api.ts'
import { pgDialect } from '../support/dialects.ts'
import { expectError } from '../support/expect.ts'
import { models } from '../support/models.ts'
import { startPostgresServer } from '../support/postgres-server.ts'
import { serializers } from '../support/serializers.ts'

const UNAVAILABLE = [
  'The database is not available. Please try again.',
  'The connection was lost while saving; the outcome is not known.',
]

test('a database that is restarted under 8 clients', async () => {
  const server = await startPostgresServer()
  const tables = models(pgDialect.kit)
  const dialect = { ...pgDialect, server: { postgres: server.url } }
  const api = await TestApi.start(dialect, {
    tables,
    resources: {
      authors: BaseViewSet({
        model: tables.authors,
        serializer: serializers(tables).AuthorReference,
        permissionClasses: [AllowAny],
      }),
    },
  })
  try {
    let running = true
    const seen = new Map<number, number>()
    const acknowledged: string[] = []
    const client = async (name: string) => {
      while (running) {
        const created = await api.post('/authors/', { name })
        if (created.status === 201) acknowledged.push(created.data<{ id: string }>().id)
        for (const response of [created, await api.get('/authors/?page_size=1')]) {
          seen.set(response.status, (seen.get(response.status) ?? 0) + 1)
          if (response.status !== 503) continue
          expectError(response, 503, UNAVAILABLE.find(message => response.text.includes(message)) ?? 'another message')
          expect(response.headers['retry-after']).toBe('1')
        }
      }
    }
    const clients = Array.from({ length: 8 }, (_, i) => client(`client ${i}`))
    const calls = () => [...seen.values()].reduce((sum, count) => sum + count, 0)
    await expect.poll(calls).toBeGreaterThan(100)

    await server.restart()

    // Clean: as many requests as there are connections, one behind the other, all answered as if nothing had been.
    const burst = async () =>
      (
        await Promise.all(
          Array(20)
            .fill('/authors/')
            .map(path => api.get(path)),
        )
      ).map(r => r.status)
    await expect.poll(burst).toEqual(Array(20).fill(200))
    running = false
    await Promise.all(clients)

    expect([...seen.keys()].toSorted()).toEqual([200, 201, 503])
    const stored = new Set((await api.rows('authors')).flat())
    expect(acknowledged.filter(id => !stored.has(id))).toEqual([])
  } finally {
    await api.close()
    await server.stop()
  }
})
