import fc from 'fast-check'
import {
  AllowAny,
  BaseModelSerializer,
  BulkUpsertModelMixin,
  BulkViewSet,
  DataToDataField,
  FlexibleField,
  ManyIdToDataField,
  StrToDataField,
} from 'viewset'
import { expect } from 'vitest'
import * as z from 'zod'
import { type Method, TestApi, type TestResponse } from './api.ts'
import type { TestDialect } from './dialects.ts'
import { uuid } from './expect.ts'
import { library, stock } from './library.ts'
import { models, seed, uuidOf } from './models.ts'
import { serializers } from './serializers.ts'

/** One request whose body is hostile: nothing of it is known to be right. */
interface Attack {
  readonly method: Method
  readonly path: string
  readonly headers: Readonly<Record<string, string>>
  readonly body: Uint8Array
}

/**
 * Sends bodies that no client should send to every route that takes one. Whatever they are, the answer is an envelope
 * and never a 5xx.
 */
export async function attack(dialect: TestDialect, numRuns: number): Promise<void> {
  const { api, reset } = await startTarget(dialect)
  const statuses = new Map<number, number>()
  try {
    await fc.assert(
      fc.asyncProperty(attacks(), async ({ method, path, headers, body }) => {
        const response = await api.request(method, path, { payload: body, headers })
        statuses.set(response.status, (statuses.get(response.status) ?? 0) + 1)
        expectEnvelope(response)
        expect(Object.keys(Object.prototype)).toEqual([])
        expect(({} as { admin?: unknown }).admin).toBeUndefined()
        if (method === 'DELETE' && response.status < 300) await reset()
      }),
      { numRuns },
    )
    // Bodies that are refused at the door alone would show little: some are read, and some are even taken.
    expect([...statuses.keys()]).toEqual(expect.arrayContaining([200, 400]))
    expect((await api.get('/articles/')).status).toBe(200)
  } finally {
    await api.close()
  }
}

function expectEnvelope(response: TestResponse): void {
  const { status, text, headers } = response
  expect(status, text).toBeLessThan(500)
  if (status === 204) {
    expect(text).toBe('')
    return
  }
  expect(headers['content-type']).toBe('application/json; charset=utf-8')
  const { success, timestamp, message, data, errors, ...others } = response.envelope()
  expect({ success, others }).toEqual({ success: status < 400, others: {} })
  expect(timestamp).toMatch(/^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}\.\d{6}Z$/)
  expect(message).toBeTypeOf('string')
  if (status < 400) return
  expect(message).not.toBe('')
  expect(data).toBeNull()
  const hasErrors = status === 400 || status === 409
  expect(errors !== undefined).toBe(hasErrors)
  for (const messages of Object.values(errors ?? {})) {
    expect(messages.length).toBeGreaterThan(0)
    for (const sentence of messages) expect(sentence).toBeTypeOf('string')
  }
  // Neither the database's own words reach a client nor those of the libraries.
  expect(
    Object.values(errors ?? {})
      .flat()
      .join(),
  ).not.toMatch(/sqlite|postgres|constraint|syntax|Invalid input/i)
}

