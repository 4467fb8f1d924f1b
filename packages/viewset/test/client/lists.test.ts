import { AllowAny, CursorPagination, LimitOffsetPaginationWithFormat, ReadOnlyViewSet } from 'viewset'
import { expect, test } from 'vitest'
import { useClient } from '../support/client.ts'
import { describeOneDialect } from '../support/dialects.ts'
import { uuid } from '../support/expect.ts'
import { models, seed } from '../support/models.ts'
import { serializers } from '../support/serializers.ts'

const COMMON = { SECRET_KEY: 'a key that is the same in all processes' }

describeOneDialect('a client of lists', dialect => {
  const tables = models(dialect.kit)
  const config = {
    model: tables.articles,
    serializer: serializers(tables).TitleSerializer,
    permissionClasses: [AllowAny],
    ordering: 'title',
    filterFields: {
      title: ['exact', 'in'],
      rating: ['gte', 'range', 'isnull'],
      author__name: ['exact'],
      views: ['gt'],
    },
    searchFields: ['title'],
  } as const
  const resources = {
    numbered: ReadOnlyViewSet(config),
    windows: ReadOnlyViewSet({ ...config, paginationClass: LimitOffsetPaginationWithFormat }),
    cursors: ReadOnlyViewSet({ ...config, paginationClass: CursorPagination }),
    whole: ReadOnlyViewSet({ ...config, paginationClass: null }),
    'writers/:writer/articles': ReadOnlyViewSet(config),
  }
  const listening = useClient(dialect, { tables, settings: { COMMON }, resources })
  const titles = ['A', 'B', 'C', 'D', 'E']
  const seeded = async () => {
    const author = uuid(1)
    await seed(listening.api.database, tables, {
      authors: [{ id: author, name: 'Ada & Bob' }],
      articles: titles.map((title, n) => ({
        id: uuid(10 + n),
        title,
        author,
        rating: n || null,
        views: 2n ** 60n + BigInt(n),
      })),
    })
    return listening.client()
  }
  const collect = async (items: AsyncIterable<{ readonly title: string }>) => {
    const found: string[] = []
    for await (const { title } of items) found.push(title)
    return found
  }

  test('goes through all pages, whatever their style', async () => {
    const client = await seeded()
    expect(await collect(client.numbered.all({ page_size: 2 }))).toEqual(titles)
    expect(await collect(client.windows.all({ limit: 2, ordering: '-title' }))).toEqual(titles.toReversed())
    expect(await collect(client.cursors.all({ page_size: 2, rating__isnull: false }))).toEqual(titles.slice(1))
    expect(await collect(client.whole.all())).toEqual(titles)
    expect(await collect(client.numbered.all({ paginated: false }))).toEqual(titles)
    expect(listening.asked.map(line => line.split('/')[1])).toEqual([
      ...Array(3).fill('numbered'),
      ...Array(3).fill('windows'),
      ...Array(2).fill('cursors'),
      'whole',
      'numbered',
    ])
  })

  test('asks for a page only when its items are wanted', async () => {
    const client = await seeded()
    for await (const { title } of client.numbered.all({ page_size: 2 })) if (title === 'B') break
    expect(listening.asked).toEqual(['GET /numbered/?page_size=2'])
  })

  test('gets a page with what there is to know of it', async () => {
    const client = await seeded()
    const { items, ...links } = await client.numbered.list({ page: 2, page_size: 2 })
    const address = `${listening.baseUrl}/numbered/?page_size=2`
    expect(links).toEqual({ count: 5, next: expect.stringMatching(/page=3/), previous: address })
    expect(items.map(({ title, index }) => [title, index])).toEqual([
      ['C', 3],
      ['D', 4],
    ])
    expect(await client.cursors.list({ page_size: 5 })).toMatchObject({ count: null, next: null, previous: null })
    expect(await client.whole.list()).toMatchObject({ count: 5, next: null, previous: null })
    expect(await client.numbered.list({ paginated: false })).toMatchObject({ count: 5, next: null, previous: null })
  })

  test('narrows and orders what it asks for', async () => {
    const { numbered } = await seeded()
    const found = async (query: Parameters<typeof numbered.list>[0]) =>
      (await numbered.list(query)).items.map(({ title }) => title)
    expect(await found({ title__in: ['A', 'E'], ordering: ['-title', 'rating'] })).toEqual(['E', 'A'])
    expect(await found({ rating__range: [2, 3] })).toEqual(['C', 'D'])
    expect(await found({ rating__isnull: true })).toEqual(['A'])
    expect(await found({ author__name: 'Ada & Bob', search: 'e' })).toEqual(['E'])
    expect(await found({ views__gt: 2n ** 60n + 2n, title: undefined, ordering: [] })).toEqual(['D', 'E'])
  })

  test('refuses to ask for what would mean something else', async () => {
    const { numbered } = await seeded()
    await expect(numbered.list({ title__in: [] })).rejects.toThrow(
      'title__in is an empty list, which would find everything',
    )
    await expect(numbered.list({ title__in: [''] })).rejects.toThrow('title__in is an empty list')
    await expect(numbered.list({ title__in: ['A,B', 'C'] })).rejects.toThrow(
      'title__in has an item with a comma, which would be two',
    )
    const nothing = { title: null } as object
    await expect(numbered.list(nothing)).rejects.toThrow('title cannot be null; ask for title__isnull')
    for (const id of ['', '.', '..']) {
      await expect(numbered.retrieve(id)).rejects.toThrow(`"${id}" cannot be a part of an address`)
    }
    expect(listening.asked).toEqual([])
  })

  test('fills the address of a resource in that is part of another one', async () => {
    const client = await seeded()
    const ofAda = client['writers/:writer/articles']({ writer: 'Ada/Bob' })
    await ofAda.list({ page_size: 1 })
    await ofAda.retrieve(uuid(10))
    expect(listening.asked).toEqual([
      'GET /writers/Ada/Bob/articles/?page_size=1',
      `GET /writers/Ada/Bob/articles/${uuid(10)}/`,
    ])
  })

  test('sends its token to no other host than its own, whatever a link says', async () => {
    await seeded()
    const asked: string[] = []
    const client = listening.client({
      fetch: async (address, init) => {
        asked.push(address)
        const response = await fetch(address, init)
        return new Response(
          (await response.text()).replaceAll(listening.baseUrl, 'https://elsewhere.example'),
          response,
        )
      },
    })
    expect(await collect(client.numbered.all({ page_size: 3 }))).toEqual(titles)
    expect(asked.map(address => new URL(address).origin)).toEqual(Array(2).fill(new URL(listening.baseUrl).origin))
  })
})
