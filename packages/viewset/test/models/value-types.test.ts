import fc from 'fast-check'
import { AllowAny, BaseViewSet, currentDb, insertMany } from 'viewset'
import { describe, expect, test } from 'vitest'
import { useApi } from '../support/api.ts'
import { cases } from '../support/cases.ts'
import { describeDialects } from '../support/dialects.ts'
import { models, seed, uuidOf } from '../support/models.ts'
import { serializers } from '../support/serializers.ts'

const BERLIN = { COMMON: { TIME_ZONE: 'Europe/Berlin' } }

/** What is sent (as JSON text, which can say more than JavaScript's numbers), and what is then shown. */
const CASES: Record<string, readonly (readonly [sent: string, shown: unknown])[]> = {
  published_at: [
    ['"2026-01-15T10:30:00.123456Z"', '2026-01-15T10:30:00.123456Z'],
    ['"2026-01-15T10:30:00.000001Z"', '2026-01-15T10:30:00.000001Z'],
    ['"2026-01-15T10:30:00.1Z"', '2026-01-15T10:30:00.100000Z'],
    ['"2026-01-15T10:30:00.123456789Z"', '2026-01-15T10:30:00.123456Z'],
    ['"2026-01-15T10:30Z"', '2026-01-15T10:30:00.000000Z'],
    ['"2026-01-15 10:30:00+05:30"', '2026-01-15T05:00:00.000000Z'],
    ['"2026-01-15t10:30:00-0830"', '2026-01-15T19:00:00.000000Z'],
    // Without an offset, in the zone of the settings: Berlin is an hour ahead in winter and two in summer.
    ['"2026-01-15T10:30:00"', '2026-01-15T09:30:00.000000Z'],
    ['"2026-07-15T10:30:00.5"', '2026-07-15T08:30:00.500000Z'],
    ['"1969-12-31T23:59:59.999999Z"', '1969-12-31T23:59:59.999999Z'],
    ['"0001-01-02T00:00:00Z"', '0001-01-02T00:00:00.000000Z'],
    ['"9999-12-31T23:59:59.999999Z"', '9999-12-31T23:59:59.999999Z'],
  ],
  price: [
    ['"29.90"', '29.90'],
    ['"29.9"', '29.90'],
    ['29.9', '29.90'],
    ['"0"', '0.00'],
    ['0', '0.00'],
    ['"-0.00"', '0.00'],
    ['"-12.30"', '-12.30'],
    ['"007.50"', '7.50'],
    ['"1.5000"', '1.50'],
    ['"999999.99"', '999999.99'],
    ['"-999999.99"', '-999999.99'],
    ['0.1', '0.10'],
    ['100', '100.00'],
    ['1e2', '100.00'],
    ['null', null],
  ],
  views: [
    ['0', 0],
    ['9007199254740991', 9007199254740991],
    ['-9007199254740991', -9007199254740991],
    ['"9007199254740992"', '9007199254740992'],
    ['"9223372036854775807"', '9223372036854775807'],
    ['"-9223372036854775808"', '-9223372036854775808'],
    ['null', null],
  ],
  metadata: [
    ['null', null],
    ['{}', {}],
    ['[]', []],
    ['"text"', 'text'],
    ['""', ''],
    ['0', 0],
    ['-1.5', -1.5],
    ['false', false],
    ['"null"', 'null'],
    ['"5"', '5'],
    [
      '{"a":{"b":[1,"2",null,true,{"c":"ü😀\\n\\"\'"}]},"":0}',
      { a: { b: [1, '2', null, true, { c: 'ü😀\n"\'' }] }, '': 0 },
    ],
  ],
}