/** Every kind of column, of relation and of action that takes a body. */
async function startTarget(dialect: TestDialect): Promise<{ api: TestApi; reset: () => Promise<void> }> {
  const tables = models(dialect.kit)
  const shelf = library(dialect.kit)
  const { people, books, tags, bookTags } = shelf
  const { ArticleSerializer, CategorySerializer, LoanSerializer } = serializers(tables)
  const permissionClasses = [AllowAny]
  const PersonReference = BaseModelSerializer(people, { fields: ['id', 'name'] })
  const PersonSerializer = BaseModelSerializer(people, {
    fields: ['id', 'name', 'email', 'team', 'mentor'],
    extra: { mentor: FlexibleField({ queryset: people, serializer: PersonReference }) },
  })
  const api = await TestApi.start(dialect, {
    tables: { ...tables, ...shelf },
    resources: {
      articles: BulkViewSet.add(BulkUpsertModelMixin)({
        model: tables.articles,
        serializer: ArticleSerializer,
        permissionClasses,
        upsertFields: ['author', 'title'],
        actions: {
          rate: {
            method: 'POST',
            detail: true,
            input: z.object({ stars: z.int().min(1).max(5), tags: z.array(z.object({ name: z.string() })).optional() }),
            handler: (_view, { stars }) => stars,
          },
          echo: { method: 'POST', detail: false, handler: view => view.request.body },
        },
      }),
      saved: BulkViewSet({
        model: tables.articles,
        serializer: ArticleSerializer,
        permissionClasses,
        useSaveOnBulkUpdate: true,
      }),
      books: BulkViewSet({
        model: books,
        serializer: BaseModelSerializer(books, {
          fields: ['id', 'title', 'author', 'editor'],
          extra: {
            author: DataToDataField({ queryset: people, serializer: PersonSerializer }),
            editor: StrToDataField({ queryset: people, str: 'name', serializer: PersonReference }),
            tags: ManyIdToDataField({
              queryset: tags,
              through: bookTags,
              serializer: BaseModelSerializer(tags, { fields: ['id', 'label'] }),
            }),
          },
        }),
        permissionClasses,
      }),
      categories: BulkViewSet({ model: tables.categories, serializer: CategorySerializer, permissionClasses }),
      loans: BulkViewSet({ model: tables.loans, serializer: LoanSerializer, permissionClasses }),
    },
  })
  const reset = async () => {
    await api.clear()
    await seed(api.database, tables, {
      authors: [{ id: uuidOf.ada, name: 'Ada' }],
      articles: [{ id: uuidOf.article, title: 'A', author: uuidOf.ada }],
      categories: [{ code: 'poetry', label: 'Poetry' }],
      shelves: [{ id: 1, label: 'First' }],
      loans: [{ id: 1n, shelf: 1, fee: '1.00000' }],
    })
    await stock(api.database, shelf, {
      people: [{ id: uuid(1), name: 'Ada' }],
      books: [{ id: uuid(2), title: 'A', author: uuid(1) }],
      tags: [{ id: uuid(3), label: 'red' }],
    })
  }
  await reset()
  return { api, reset }
}

/** What a client could rightly write to each resource, by the resource's path. */
const PAYLOADS: Readonly<Record<string, Readonly<Record<string, unknown>>>> = {
  articles: {
    id: uuidOf.article,
    title: 'A',
    body: 'text',
    author: uuidOf.ada,
    editor: null,
    status: 'draft',
    price: '29.90',
    rating: 5,
    views: '9223372036854775807',
    featured: true,
    published_at: '2026-01-15T10:30:00Z',
    released_on: '2026-01-15',
    reference: uuidOf.reference,
    metadata: { a: [1, null] },
  },
  books: {
    id: uuid(2),
    title: 'A',
    author: { name: 'Bob', mentor: uuid(1) },
    tags: [uuid(3)],
  },
  categories: { code: 'poetry', label: 'Poetry' },
  loans: { id: 1, shelf: 1, fee: '1.50000' },
}

const RESOURCES = {
  articles: 'articles',
  saved: 'articles',
  books: 'books',
  categories: 'categories',
  loans: 'loans',
} as const
const KEYS = { articles: uuidOf.article, books: uuid(2), categories: 'poetry', loans: '1' } as const

/** Values of what is unique, which are soon taken otherwise. */
const FRESH: Readonly<Record<string, fc.Arbitrary<string>>> = {
  id: fc.integer({ min: 2 }).map(String),
  title: fc.uuid().map(quoted),
  code: fc.uuid().map(id => quoted(id.slice(0, 20))),
}

