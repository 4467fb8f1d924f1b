import { eq, type SQL, sql } from 'drizzle-orm'
import { pgSchema, text, uuid as uuidColumn } from 'drizzle-orm/pg-core'
import {
  AllowAny,
  BaseModelSerializer,
  BaseViewSet,
  BulkViewSet,
  ConfigError,
  ExpressionField,
  type ExpressionTypes,
  IdToDataField,
  ManyIdToDataField,
  ReadOnlyViewSet,
  scoped,
} from 'viewset'
import { beforeEach, describe, expect, test } from 'vitest'
import { useApi } from '../support/api.ts'
import { capturedLog } from '../support/captured-log.ts'
import { describeDialects, pgDialect, sqliteDialect } from '../support/dialects.ts'
import { expectSuccess, ID, uuid } from '../support/expect.ts'
import { library, stock } from '../support/library.ts'

describeDialects('a field that the database computes', dialect => {
  const tables = library(dialect.kit)
  const { people, books, chapters } = tables
  const permissionClasses = [AllowAny]
  // The library's own names and a value in each, so that no place for values can be mixed up with another.
  const written = ExpressionField({
    expression: sql`(select count(*) from ${books} where ${books.author} = ${people.id} and ${books.title} <> ${'none'})`,
    type: 'integer',
    notNull: true,
  })
  const lastTitle = ExpressionField({
    expression: sql`(select max(${books.title}) from ${books} where ${books.author} = ${people.id} and ${books.title} <> ${'none'})`,
    type: 'text',
  })
  const letters = ExpressionField({
    expression: sql`length(${books.title}) + cast(${100} as integer)`,
    type: 'integer',
    notNull: true,
  })
  const everyone = scoped(people, () => sql`${people.name} <> ${'Nobody'}`)
  const PersonReference = BaseModelSerializer(people, { fields: ['name'], extra: { written } })
  const PersonSerializer = BaseModelSerializer(people, { fields: ['id', 'name'], extra: { written, lastTitle } })
  const BookSerializer = BaseModelSerializer(books, {
    fields: ['title', 'author', 'editor'],
    extra: {
      author: IdToDataField({ queryset: people, serializer: PersonReference }),
      editor: IdToDataField({ queryset: everyone, serializer: PersonReference, scopeReads: true }),
      letters,
      shout: book => `${book.title}!`,
    },
  })
  const api = useApi(dialect, {
    tables,
    resources: {
      people: BulkViewSet({
        model: people,
        serializer: PersonSerializer,
        permissionClasses,
        ordering: ['-written', 'name'],
        orderingFields: ['name'],
        computedOrderingFields: { written, both: [written, 'name'] },
        filterFields: ['name', 'team'],
        searchFields: ['name'],
        queryset: () => sql`${people.team} <> ${'hidden'}`,
      }),
      books: BaseViewSet({
        model: books,
        serializer: BookSerializer,
        permissionClasses,
        ordering: 'title',
        computedOrderingFields: { letters, author_name: 'author__name' },
        queryset: () => sql`${books.title} <> ${'hidden'}`,
      }),
      chapters: BaseViewSet({
        model: chapters,
        serializer: BaseModelSerializer(chapters, {
          fields: ['title'],
          extra: { book: IdToDataField({ queryset: books, serializer: BookSerializer }) },
        }),
        permissionClasses,
      }),
      lists: BaseViewSet({
        model: people,
        serializer: BaseModelSerializer(people, {
          fields: ['name'],
          extra: {
            books: ManyIdToDataField({
              queryset: books,
              column: 'author',
              serializer: BaseModelSerializer(books, { fields: ['title'], extra: { letters } }),
              ordering: 'title',
            }),
          },
        }),
        permissionClasses,
        ordering: 'name',
      }),
    },
  })
  const [ada, bob] = [uuid(1), uuid(2)]
  beforeEach(() =>
    stock(api.database, tables, {
      people: [
        { id: ada, name: 'Ada' },
        { id: bob, name: 'Bob' },
        { id: uuid(3), name: 'Nobody' },
      ],
      books: [
        { id: uuid(11), title: 'A', author: bob, editor: uuid(3) },
        { id: uuid(12), title: 'Łódź', author: bob, editor: ada },
        { id: uuid(13), title: 'C', author: ada },
      ],
      chapters: [{ id: uuid(21), title: 'one', book: uuid(11) }],
    }),
  )
  const shownAda = { id: ada, name: 'Ada', written: 1, last_title: 'C' }
  const shownBob = { id: bob, name: 'Bob', written: 2, last_title: 'Łódź' }
  const shownNobody = { id: uuid(3), name: 'Nobody', written: 0, last_title: null }
  const indexed = (...items: readonly object[]) => items.map((item, i) => ({ ...item, index: i + 1 }))

  test('is shown in lists, whole or in pages, and can be ordered by under the same declaration', async () => {
    const data = indexed(shownBob, shownAda, shownNobody)
    expectSuccess(await api.get('/people/'), 200, { count: 3, data })
    expectSuccess(await api.get('/people/?paginated=false'), 200, { data })
    expectSuccess(await api.get('/people/?ordering=written'), 200, {
      count: 3,
      data: indexed(shownNobody, shownAda, shownBob),
    })
    expectSuccess(await api.get('/people/?ordering=-both&team=red&search=b&page_size=2'), 200, {
      count: 2,
      data: indexed(shownBob, shownNobody),
    })
  })

  test('is shown on retrieve, create and update', async () => {
    expectSuccess(await api.get(`/people/${bob}/`), 200, { data: shownBob })
    expectSuccess(await api.post('/people/', { name: 'Cy', written: 7 }), 201, {
      data: { id: ID, name: 'Cy', written: 0, last_title: null },
    })
    expectSuccess(await api.patch(`/people/${bob}/`, { name: 'Rob', last_title: 'x' }), 200, {
      data: { ...shownBob, name: 'Rob' },
    })
  })

  test('is shown by bulk actions', async () => {
    expectSuccess(await api.post('/people/bulk-create/', [{ name: 'Cy' }]), 201, {
      data: [{ id: ID, name: 'Cy', written: 0, last_title: null }],
    })
    expectSuccess(await api.patch('/people/bulk-update/', [{ id: bob }, { id: ada, name: 'Ann' }]), 200, {
      data: [shownBob, { ...shownAda, name: 'Ann' }],
    })
  })

  test('is shown inside of other records, at any depth and beside scopes', async () => {
    const book = {
      title: 'A',
      author: { name: 'Bob', written: 2 },
      editor: null,
      letters: 101,
      shout: 'A!',
    }
    expectSuccess(await api.get('/books/?page_size=2'), 200, {
      count: 3,
      next: 'http://localhost:80/api/books/?page_size=2&page=2',
      data: indexed(book, {
        title: 'C',
        author: { name: 'Ada', written: 1 },
        editor: null,
        letters: 101,
        shout: 'C!',
      }),
    })
    expectSuccess(await api.get('/books/?paginated=false&ordering=author_name,-letters'), 200, {
      data: indexed(
        { title: 'C', author: { name: 'Ada', written: 1 }, editor: null, letters: 101, shout: 'C!' },
        {
          title: 'Łódź',
          author: { name: 'Bob', written: 2 },
          editor: { name: 'Ada', written: 1 },
          letters: 104,
          shout: 'Łódź!',
        },
        book,
      ),
    })
    expectSuccess(await api.get('/chapters/'), 200, { count: 1, data: indexed({ title: 'one', book }) })
    expectSuccess(await api.get(`/chapters/${uuid(21)}/`), 200, { data: { title: 'one', book } })
  })

  test('is shown in lists inside of records', async () => {
    expectSuccess(await api.get('/lists/?page_size=2'), 200, {
      count: 3,
      next: 'http://localhost:80/api/lists/?page_size=2&page=2',
      data: indexed(
        { name: 'Ada', books: [{ title: 'C', letters: 101 }] },
        {
          name: 'Bob',
          books: [
            { title: 'A', letters: 101 },
            { title: 'Łódź', letters: 104 },
          ],
        },
      ),
    })
  })

  test('costs no statement more', async () => {
    expect(await api.statementsOf(() => api.get('/people/'))).toHaveLength(2)
    expect(await api.statementsOf(() => api.get(`/people/${bob}/`))).toHaveLength(1)
    expect(await api.statementsOf(() => api.get('/chapters/'))).toHaveLength(2)
    expect(await api.statementsOf(() => api.get('/lists/'))).toHaveLength(3)
  })

  test('is worked out for the rows of a page only', async () => {
    const [, page] = await api.statementsOf(() => api.get('/people/?ordering=name'))
    expect(page?.indexOf('count(*)')).toBeLessThan(page?.indexOf(' from (select ') ?? 0)
    expect(page?.match(/count\(\*\)/g)).toHaveLength(1)
  })
})

