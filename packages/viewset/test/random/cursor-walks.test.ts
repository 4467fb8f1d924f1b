import { eq, sql } from 'drizzle-orm'
import fc from 'fast-check'
import { AllowAny, BaseModelSerializer, CursorPagination, currentDb, ReadOnlyViewSet } from 'viewset'
import { expect, test } from 'vitest'
import { useApi } from '../support/api.ts'
import { cases } from '../support/cases.ts'
import { describeDialects } from '../support/dialects.ts'
import { uuid } from '../support/expect.ts'
import { models, seed } from '../support/models.ts'

const WRITERS = [
  { id: uuid(1), name: 'Zoë' },
  { id: uuid(2), name: 'ada' },
  { id: uuid(3), name: 'Ada' },
]
const writer = fc.constantFrom(...WRITERS.map(({ id }) => id))
const orNull = <T>(values: readonly T[]) => fc.constantFrom(null, ...values)

/** Few values, so that there are many ties and NULLs. */
const article = fc.record({
  author: writer,
  editor: fc.option(writer),
  title: fc.constantFrom('a', 'A', 'ä', 'Z', 'é', '', ' ', '10', '9'),
  status: fc.constantFrom('draft', 'published'),
  price: orNull(['0.10', '0.20', '10.00', '-1.00']),
  rating: orNull([1, 2, 10, -1]),
  views: orNull([0n, 9_007_199_254_740_992n, 9_007_199_254_740_993n]),
  featured: fc.boolean(),
  publishedAt: orNull(['2026-01-15T10:30:00.000001Z', '2026-01-15T10:30:00.000002Z', '1969-12-31T23:59:59.999999Z']),
  releasedOn: orNull(['2026-01-15', '1999-12-31']),
  reference: orNull([uuid(501), uuid(502)]),
})
type Article = typeof article extends fc.Arbitrary<infer A> ? A : never

const TERMS = [
  'title',
  'status',
  'price',
  'rating',
  'views',
  'featured',
  'published_at',
  'released_on',
  'reference',
  'author__name',
  'editor__name',
  'half',
  'length',
  'id',
]
const ordering = fc
  .uniqueArray(fc.constantFrom(...TERMS), { minLength: 1, maxLength: 3 })
  .chain(terms => fc.tuple(...terms.map(term => fc.constantFrom(term, `-${term}`))))
  .map(terms => terms.join())

/** What happens between two pages: rows that come, and one that goes, by its place among those that are left. */
const change = fc.record({ come: fc.array(article, { maxLength: 2 }), goes: fc.option(fc.nat(20)) })

const walk = fc.record({
  ordering,
  size: fc.integer({ min: 1, max: 4 }),
  articles: fc.array(article, { maxLength: 12 }),
  changes: fc.array(change, { maxLength: 4 }),
  backward: fc.boolean(),
})

interface Body {
  readonly next: string | null
  readonly previous: string | null
  readonly data: readonly { readonly id: string }[]
}

describeDialects('a walk from cursor to cursor', dialect => {
  const tables = models(dialect.kit)
  const { articles, authors } = tables
  const api = useApi(dialect, {
    tables,
    settings: { COMMON: { SECRET_KEY: 'a key that is the same in all processes' } },
    resources: {
      articles: ReadOnlyViewSet({
        model: articles,
        serializer: BaseModelSerializer(articles, { fields: ['id', 'title'] }),
        permissionClasses: [AllowAny],
        orderingFields: [
          'id',
          'title',
          'status',
          'price',
          'rating',
          'views',
          'featured',
          'publishedAt',
          'releasedOn',
          'reference',
          'author__name',
          'editor__name',
        ],
        computedOrderingFields: {
          half: sql`${articles.rating} * 1.0 / ${2.5}`,
          length: sql`(select length(${authors.name}) from ${authors} where ${authors.id} = ${articles.editor})`,
        },
        paginationClass: CursorPagination,
      }),
    },
  })

  const get = async (url: string) =>
    JSON.parse((await api.get(url.replace('http://localhost:80/api', ''))).text) as Body
  const idsOf = (data: Body['data'], backward: boolean) => {
    const ids = data.map(({ id }) => id)
    return backward ? ids.toReversed() : ids
  }

  test('meets every row that stays exactly once, in order, whatever comes and goes', async () => {
    await fc.assert(
      fc.asyncProperty(walk, async ({ ordering: terms, size, articles: rows, changes, backward }) => {
        await api.clear()
        await seed(api.database, tables, { authors: WRITERS })
        let stored = 0
        const store = async (added: readonly Article[]) => {
          // Ids do not grow as rows come: a new row can stand before others that equal it.
          const ids = added.map(() => uuid(100 + ((++stored * 37) % 101)))
          const titled = added.map((values, i) => ({
            ...values,
            id: ids[i]!,
            title: `${values.title}${ids[i]!.slice(-3)}`,
          }))
          await seed(api.database, tables, { articles: titled })
          return ids
        }
        /** All rows there are, in the order of the walk. */
        const toWalk = async () => idsOf((await get(`/articles/?paginated=false&ordering=${terms}`)).data, backward)

        await store(rows)
        let page = await get(`/articles/?page_size=${size}&ordering=${terms}`)
        // There is no link to the end of a list: it is reached page by page.
        while (backward && page.next) page = await get(page.next)
        const met: string[] = []
        const meet = ({ data }: Body) => met.push(...idsOf(data, backward))
        meet(page)
        const start = await toWalk()
        const due = new Set(start.slice(Math.max(0, start.indexOf(met[0] ?? ''))))
        for (let step = 0; ; step++) {
          const link = backward ? page.previous : page.next
          if (!link) break
          const { come = [], goes = null } = changes[step] ?? {}
          const came = await store(come)
          const order = await toWalk()
          // What comes behind the last row that was met is still to be met.
          const place = order.indexOf(met.at(-1) ?? '')
          for (const id of came) if (place !== -1 && order.indexOf(id) > place) due.add(id)
          const gone = goes === null ? undefined : order[goes]
          if (gone !== undefined) {
            await api.database.use(() => currentDb().delete(articles).where(eq(articles.id, gone)))
            due.delete(gone)
          }
          page = await get(link)
          expect(page.data.length).toBeLessThanOrEqual(size)
          meet(page)
        }
        expect(new Set(met).size).toBe(met.length)
        expect([...due].filter(id => !met.includes(id))).toEqual([])
        const order = await toWalk()
        const left = met.filter(id => order.includes(id))
        expect(left).toEqual(order.filter(id => met.includes(id)))
      }),
      { numRuns: cases(60) },
    )
  })
})