describeDialects('values', dialect => {
  const tables = models(dialect.kit)
  const { ArticleSerializer } = serializers(tables)
  const api = useApi(dialect, {
    tables,
    settings: BERLIN,
    resources: {
      articles: BaseViewSet({
        model: tables.articles,
        serializer: ArticleSerializer,
        permissionClasses: [AllowAny],
        actions: {
          // By the record's own method rather than by the serializer.
          json: { method: 'GET', detail: true, handler: async view => (await view.getObject()).getJson() },
        },
      }),
    },
  })
  const ada = { id: uuidOf.ada, name: 'Ada' }

  for (const [field, cases] of Object.entries(CASES)) {
    test.each(cases)(`${field}: %s goes through every action and comes back right`, async (sent, shown) => {
      await seed(api.database, tables, { authors: [ada] })
      const headers = { 'content-type': 'application/json' }
      const created = await api.post('/articles/', undefined, {
        payload: `{"title":"A","author":"${ada.id}","${field}":${sent}}`,
        headers,
      })
      expect(created.status).toBe(201)
      expect(created.data()[field]).toEqual(shown)
      const path = `/articles/${created.data().id}/`
      expect((await api.get(path)).data()[field]).toEqual(shown)
      expect((await api.get(`${path}json/`)).data()[field]).toEqual(shown)
      const [listed] = (await api.get('/articles/')).data<Record<string, unknown>[]>()
      expect(listed?.[field]).toEqual(shown)
      const [unpaginated] = (await api.get('/articles/?paginated=false')).data<Record<string, unknown>[]>()
      expect(unpaginated?.[field]).toEqual(shown)
      await api.patch(path, { [field]: null })
      const patched = await api.patch(path, undefined, { payload: `{"${field}":${sent}}`, headers })
      expect(patched.data()[field]).toEqual(shown)
    })
  }

  describe('in code', () => {
    const stored = {
      id: uuidOf.article,
      title: 'A',
      author: ada.id,
      price: '29.9',
      rating: 5,
      views: 2n ** 63n - 1n,
      featured: true,
      publishedAt: '2026-01-15T10:30:00.123456Z',
      releasedOn: '2026-01-15',
      reference: uuidOf.reference,
      metadata: { a: [1, null] },
      status: 'published' as const,
    }
    const read = {
      ...stored,
      price: '29.90',
      body: null,
      editor: null,
      createdBy: null,
      updatedBy: null,
      deletedAt: null,
      isActive: true,
    }

    test.each([
      ['one by one through Drizzle', () => currentDb().insert(tables.articles).values(stored)],
      ['in bulk', () => insertMany(tables.articles, [stored])],
    ])("stored %s, a record holds the kit's types", async (_, store) => {
      await seed(api.database, tables, { authors: [ada] })
      await api.database.transaction(async () => {
        await store()
        const [row] = await currentDb().select().from(tables.articles)
        expect(row).toMatchObject(read)
        expect(row?.createdAt).toMatch(/^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}\.\d{6}Z$/)
      })
      expect((await api.get(`/articles/${stored.id}/`)).data()).toMatchObject({
        price: '29.90',
        views: '9223372036854775807',
        featured: true,
        published_at: stored.publishedAt,
        released_on: stored.releasedOn,
        metadata: stored.metadata,
      })
    })
  })

  test('any text survives', async () => {
    await seed(api.database, tables, { authors: [ada] })
    const text = fc
      .string({ unit: 'grapheme', maxLength: 40 })
      .map(value => value.trim())
      .filter(value => value !== '' && !value.includes('\0') && value.isWellFormed())
    await fc.assert(
      fc.asyncProperty(text, async body => {
        const created = await api.post('/articles/', { title: crypto.randomUUID(), author: ada.id, body })
        expect(created.data().body).toBe(body)
        expect((await api.get(`/articles/${created.data().id}/`)).data().body).toBe(body)
      }),
      { numRuns: cases(50) },
    )
  })

  test("any decimal of the column's digits survives", async () => {
    await seed(api.database, tables, { authors: [ada], articles: [{ id: uuidOf.article, title: 'A', author: ada.id }] })
    await fc.assert(
      fc.asyncProperty(fc.integer({ min: -99_999_999, max: 99_999_999 }), async cents => {
        const digits = String(Math.abs(cents)).padStart(3, '0')
        const price = `${cents < 0 ? '-' : ''}${digits.slice(0, -2)}.${digits.slice(-2)}`
        const response = await api.patch(`/articles/${uuidOf.article}/`, { price })
        expect(response.data().price).toBe(price)
      }),
      { numRuns: cases(50) },
    )
  })

  test('any JSON survives', async () => {
    await seed(api.database, tables, { authors: [ada], articles: [{ id: uuidOf.article, title: 'A', author: ada.id }] })
    const json = fc.jsonValue({ maxDepth: 3 }).map(value => JSON.parse(JSON.stringify(value)) as unknown)
    // What does not arrive as it was sent is refused: that has tests of its own.
    const isStorable = (value: unknown) =>
      !/\\u(0000|d[89a-f])|__proto__|constructor|e[+-]?\d{2}|\d{16}/i.test(JSON.stringify(value))
    await fc.assert(
      fc.asyncProperty(json.filter(isStorable), async metadata => {
        const response = await api.patch(`/articles/${uuidOf.article}/`, { metadata })
        expect(response.status).toBe(200)
        expect(response.data().metadata).toEqual(metadata)
      }),
      { numRuns: cases(50) },
    )
  })
})
