import { AllowAny, BulkViewSet } from 'viewset'
import { expect, test, vi } from 'vitest'
import { TestApi } from '../support/api.ts'
import { describeOneDialect } from '../support/dialects.ts'
import { expectError, nonField, uuid } from '../support/expect.ts'
import { models, seed } from '../support/models.ts'
import { serializers } from '../support/serializers.ts'

describeOneDialect('the settings COMMON', dialect => {
  const tables = models(dialect.kit)
  const { ArticleSerializer } = serializers(tables)
  const resources = {
    articles: BulkViewSet({ model: tables.articles, serializer: ArticleSerializer, permissionClasses: [AllowAny] }),
  }

  /** Reads a datetime without an offset, and tells how many items a bulk request may have. */
  async function settingsAtWork(api: TestApi): Promise<{ publishedAt: unknown; batchSize: number }> {
    await seed(api.database, tables, { authors: [{ id: uuid(1), name: 'Ada' }] })
    const item = (i: number) => ({ title: `A${i}`, author: uuid(1), published_at: '2026-01-15T10:30:00' })
    const created = await api.post('/articles/', item(0))
    const refused = await api.post(
      '/articles/bulk-create/',
      Array.from({ length: 1001 }, (_, i) => item(i + 1)),
    )
    const sentence = refused.envelope().message
    expectError(refused, 400, sentence, nonField(sentence))
    return { publishedAt: created.data().published_at, batchSize: Number(/\d+/.exec(sentence)) }
  }

  test.each([
    [undefined, {}, { publishedAt: '2026-01-15T10:30:00.000000Z', batchSize: 1000 }],
    [
      { COMMON: { TIME_ZONE: 'Europe/Berlin', BULK_OPERATION_BATCH_SIZE: 500 } },
      {},
      { publishedAt: '2026-01-15T09:30:00.000000Z', batchSize: 500 },
    ],
    [
      { COMMON: { TIME_ZONE: 'Europe/Berlin', BULK_OPERATION_BATCH_SIZE: 500 } },
      { COMMON_TIME_ZONE: 'Asia/Tokyo', COMMON_BULK_OPERATION_BATCH_SIZE: '7' },
      { publishedAt: '2026-01-15T01:30:00.000000Z', batchSize: 7 },
    ],
  ])('registered as %j, with the environment %j, are %j', async (settings, environment, expected) => {
    for (const [name, value] of Object.entries(environment)) vi.stubEnv(name, value)
    const api = await TestApi.start(dialect, { tables, resources, ...(settings && { settings }) })
    try {
      expect(await settingsAtWork(api)).toEqual(expected)
    } finally {
      vi.unstubAllEnvs()
      await api.close()
    }
  })

  test('of the environment stop the start where they are wrong', async () => {
    vi.stubEnv('COMMON_TIME_ZONE', 'Mars/Olympus')
    try {
      await expect(TestApi.start(dialect, { tables, resources })).rejects.toThrow(
        'settings.COMMON: environment variable COMMON_TIME_ZONE: "Mars/Olympus" is not an IANA time zone',
      )
    } finally {
      vi.unstubAllEnvs()
    }
  })
})
