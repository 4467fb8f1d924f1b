import { eq } from 'drizzle-orm'
import { AllowAny, ApiError, BaseViewSet, ListPage, ReadOnlyViewSet, Reply, ValidationError } from 'viewset'
import { expect, test } from 'vitest'
import * as z from 'zod'
import { useApi } from '../support/api.ts'
import { describeOneDialect } from '../support/dialects.ts'
import { expectError, expectInvalid, expectNotAllowed, expectSuccess, nonField, uuid } from '../support/expect.ts'
import { allowUndescribed } from '../support/hold-to-description.ts'
import { models, seed } from '../support/models.ts'
import { serializers } from '../support/serializers.ts'

interface Retrieving {
  retrieve(): Promise<object>
}

async function* batches() {
  yield '[{"a":1}]'
  yield '[{"a":2}]'
}

describeOneDialect('custom actions', dialect => {
  const tables = models(dialect.kit)
  const { authors } = tables
  const { AuthorReference } = serializers(tables)
  const api = useApi(dialect, {
    tables,
    resources: {
      authors: BaseViewSet({
        model: authors,
        serializer: AuthorReference,
        permissionClasses: [AllowAny],
        actions: {
          shout: {
            method: 'POST',
            detail: true,
            handler: async view => {
              const author = await view.getObject()
              author.name = author.name.toUpperCase()
              return view.serialize(await author.save())
            },
          },
          record: { method: 'GET', detail: true, handler: view => view.getObject() },
          recorded: {
            method: 'GET',
            detail: true,
            handler: async view => new Reply(await view.getObject(), { message: 'Here.' }),
          },
          longest: {
            method: 'GET',
            detail: false,
            handler: async view => {
              const rows = await view.db.select({ name: authors.name }).from(authors)
              return { name: rows.map(({ name }) => name).toSorted((a, b) => b.length - a.length)[0] ?? null }
            },
          },
          ada: {
            method: 'GET',
            detail: true,
            queryset: () => eq(authors.name, 'Ada'),
            handler: async view => (await view.getObject()).id,
          },
          marked: {
            method: 'GET',
            detail: true,
            handler: async view => ({ ...(await (view as unknown as Retrieving).retrieve()), marked: true }),
          },
          counts: {
            method: 'GET',
            detail: false,
            handler: () => new Reply({ safe: 7n, large: [2n ** 53n] }, { extra: { meta: { took: -(2n ** 60n) } } }),
          },
          countsPage: {
            method: 'GET',
            detail: false,
            handler: () => new ListPage(['[1,2]']).map(item => ({ item: BigInt(item as number) })),
          },
          countsOut: {
            method: 'GET',
            detail: false,
            output: z.object({ total: z.bigint() }),
            handler: () => ({ total: 2n ** 60n }),
          },
          enqueue: { method: 'POST', detail: false, status: 202, handler: () => ({ queued: true }) },
          nothing: { method: 'POST', detail: false, status: 204, handler: () => ({ lost: true }) },
          silent: { method: 'POST', detail: false, handler: () => undefined },
          reply: {
            method: 'POST',
            detail: false,
            status: 202,
            handler: () => new Reply({ a: 1 }, { status: 207, message: 'Some of it.', headers: { 'x-parts': '1' } }),
          },
          stored: { method: 'POST', detail: false, status: 201, handler: () => new Reply(1, { message: 'Stored.' }) },
          meta: {
            method: 'GET',
            detail: false,
            handler: () => new Reply([1], { extra: { meta: { took: 3 }, x: null } }),
          },
          metaPage: {
            method: 'GET',
            detail: false,
            handler: () =>
              new Reply(new ListPage(['[{"a":1}]'], { count: 1, next: null, previous: null }), { extra: { meta: 1 } }),
          },
          metaStream: {
            method: 'GET',
            detail: false,
            handler: () => new Reply(new ListPage(batches()), { extra: { meta: 1 } }),
          },
          metaRecord: {
            method: 'GET',
            detail: true,
            handler: async view => new Reply(await view.getObject(), { extra: { meta: 1 } }).with({ message: 'Here.' }),
          },
          metaNothing: { method: 'GET', detail: false, handler: () => new Reply(1, { extra: {} }) },
          metaTwice: {
            method: 'GET',
            detail: false,
            // What the types refuse may come from data.
            handler: () => new Reply(1, { extra: JSON.parse('{"success":false}') }),
          },
          page: {
            method: 'GET',
            detail: false,
            handler: () => new ListPage(['[{"a":1}]'], { count: 7, next: 'http://next', previous: null }),
          },
          teapot: {
            method: 'POST',
            detail: false,
            describes: { errors: { 418: 'It is a teapot.' } },
            handler: () => {
              throw new ApiError(418, 'teapot', 'Short and stout.', { headers: { 'x-brew': 'tea' } })
            },
          },
          check: {
            method: 'POST',
            detail: false,
            handler: () => {
              throw new ValidationError({ amount: ['Too much.'] })
            },
          },
          renamed: { method: 'PUT', detail: true, path: 'other-name', handler: view => view.action },
          purge: { method: 'DELETE', detail: false, handler: () => 'gone' },
          change: { method: 'PATCH', detail: false, handler: view => view.request.body },
          camelCase: { method: 'GET', detail: false, handler: () => 1 },
        },
      }),
      typed: ReadOnlyViewSet({
        model: authors,
        serializer: AuthorReference,
        permissionClasses: [AllowAny],
        actions: {
          rate: {
            method: 'POST',
            detail: false,
            input: z.object({
              stars: z.int().min(1).max(5),
              reasons: z.array(z.object({ text: z.string().max(3) })).optional(),
            }),
            output: z.object({ double: z.number().max(8) }),
            handler: (_, { stars }) => ({ double: stars * 2, secret: 'not in the output' }),
          },
          count: { method: 'POST', detail: false, input: z.array(z.int()), handler: (_, numbers) => numbers.length },
        },
      }),
      readonly: ReadOnlyViewSet({
        model: authors,
        serializer: AuthorReference,
        permissionClasses: [AllowAny],
        actions: { echo: { method: 'POST', detail: false, handler: view => view.validate() } },
      }),
    },
  })
  const seedAuthors = () =>
    seed(api.database, tables, {
      authors: [
        { id: uuid(1), name: 'Ada' },
        { id: uuid(2), name: 'Babbage' },
      ],
    })

  test('that returns a record shows what the serializer shows of it, and nothing else', async () => {
    await seedAuthors()
    const data = { id: uuid(1), name: 'Ada' }
    expectSuccess(await api.get(`/authors/${uuid(1)}/record/`), 200, { data })
    expectSuccess(await api.get(`/authors/${uuid(1)}/recorded/`), 200, { data, message: 'Here.' })
  })

  test('about one record: POST /{id}/{action}/', async () => {
    await seedAuthors()
    expectSuccess(await api.post(`/authors/${uuid(1)}/shout/`), 200, { data: { id: uuid(1), name: 'ADA' } })
    expectSuccess(await api.get(`/authors/${uuid(1)}/`), 200, { data: { id: uuid(1), name: 'ADA' } })
    expectError(await api.post(`/authors/${uuid(9)}/shout/`), 404, 'There is no such record, or you may not see it.')
  })

  test('about the collection: GET /{action}/, which is no identifier', async () => {
    await seedAuthors()
    expectSuccess(await api.get('/authors/longest/'), 200, { data: { name: 'Babbage' } })
    expectSuccess(await api.get('/authors/longest'), 200, { data: { name: 'Babbage' } })
  })

  test('with a record set of its own', async () => {
    await seedAuthors()
    expectSuccess(await api.get(`/authors/${uuid(1)}/ada/`), 200, { data: uuid(1) })
    expectError(await api.get(`/authors/${uuid(2)}/ada/`), 404, 'There is no such record, or you may not see it.')
  })

  test('64-bit integers are shown as those of records: strings beyond 2^53', async () => {
    const counts = await api.get('/authors/counts/')
    expect(counts.status).toBe(200)
    expect(counts.envelope()).toMatchObject({
      data: { safe: 7, large: ['9007199254740992'] },
      meta: { took: '-1152921504606846976' },
    })
    expectSuccess(await api.get('/authors/countsPage/'), 200, { data: [{ item: 1 }, { item: 2 }] })
    expectSuccess(await api.get('/authors/countsOut/'), 200, { data: { total: '1152921504606846976' } })
  })

  test('may call a standard one, whose data it gets as they are', async () => {
    await seedAuthors()
    expect((await api.get(`/authors/${uuid(1)}/marked/`)).data()).toMatchObject({
      id: uuid(1),
      name: 'Ada',
      marked: true,
    })
  })

  test('with a status of its own', async () => {
    expectSuccess(await api.post('/authors/enqueue/'), 202, { data: { queued: true } })
  })

  test('with 204, which has no body', async () => {
    const response = await api.post('/authors/nothing/')
    expect(response.status).toBe(204)
    expect(response.text).toBe('')
  })

  test('that return nothing answer null', async () => {
    expectSuccess(await api.post('/authors/silent/'), 200, { data: null })
  })

  test('a Reply decides about status, message and headers', async () => {
    allowUndescribed(/reply\/ 207 is none/, 'The action says another status than its Reply.')
    const response = await api.post('/authors/reply/')
    expectSuccess(response, 207, { data: { a: 1 }, message: 'Some of it.' })
    expect(response.headers['x-parts']).toBe('1')
  })

  test("a Reply without a status has the action's own", async () => {
    expectSuccess(await api.post('/authors/stored/'), 201, { data: 1, message: 'Stored.' })
  })

  test('a ListPage brings its links', async () => {
    expectSuccess(await api.get('/authors/page/'), 200, {
      count: 7,
      next: 'http://next',
      previous: null,
      data: [{ a: 1 }],
    })
  })

  test('further keys of a Reply stand behind the data, whatever it is', async () => {
    await seedAuthors()
    const body = async (path: string) => {
      const { text } = await api.get(path)
      return text.replace(/"timestamp":"[^"]*"/, '"timestamp":""')
    }
    const start = '{"success":true,"timestamp":"","message":""'
    expect(await body('/authors/meta/')).toBe(`${start},"data":[1],"meta":{"took":3},"x":null}`)
    expect(await body('/authors/metaPage/')).toBe(
      `${start},"count":1,"next":null,"previous":null,"data":[{"a":1}],"meta":1}`,
    )
    expect(await body('/authors/metaStream/')).toBe(`${start},"data":[{"a":1},{"a":2}],"meta":1}`)
    expect(await body(`/authors/${uuid(1)}/metaRecord/`)).toBe(
      `${start.slice(0, -2)}"Here.","data":{"id":"${uuid(1)}","name":"Ada"},"meta":1}`,
    )
    expect(await body('/authors/metaNothing/')).toBe(`${start},"data":1}`)
  })

  test("a further key of a Reply cannot be one of the envelope's own", async () => {
    expect((await api.get('/authors/metaTwice/')).status).toBe(500)
    // @ts-expect-error the envelope's own key
    expect(() => new Reply(1, { extra: { count: 2 } })).toThrow('"count" is the envelope\'s own key')
  })

  test('an ApiError is answered as it is', async () => {
    const response = await api.post('/authors/teapot/')
    expectError(response, 418, 'Short and stout.')
    expect(response.headers['x-brew']).toBe('tea')
    expectInvalid(await api.post('/authors/check/'), { amount: ['Too much.'] })
  })

  test('may have another path, any method and any name', async () => {
    await seedAuthors()
    expectSuccess(await api.put(`/authors/${uuid(1)}/other-name/`), 200, { data: 'renamed' })
    expectSuccess(await api.delete('/authors/purge/'), 200, { data: 'gone' })
    expectSuccess(await api.patch('/authors/change/', { a: [1] }), 200, { data: { a: [1] } })
    expectSuccess(await api.get('/authors/camelCase/'), 200, { data: 1 })
  })

  test('their paths answer 405 to other methods', async () => {
    const response = await api.get(`/authors/${uuid(1)}/shout/`)
    expectNotAllowed(response, 'GET')
    expect(response.headers.allow).toBe('POST, OPTIONS')
  })

  test('get the input that they declare, and answer the output that they declare', async () => {
    expectSuccess(await api.post('/typed/rate/', { stars: 3, unknown: 1 }), 200, { data: { double: 6 } })
    expectSuccess(await api.post('/typed/count/', [1, 2, 3]), 200, { data: 3 })
  })

  test('refuse an input of another shape, by dotted paths', async () => {
    const response = await api.post('/typed/rate/', { stars: 6, reasons: [{ text: 'ok' }, { text: 'too long' }] })
    expectInvalid(response, {
      stars: ['Ensure this value is less than or equal to 5.'],
      'reasons.1.text': ['Ensure this field has no more than 3 characters.'],
    })
  })

  test.each<[unknown, string]>([
    [undefined, 'nothing'],
    [null, 'null'],
    [[], 'an array'],
    ['x', 'a string'],
  ])('refuse %j where an object is declared', async (body, found) => {
    const message = found === 'nothing' ? 'Send a JSON object.' : `Send a JSON object, not ${found}.`
    expectError(await api.post('/typed/rate/', body), 400, message, nonField(message))
  })

  test('refuse values of another type in the words of a serializer', async () => {
    const bad = { stars: '3', reasons: [{ text: 1 }, {}, { text: null }, 'x'] }
    expectInvalid(await api.post('/typed/rate/', bad), {
      stars: ['"3" is not a number. Write it like 90.5.'],
      'reasons.0.text': ['1 is not a text. Send a text in quotes.'],
      'reasons.1.text': ['This field is required.'],
      'reasons.2.text': ['This field needs a value: null is not allowed.'],
      'reasons.3': ['Send a JSON object, not a string.'],
    })
    expectInvalid(await api.post('/typed/rate/', { stars: 1.5, reasons: {} }), {
      stars: ['1.5 is not a whole number. Write it like 42.'],
      reasons: ['Send a JSON array, not an object.'],
    })
  })

  test('an output of another shape is our own fault', async () => {
    const response = await api.post('/typed/rate/', { stars: 5 })
    expect(response.status).toBe(500)
    expect(response.text).not.toContain('double')
  })

  test("may validate by the resource's serializer", async () => {
    expectSuccess(await api.post('/readonly/echo/', { name: 'Eve', x: 1 }), 200, { data: { name: 'Eve' } })
    expectInvalid(await api.post('/readonly/echo/', {}), { name: ['This field is required.'] })
  })
})
