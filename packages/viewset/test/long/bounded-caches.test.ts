import { AllowAny, BaseModelSerializer, boundedCount, ReadOnlyViewSet, StandardPageNumberPagination } from 'viewset'
import { expect, test } from 'vitest'
import { useApi } from '../support/api.ts'
import { CountingDriver } from '../support/counting-driver.ts'
import { describeDialects } from '../support/dialects.ts'
import { megabytesKept } from '../support/memory.ts'
import { models, seed, uuidOf } from '../support/models.ts'

describeDialects('what requests bring is not remembered without end:', dialect => {
  const tables = models(dialect.kit)
  const { articles } = tables
  /** Remembers all counts but those of empty lists. */
  class BoundedPages extends StandardPageNumberPagination {
    override readonly countStrategy = boundedCount({ limit: 0 })
  }
  const columns = ['title', 'body', 'status', 'price', 'rating', 'views', 'featured', 'reference'] as const
  const common = {
    model: articles,
    serializer: BaseModelSerializer(articles, { fields: ['id', ...columns] }),
    permissionClasses: [AllowAny],
  } as const
  const api = useApi(dialect, {
    tables,
    resources: {
      articles: ReadOnlyViewSet({
        ...common,
        searchFields: ['title', 'body', 'author__name', 'author__email', 'editor__name', 'editor__email'],
      }),
      bounded: ReadOnlyViewSet({ ...common, paginationClass: BoundedPages, filterFields: { title: ['gt'] } }),
    },
  })
  /** Megabytes that requests leave behind, apart from what the test's own driver writes down. */
  const keptBy = (from: number, to: number, ask: (i: number) => Promise<unknown>) =>
    megabytesKept(async () => {
      for (let i = from; i < to; i++) await ask(i)
      if (api.database.driver instanceof CountingDriver) api.database.driver.statements.length = 0
    })

  test('names of fields that there are not', async () => {
    const ask = (request: number) => {
      const includes = Array.from({ length: 15_000 }, (_, i) => `unknownFieldOfNobody${request}x${i}`)
      return api.post('/articles/export/', { file_type: 'csv', includes })
    }
    expect((await ask(0)).status).toBe(400)
    expect(await keptBy(1, 20, ask)).toBeLessThan(5)
  })

  test('orderings and searches, each another one', async () => {
    const ask = (i: number) => api.get(`/articles/?ordering=${permutation(columns, i).join()}&search=a+b+c+d+e+f+g+h`)
    expect((await ask(0)).status).toBe(200)
    // As much as is kept at most, and then no more.
    await keptBy(1, 520, ask)
    expect(await keptBy(520, 720, ask)).toBeLessThan(1)
  })

  test('values to filter by, however long', async () => {
    await seed(api.database, tables, {
      authors: [{ id: uuidOf.ada, name: 'Ada' }],
      articles: [{ id: uuidOf.article, title: 'z', author: uuidOf.ada }],
    })
    const ask = (i: number) => api.get(`/bounded/?title__gt=${i}${'x'.repeat(10_000)}`)
    expect((await ask(0)).envelope().count).toBe(1)
    expect(await keptBy(1, 600, ask)).toBeLessThan(3)
  })
})

/** Another order of the items for each number. */
function permutation<T>(items: readonly T[], number: number): T[] {
  const left = [...items]
  let rest = number
  return items.map((_, taken) => {
    const base = items.length - taken
    const [item] = left.splice(rest % base, 1)
    rest = Math.floor(rest / base)
    return item as T
  })
}