/** JSON text that is refused, or that is easily mistaken for something else. */
const HOSTILE_TEXTS = [
  ...['null', 'true', 'false', '0', '-1', '1.5', '1e999', '-1e400', '9007199254740993', '99999999999999999999999'],
  ...['1e-400', '2147483648', '-0', '0.1e1', 'NaN', 'undefined', '01', '', '[]', '{}', '[[]]', '[{}]', '[null]', '""'],
  ...['"\\u0000"', '"\\ud800"', '"\\udc00\\ud800"', '"\\ud83d\\ude00"', '"\\x"', `"'; drop table articles; --"`, '"%"'],
  ...['"2026-02-30"', '"0000-01-01"', '"10000-01-01"', '"2026-01-15T25:00:00Z"', '"9999-12-31T23:59:59-23:59"'],
  ...['"00000000-0000-4000-8000-000000000001 "', '"NaN"', '"Infinity"', '"1e5"', '"-"', '"0x10"', '"١٢"', '" 1"'],
  ...['{"__proto__":{"admin":true}}', '{"constructor":{"prototype":{"admin":true}}}', '{"then":1}', '{"id":null}'],
  ...['{"id":{}}', '{"id":[]}', '{"toString":1}', '{"length":1e9}', '{"0":1}', '"__proto__"', '"constructor"'],
  `"${'x'.repeat(5000)}"`,
  `"${'9'.repeat(2000)}"`,
  '['.repeat(5000),
  `${'['.repeat(70)}${']'.repeat(70)}`,
  `${'{"mentor":'.repeat(40)}1${'}'.repeat(40)}`,
]

/** Keys that a payload has no business to have. */
const HOSTILE_KEYS = [
  ...['__proto__', 'constructor', 'prototype', 'toString', 'hasOwnProperty', 'then', '', '0', 'id', 'ID', 'author_id'],
  ...['is_active', 'deleted_at', 'created_by', 'non_field_errors', 'author__name', 'author.name', 'title'],
]

function attacks(): fc.Arbitrary<Attack> {
  return fc.constantFrom(...(Object.keys(RESOURCES) as (keyof typeof RESOURCES)[])).chain(resource => {
    const kind = RESOURCES[resource]
    const payload = PAYLOADS[kind] ?? {}
    const routes = [
      ...(['POST'] as const).map(method => [method, `/${resource}/`] as const),
      ...(['PUT', 'PATCH'] as const).map(method => [method, `/${resource}/${KEYS[kind]}/`] as const),
      ['DELETE', `/${resource}/${uuid(999)}/`] as const,
      ...(['PUT', 'PATCH'] as const).map(method => [method, `/${resource}/bulk-update/`] as const),
      ['POST', `/${resource}/bulk-create/`] as const,
      ['DELETE', `/${resource}/bulk-delete/`] as const,
      ['DELETE', `/${resource}/bulk-soft-delete/`] as const,
      ['POST', '/articles/bulk-upsert/'] as const,
      ['POST', '/articles/bulk-restore/'] as const,
      ['POST', `/articles/${uuidOf.article}/rate/`] as const,
      ['POST', '/articles/echo/'] as const,
    ]
    return fc
      .constantFrom(...routes)
      .chain(([method, path]) =>
        fc
          .record({ headers: contentTypes(), body: bodies(payload, path.includes('/bulk-')) })
          .map(({ headers, body }) => ({ method, path, headers, body })),
      )
  })
}

function contentTypes(): fc.Arbitrary<Readonly<Record<string, string>>> {
  const json = fc.constant({ 'content-type': 'application/json' })
  const others = [
    '',
    'text/plain',
    'application/json; charset=latin1',
    'application/json;;',
    'APPLICATION/JSON',
    'x',
    '/',
  ]
  return fc.oneof(
    { weight: 15, arbitrary: json },
    { weight: 1, arbitrary: fc.constantFrom(...others).map(type => ({ 'content-type': type })) },
    { weight: 1, arbitrary: fc.constant({}) },
  )
}

