import { once } from 'node:events'
import { type IncomingMessage, request } from 'node:http'
import {
  AllowAny,
  BaseModelSerializer,
  currentUser,
  findRecords,
  IsAuthenticated,
  insertMany,
  PermissionDenied,
  ReadOnlyViewSet,
} from 'viewset'
import { describe, expect, test } from 'vitest'
import { useApi } from '../support/api.ts'
import { describeDialects } from '../support/dialects.ts'
import { expectError, expectSuccess } from '../support/expect.ts'
import { models, users } from '../support/models.ts'
import { serializers } from '../support/serializers.ts'

describeDialects('an unpaginated list', dialect => {
  const tables = models(dialect.kit)
  const { authors } = tables
  const { AuthorReference } = serializers(tables)
  const common = {
    model: authors,
    serializer: AuthorReference,
    permissionClasses: [AllowAny],
    ordering: 'name',
  } as const

  class Shouting extends ReadOnlyViewSet(common) {
    override async list() {
      return (await super.list()).map(item => ({ ...item, name: item.name.toUpperCase() }))
    }
  }
  let itemsRead = 0
  /** Counts the items on their way, of 10 KB each. */
  class Heavy extends ReadOnlyViewSet(common) {
    override async list() {
      return (await super.list()).map(item => {
        itemsRead++
        return { ...item, name: 'x'.repeat(10_000) }
      })
    }
  }
  /** Fails on a row in the middle, when half of the list is on its way already. */
  const Failing = ReadOnlyViewSet({
    ...common,
    serializer: BaseModelSerializer(authors, {
      fields: ['name'],
      extra: {
        check: author => {
          if (author.name === 'Author 5000') throw new Error('in the middle')
          return true
        },
      },
    }),
  })

  const api = useApi(dialect, {
    tables,
    users,
    resources: {
      authors: ReadOnlyViewSet(common),
      shouting: Shouting,
      heavy: Heavy,
      failing: Failing,
      paged: ReadOnlyViewSet({ ...common, allowUnpaginated: false }),
      asked: ReadOnlyViewSet({
        ...common,
        serializer: BaseModelSerializer(authors, {
          fields: ['name'],
          extra: { asker: () => currentUser()?.id ?? null },
        }),
      }),
      trusted: ReadOnlyViewSet({ ...common, allowUnpaginated: IsAuthenticated }),
      fixed: ReadOnlyViewSet({ ...common, allowUnpaginated: false, paginationClass: null }),
      unasked: class extends ReadOnlyViewSet({ ...common, paginationClass: null }) {
        override async checkUnpaginated() {
          throw new PermissionDenied()
        }
      },
    },
  })
  const name = (i: number) => `Author ${String(i).padStart(4, '0')}`
  const store = (count: number) =>
    api.database.transaction(() =>
      insertMany(
        authors,
        Array.from({ length: count }, (_, i) => ({ name: name(i + 1) })),
      ),
    )

  test.each([999, 1000, 1001, 2000, 2001, 5500])('of %d rows is whole, in order and counted', async count => {
    await store(count)
    const response = await api.get('/authors/?paginated=false')
    const items = response.data<{ name: string; index: number }[]>()
    expect(items.map(item => item.name)).toEqual(Array.from({ length: count }, (_, i) => name(i + 1)))
    expect(items.map(({ index }) => index)).toEqual(Array.from({ length: count }, (_, i) => i + 1))
    expect(Object.keys(JSON.parse(response.text))).toEqual(['success', 'timestamp', 'message', 'data'])
    expect(response.headers['content-type']).toBe('application/json; charset=utf-8')
  })

  test('keeps its order and its filters when it is long', async () => {
    await store(2500)
    const items = (await api.get('/authors/?paginated=false&ordering=-name')).data<{ name: string; index: number }[]>()
    expect([items[0], items.at(-1)]).toMatchObject([
      { name: name(2500), index: 1 },
      { name: name(1), index: 2500 },
    ])
  })

  test('can be changed by an override, also when it is long', async () => {
    await store(2500)
    const items = (await api.get('/shouting/?paginated=false')).data<{ name: string; index: number }[]>()
    expect(items).toHaveLength(2500)
    expect(items[2499]).toMatchObject({ name: 'AUTHOR 2500', index: 2500 })
  })

  test('is made for the user who asks, to its last row', async () => {
    await store(2500)
    const items = (await api.get('/asked/?paginated=false', { as: 'ann' })).data<{ asker: unknown }[]>()
    expect(new Set(items.map(({ asker }) => asker))).toEqual(new Set([users.ann.id]))
  })

  test('answers HEAD without its body', async () => {
    await store(2500)
    const response = await api.request('HEAD', '/authors/?paginated=false')
    expect([response.status, response.text]).toEqual([200, ''])
  })

  describe('can be kept from a request', () => {
    test('altogether', async () => {
      expectError(await api.get('/paged/?paginated=false'), 403, 'This list is only given in pages.')
      expectError(await api.get('/paged/?paginated=false', { as: 'ann' }), 403, 'This list is only given in pages.')
      expectSuccess(await api.get('/paged/'), 200, { count: 0, data: [] })
    })

    test('by a permission', async () => {
      expectError(await api.get('/trusted/?paginated=no'), 401, 'Authentication credentials were not provided.')
      expectSuccess(await api.get('/trusted/?paginated=no', { as: 'ann' }), 200, { data: [] })
    })

    test('but not where it is all there is', async () => {
      expectSuccess(await api.get('/fixed/'), 200, { data: [] })
      expectSuccess(await api.get('/unasked/?paginated=false'), 200, { data: [] })
    })
  })

  describe('on its way over a network', () => {
    async function open(path: string): Promise<IncomingMessage> {
      const port = await api.listen()
      const [response] = await once(request({ port, path: `/api${path}`, agent: false }).end(), 'response')
      return response as IncomingMessage
    }

    test('is read no further than the client reads it', async () => {
      await store(6000)
      itemsRead = 0
      // Nobody reads yet: what fits between the two is all that may be under way of these 60 MB.
      const response = await open('/heavy/?paginated=false')
      let before = -1
      const hasStopped = () => {
        const isSame = itemsRead > 0 && itemsRead === before
        before = itemsRead
        return isSame
      }
      await expect.poll(hasStopped, { interval: 200 }).toBe(true)
      expect(itemsRead).toBeLessThan(4000)
      let length = 0
      for await (const chunk of response) length += (chunk as Buffer).length
      expect(length).toBeGreaterThan(60_000_000)
      expect(itemsRead).toBe(6000)
    })

    test('that fails half-way never ends like a whole one', async () => {
      await store(6000)
      const response = await open('/failing/?paginated=false')
      const chunks: Buffer[] = []
      const reading = async () => {
        for await (const chunk of response) chunks.push(chunk as Buffer)
      }
      await expect(reading()).rejects.toThrow(/aborted|hang up|ECONNRESET/)
      expect(() => JSON.parse(Buffer.concat(chunks).toString())).toThrow()
      expect((await api.get('/authors/')).status).toBe(200)
    })

    test('that nobody reads to the end gives its connection back', async () => {
      await store(6000)
      for (let i = 0; i < 20; i++) {
        const response = await open('/authors/?paginated=false')
        await once(response, 'data')
        response.destroy()
      }
      // A pool of ten would be dry by now, and a writer would wait for twenty readers.
      await store(1)
      expect((await api.get('/authors/')).status).toBe(200)
      const { database } = api
      expect(await database.use(async () => (await findRecords(authors)).length)).toBe(6001)
    })
  })
})