describeDialects('values of each type', dialect => {
  const tables = library(dialect.kit)
  const { people } = tables
  const isPg = dialect.name === 'pg'
  const field = (type: keyof ExpressionTypes, expression: SQL) => ExpressionField({ type, expression })
  const api = useApi(dialect, {
    tables,
    resources: {
      people: ReadOnlyViewSet({
        model: people,
        serializer: BaseModelSerializer(people, {
          fields: [],
          extra: {
            text: field('text', sql`${people.name} || ${' "Ł"'}`),
            integer: field('integer', sql`count(*) over ()`),
            bigint: field('bigint', sql`9007199254740993`),
            float: field('float', sql`1.0 / 4`),
            decimal: ExpressionField({
              type: 'decimal',
              expression: sql`cast(2.5 as ${sql.raw(isPg ? 'numeric(4, 2)' : 'real')})`,
              scale: 2,
            }),
            third: ExpressionField({ type: 'decimal', expression: sql`10.0 / 3`, scale: 2 }),
            truth: field('boolean', sql`${people.team} = ${'red'}`),
            when: field(
              'timestamp',
              isPg ? sql`timestamptz '2026-01-15 10:30:00.12+00'` : sql`'2026-01-15T10:30:00.120000Z'`,
            ),
            day: field('date', isPg ? sql`date '2026-01-15'` : sql`'2026-01-15'`),
            key: field('uuid', sql`${people.id}`),
            json: field('json', isPg ? sql`json_build_array(1, null)` : sql`json_array(1, null)`),
            nothing: field('integer', sql`nullif(1, 1)`),
          },
        }),
        permissionClasses: [AllowAny],
      }),
    },
  })

  test('are written as those of a column are', async () => {
    await stock(api.database, tables, { people: [{ id: uuid(1), name: 'Ada' }] })
    const data = {
      text: 'Ada "Ł"',
      integer: 1,
      bigint: '9007199254740993',
      float: 0.25,
      decimal: '2.50',
      third: '3.33',
      truth: true,
      when: '2026-01-15T10:30:00.120000Z',
      day: '2026-01-15',
      key: uuid(1),
      json: [1, null],
      nothing: null,
    }
    expectSuccess(await api.get('/people/'), 200, { count: 1, data: [{ ...data, index: 1 }] })
    expectSuccess(await api.get(`/people/${uuid(1)}/`), 200, { data })
  })
})

