import fc from 'fast-check'
import { AllowAny, BulkViewSet } from 'viewset'
import { expect, test } from 'vitest'
import { useApi } from '../support/api.ts'
import { cases } from '../support/cases.ts'
import { describeDialects } from '../support/dialects.ts'
import { uuid } from '../support/expect.ts'
import { models, seed } from '../support/models.ts'
import { serializers } from '../support/serializers.ts'

type Item = Record<string, unknown>

const author = fc.constantFrom(uuid(1), uuid(2))
const text = fc
  .string({ unit: 'grapheme', maxLength: 12 })
  .map(value => value.trim())
  .filter(value => value !== '' && !value.includes('\0') && value.isWellFormed())
const nullable = <T>(value: fc.Arbitrary<T>) => fc.option(value, { nil: null })

const scalar = fc.oneof(text, fc.boolean(), fc.integer())

/** What a client may write of an article, but for its title, which has to be unique. */
const fields = {
  body: nullable(text),
  editor: nullable(author),
  status: fc.constantFrom('draft', 'published'),
  price: nullable(fc.integer({ min: -99_999_999, max: 99_999_999 }).map(cents => (cents / 100).toFixed(2))),
  rating: nullable(fc.integer({ min: -(2 ** 31), max: 2 ** 31 - 1 })),
  views: nullable(
    fc
      .bigInt({ min: -(2n ** 63n), max: 2n ** 63n - 1n })
      .map(value => (Number.isSafeInteger(Number(value)) ? Number(value) : String(value))),
  ),
  featured: fc.boolean(),
  released_on: nullable(fc.constantFrom('2026-01-15', '1969-12-31', '2024-02-29')),
  published_at: nullable(fc.constantFrom('2026-01-15T10:30:00.123456Z', '1999-12-31T23:59:59.999999Z')),
  reference: nullable(fc.uuid()),
  metadata: nullable(
    fc.oneof(scalar, fc.array(scalar, { maxLength: 3 }), fc.dictionary(fc.constantFrom('a', 'b c', 'ä'), scalar)),
  ),
}
const partial = fc.record(fields, { requiredKeys: [] })

describeDialects('bulk, for random batches,', dialect => {
  const tables = models(dialect.kit)
  const { ArticleSerializer } = serializers(tables)
  const settings = { model: tables.articles, serializer: ArticleSerializer, permissionClasses: [AllowAny] }
  const api = useApi(dialect, {
    tables,
    resources: {
      articles: BulkViewSet(settings),
      saved: BulkViewSet({ ...settings, useSaveOnBulkUpdate: true }),
    },
  })
  const authors: Readonly<Record<string, object>> = {
    [uuid(1)]: { id: uuid(1), name: 'Ada' },
    [uuid(2)]: { id: uuid(2), name: 'Bob' },
  }
  /** What a client reads of what it wrote. */
  const shown = (item: Item): Item => ({
    ...item,
    ...('author' in item && { author: authors[String(item.author)] }),
    ...('editor' in item && { editor: item.editor === null ? null : authors[String(item.editor)] }),
  })
  const stored = async () => {
    const list = (await api.get('/articles/?paginated=false')).data<Item[]>()
    return new Map(list.map(({ index, ...article }) => [article.id, article]))
  }
  const start = async () => {
    await api.clear()
    await seed(api.database, tables, {
      authors: [
        { id: uuid(1), name: 'Ada' },
        { id: uuid(2), name: 'Bob' },
      ],
    })
  }
  let titles = 0
  const create = async (batch: readonly Item[]) => {
    const items = batch.map(item => ({ ...item, title: `T${titles++}`, author: uuid(1) }))
    return { items, response: await api.post('/articles/bulk-create/', items) }
  }

  test('the answer to a create is what was sent, and what is stored', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(partial, { minLength: 1, maxLength: 12 }), async batch => {
        await start()
        const { items, response } = await create(batch)
        expect(response.status, response.text).toBe(201)
        const answered = response.data<Item[]>()
        expect(answered).toMatchObject(items.map(shown))
        const database = await stored()
        expect(answered).toEqual(answered.map(({ id }) => database.get(id)))
        expect(database.size).toBe(items.length)
      }),
      { numRuns: cases(40) },
    )
  })

  test.each([
    ['PATCH', 'articles'],
    ['PATCH', 'saved'],
    ['PUT', 'articles'],
  ] as const)(
    'the answer to a %s of %s is the old record with what was sent, and what is stored',
    async (method, resource) => {
      const batches = fc.array(fc.tuple(partial, partial, fc.integer(), fc.boolean()), { minLength: 1, maxLength: 12 })
      await fc.assert(
        fc.asyncProperty(batches, async batch => {
          await start()
          const before = (await create(batch.map(([first]) => first))).response.data<Item[]>()
          const chosen = batch
            .map(([, change, rank, included], i) => {
              const required = method === 'PUT' ? { title: `N${titles++}`, author: uuid(2) } : {}
              return { item: { ...change, ...required, id: before[i]?.id }, rank, included }
            })
            .filter(({ included }, i) => included || i === 0)
            .sort((a, b) => a.rank - b.rank)
          const items = chosen.map(({ item }) => item)
          const response = await api.request(method, `/${resource}/bulk-update/`, { body: items })
          expect(response.status, response.text).toBe(200)
          const answered = response.data<Item[]>()
          const old = new Map(before.map(article => [article.id, article]))
          expect(answered).toEqual(items.map(item => ({ ...old.get(item.id), ...shown(item) })))
          const database = await stored()
          for (const article of answered) expect(database.get(article.id)).toEqual(article)
          // What was not in the body is as it was.
          const touched = new Set(items.map(({ id }) => id))
          for (const article of before) if (!touched.has(article.id)) expect(database.get(article.id)).toEqual(article)
        }),
        { numRuns: cases(25) },
      )
    },
  )
})