function bodies(payload: Readonly<Record<string, unknown>>, many: boolean): fc.Arbitrary<Uint8Array> {
  const text = fc.oneof(
    { weight: 6, arbitrary: items(payload, many) },
    { weight: 1, arbitrary: fc.json() },
    { weight: 1, arbitrary: fc.constantFrom(...HOSTILE_TEXTS) },
  )
  const bytes = text.map(source => Buffer.from(source))
  return fc.oneof(
    { weight: 6, arbitrary: bytes },
    { weight: 2, arbitrary: fc.tuple(bytes, changes()).map(([whole, parts]) => changed(whole, parts)) },
    { weight: 1, arbitrary: fc.uint8Array({ maxLength: 200 }) },
  )
}

/** A payload, several, or ids of records, as JSON text with hostile parts. */
function items(payload: Readonly<Record<string, unknown>>, many: boolean): fc.Arbitrary<string> {
  const { id, code } = payload
  const ids = fc.oneof(fc.constant(JSON.stringify(id ?? code)), value())
  const list = (item: fc.Arbitrary<string>) => fc.array(item, { maxLength: 4 }).map(texts => `[${texts.join(',')}]`)
  return fc.oneof(
    { weight: many ? 1 : 8, arbitrary: object(payload) },
    { weight: many ? 4 : 1, arbitrary: list(object(payload)) },
    { weight: 1, arbitrary: list(fc.oneof(object(payload), value())) },
    { weight: many ? 2 : 1, arbitrary: list(ids) },
  )
}

function value(): fc.Arbitrary<string> {
  return fc.oneof(fc.constantFrom(...HOSTILE_TEXTS), fc.json({ maxDepth: 3 }))
}

/** The payload as JSON text. Of its members, many are hostile, few or none: that decides how far the body gets. */
function object(payload: Readonly<Record<string, unknown>>): fc.Arbitrary<string> {
  return fc.constantFrom(4, 40, 400).chain(goodness => objectOf(payload, goodness))
}

function objectOf(payload: Readonly<Record<string, unknown>>, goodness: number): fc.Arbitrary<string> {
  const members = Object.entries(payload).map(([key, good]) =>
    fc
      .oneof(
        {
          weight: goodness,
          arbitrary: fc.oneof(fc.constant(JSON.stringify(good)), FRESH[key] ?? fc.constant(JSON.stringify(good))),
        },
        { weight: 1, arbitrary: value() },
        // What is right for another field.
        { weight: 1, arbitrary: fc.constantFrom(...Object.values(payload)).map(other => JSON.stringify(other)) },
        { weight: 1, arbitrary: fc.constant(null) },
      )
      .map(text => (text === null ? [] : [`${quoted(key)}:${text}`])),
  )
  const strangers = fc.array(
    fc.tuple(fc.constantFrom(...HOSTILE_KEYS), value()).map(([key, text]) => `${quoted(key)}:${text}`),
    { maxLength: 2 },
  )
  return fc
    .tuple(
      fc.tuple(...members),
      fc.oneof({ weight: 3, arbitrary: fc.constant([]) }, { weight: 1, arbitrary: strangers }),
    )
    .map(([own, more]) => `{${[...own.flat(), ...more].join(',')}}`)
}

function quoted(text: string): string {
  return JSON.stringify(text)
}

interface Change {
  readonly at: number
  readonly cut: number
  readonly put: Uint8Array
}

function changes(): fc.Arbitrary<Change[]> {
  const put = fc.oneof(
    fc.constantFrom(...['{', '}', '[', ']', ',', ':', '"', '\\', '\0', 'é'].map(text => Buffer.from(text))),
    fc.uint8Array({ maxLength: 3 }),
  )
  return fc.array(fc.record({ at: fc.nat(), cut: fc.nat({ max: 4 }), put }), { minLength: 1, maxLength: 3 })
}

function changed(whole: Uint8Array, parts: readonly Change[]): Uint8Array {
  return parts.reduce<Uint8Array>((bytes, { at, cut, put }) => {
    const position = at % (bytes.length + 1)
    return Buffer.concat([bytes.subarray(0, position), put, bytes.subarray(position + cut)])
  }, whole)
}