describeDialects('an expression of another type than declared', dialect => {
  const tables = library(dialect.kit)
  const { people, books } = tables
  const isPg = dialect.name === 'pg'
  const permissionClasses = [AllowAny]
  const expressions: Readonly<Record<string, SQL>> = {
    word: sql`${people.name}`,
    digits: sql`${'007'} || ''`,
    huge: sql`${'9007199254740993'} || ''`,
    whole: sql`6.0 / 2`,
    half: sql`2.5 * 1`,
    half_text: sql`${'2.5'} || ''`,
    day: isPg ? sql`date '2026-01-15'` : sql`'2026-01-15'`,
    object: isPg ? sql`json_build_object('a', 1)` : sql`json_object('a', 1)`,
    fragment: sql`${'1,"admin":true'} || ''`,
    nothing: sql`nullif(1, 1)`,
  }
  const kindsOf: Readonly<Record<string, readonly (keyof ExpressionTypes)[]>> = {
    word: ['integer', 'bigint', 'float', 'decimal', 'boolean', 'timestamp', 'date', 'time', 'uuid', 'json'],
    half: ['integer', 'bigint', 'timestamp', 'date', 'time', 'uuid'],
    huge: ['integer'],
    day: ['integer', 'float', 'decimal', 'boolean', 'timestamp', 'time', 'uuid', 'json'],
    object: ['integer', 'float', 'decimal', 'boolean', 'timestamp', 'date', 'time', 'uuid'],
    fragment: ['integer', 'bigint', 'float', 'decimal', 'boolean', 'timestamp', 'date', 'time', 'uuid', 'json'],
  }
  const wrong = Object.entries(kindsOf).flatMap(([name, kinds]) => kinds.map(type => ({ name, type })))
  const showing = (extra: Record<string, ReturnType<typeof ExpressionField>>) =>
    BaseModelSerializer(people, { fields: ['name'], extra })
  const field = (name: string, type: keyof ExpressionTypes, notNull = false) =>
    ExpressionField({ expression: expressions[name]!, type, notNull })
  const Wrong = showing({ n: field('word', 'integer') })
  const right = {
    digits: field('digits', 'integer'),
    digitsBigint: field('digits', 'bigint'),
    huge: field('huge', 'bigint'),
    whole: field('whole', 'integer'),
    half: field('half_text', 'float'),
    halfDecimal: field('half', 'decimal'),
    halfText: field('half', 'text'),
    fragment: field('fragment', 'text'),
  }
  const log = capturedLog()
  const api = useApi(dialect, {
    tables,
    server: log.server,
    resources: {
      names: ReadOnlyViewSet({ model: people, serializer: showing({}), permissionClasses }),
      ...Object.fromEntries(
        wrong.map(({ name, type }) => [
          `${name}-${type}`,
          ReadOnlyViewSet({ model: people, serializer: showing({ n: field(name, type) }), permissionClasses }),
        ]),
      ),
      'nothing-integer': ReadOnlyViewSet({
        model: people,
        serializer: showing({ n: field('nothing', 'integer', true) }),
        permissionClasses,
      }),
      right: ReadOnlyViewSet({ model: people, serializer: showing(right), permissionClasses }),
      people: BulkViewSet({ model: people, serializer: Wrong, permissionClasses }),
      books: ReadOnlyViewSet({
        model: books,
        serializer: BaseModelSerializer(books, {
          fields: ['title', 'author'],
          extra: { author: IdToDataField({ queryset: people, serializer: Wrong }) },
        }),
        permissionClasses,
      }),
    },
  })
  beforeEach(() =>
    stock(api.database, tables, {
      people: [{ id: uuid(1), name: 'SECRET' }],
      books: [{ id: uuid(11), title: 'A', author: uuid(1) }],
    }),
  )
  const problem = (type: string) =>
    `BaseModelSerializer(people): extra: "n" is an ExpressionField of type '${type}', and its SQL returns another ` +
    'type; cast it in SQL, or declare the type it has'

  const logged = async (ask: () => Promise<{ readonly status: number; readonly text: string }>) => {
    log.lines.length = 0
    const { status, text } = await ask()
    expect(text).not.toContain('SECRET')
    return [status, ...log.lines.map(({ err }) => (err as Error).message)]
  }

  test.each(wrong)('is an error that says so: $name as $type', async ({ name, type }) => {
    expect(await logged(() => api.get(`/${name}-${type}/`))).toEqual([500, problem(type)])
  })

  test('is an error on every way to read and write it, and nothing is written', async () => {
    const id = uuid(1)
    const ways: readonly (readonly [string, () => ReturnType<typeof api.get>])[] = [
      ['list', () => api.get('/people/')],
      ['retrieve', () => api.get(`/people/${id}/`)],
      ['create', () => api.post('/people/', { name: 'SECRET 2' })],
      ['update', () => api.patch(`/people/${id}/`, { name: 'SECRET 2' })],
      ['bulk create', () => api.post('/people/bulk-create/', [{ name: 'SECRET 2' }])],
      ['bulk update', () => api.patch('/people/bulk-update/', [{ id, name: 'SECRET 2' }])],
      ['export', () => api.post('/people/export/', { file_type: 'csv' })],
      ['inside of another record', () => api.get('/books/')],
    ]
    for (const [way, ask] of ways) expect([way, ...(await logged(ask))]).toEqual([way, 500, problem('integer')])
    expect((await api.get('/names/')).data()).toEqual([{ name: 'SECRET', index: 1 }])
  })

  test('is an error where notNull says that there is a value', async () => {
    expect(await logged(() => api.get('/nothing-integer/'))).toEqual([
      500,
      'BaseModelSerializer(people): extra: "n" is an ExpressionField with notNull, and its SQL returns null; ' +
        'leave notNull out, or use coalesce(...) in SQL',
    ])
  })

  test('is converted where that loses nothing, in JSON and in files', async () => {
    const data = {
      name: 'SECRET',
      digits: 7,
      digits_bigint: 7,
      huge: '9007199254740993',
      whole: 3,
      half: 2.5,
      half_decimal: '2.5',
      half_text: '2.5',
      fragment: '1,"admin":true',
    }
    expectSuccess(await api.get('/right/'), 200, { count: 1, data: [{ ...data, index: 1 }] })
    expect((await api.post('/right/export/', { file_type: 'csv' })).text.split('\r\n')[1]).toBe(
      'SECRET,7,7,9007199254740993,3,2.5,2.5,2.5,"1,""admin"":true"',
    )
  })
})

describe('pg: a table in a schema', () => {
  const archive = pgSchema('archive')
  const parents = archive.table('parents', { id: uuidColumn().primaryKey(), name: text().notNull() })
  const items = archive.table('items', {
    id: uuidColumn().primaryKey(),
    parent: uuidColumn()
      .notNull()
      .references(() => parents.id),
  })
  const size = ExpressionField({
    expression: sql`(select count(*) from ${items} where ${items.parent} = ${parents.id})`,
    type: 'integer',
  })
  const ParentSerializer = BaseModelSerializer(parents, { fields: ['name'], extra: { size } })
  const permissionClasses = [AllowAny]
  const api = useApi(pgDialect, {
    tables: { archive, parents, items },
    resources: {
      parents: ReadOnlyViewSet({
        model: parents,
        serializer: ParentSerializer,
        permissionClasses,
        computedOrderingFields: { size },
      }),
      items: ReadOnlyViewSet({
        model: items,
        serializer: BaseModelSerializer(items, {
          fields: ['parent'],
          extra: {
            parent: IdToDataField({
              queryset: scoped(parents, () => eq(parents.name, 'A')),
              serializer: ParentSerializer,
              scopeReads: true,
            }),
            same: ExpressionField({ expression: sql`${items.id} = ${items.parent}`, type: 'boolean' }),
          },
        }),
        permissionClasses,
      }),
    },
  })

  test('has computed fields as well, on its own and inside of another record', async () => {
    await api.database.driver.run({ text: `insert into archive.parents values ('${uuid(1)}', 'A')` }, [])
    await api.database.driver.run({ text: `insert into archive.items values ('${uuid(2)}', '${uuid(1)}')` }, [])
    const parent = { name: 'A', size: 1 }
    expectSuccess(await api.get('/parents/?ordering=-size'), 200, { count: 1, data: [{ ...parent, index: 1 }] })
    expectSuccess(await api.get(`/parents/${uuid(1)}/`), 200, { data: parent })
    expectSuccess(await api.get('/items/'), 200, { count: 1, data: [{ parent, same: false, index: 1 }] })
  })
})

describe('a wrong declaration stops the start', () => {
  const { people } = library(sqliteDialect.kit)
  const declare = (options: object) => () => ExpressionField(options as Parameters<typeof ExpressionField>[0])

  test.each([
    [declare({ expression: 'name', type: 'text' }), 'ExpressionField: expression: must be made with sql`...`'],
    [
      declare({ expression: sql`1`, type: 'number' }),
      'ExpressionField: type: must be one of text, integer, bigint, float, decimal, boolean, timestamp, date, time, uuid, json',
    ],
    [
      () =>
        BaseModelSerializer(people, {
          fields: ['name'],
          extra: { name: ExpressionField({ expression: sql`1`, type: 'integer' }) },
        }),
      'BaseModelSerializer(people): extra: "people" has a column "name"; name the expression otherwise',
    ],
  ])('%#', (make, message) => {
    expect(make).toThrow(new ConfigError(...(message.split(': ', 3) as [string, string, string])))
  })
})
