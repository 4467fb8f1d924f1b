import { parse } from 'csv-parse/sync'
import { eq, sql } from 'drizzle-orm'
import * as pg from 'drizzle-orm/pg-core'
import * as lite from 'drizzle-orm/sqlite-core'
import { type CellValue, readXlsx } from 'hucre/xlsx'
import {
  AllowAny,
  BaseModelSerializer,
  CustomOutputField,
  currentUser,
  ExpressionField,
  IdToDataField,
  IdToStrField,
  insertMany,
  ManyIdToDataField,
  ReadOnlyViewSet,
  scoped,
} from 'viewset'
import { describe, expect, test } from 'vitest'
import { useApi } from '../support/api.ts'
import { describeDialects, pgDialect, sqliteDialect } from '../support/dialects.ts'
import { uuid } from '../support/expect.ts'
import { library, stock } from '../support/library.ts'
import { models, seed, users, uuidOf } from '../support/models.ts'
import { serializers } from '../support/serializers.ts'

describeDialects('a cell of an export', dialect => {
  describe('has the type of its column', () => {
    const tables = models(dialect.kit)
    const { articles, loans } = tables
    const { ArticleSerializer, LoanSerializer } = serializers(tables)
    const api = useApi(dialect, {
      tables,
      users,
      resources: {
        articles: ReadOnlyViewSet({
          model: articles,
          serializer: ArticleSerializer,
          permissionClasses: [AllowAny],
          ordering: 'title',
        }),
        loans: ReadOnlyViewSet({ model: loans, serializer: LoanSerializer, permissionClasses: [AllowAny] }),
      },
    })
    const includes = [
      'title',
      'status',
      'price',
      'rating',
      'views',
      'featured',
      'published_at',
      'released_on',
      'reference',
      'metadata',
    ]

    const store = () =>
      seed(api.database, tables, {
        authors: [{ id: uuidOf.ada, name: 'Ada' }],
        articles: [
          {
            title: '00123',
            author: uuidOf.ada,
            price: '29.90',
            rating: -5,
            views: 12345678901234567n,
            featured: true,
            publishedAt: '2026-01-15T10:30:00.123456Z',
            releasedOn: '2026-01-16',
            reference: uuidOf.reference,
            metadata: { tags: ['a'] },
          },
          { title: 'Empty', author: uuidOf.ada },
        ],
      })

    async function sheetOf(path: string, body: object): Promise<CellValue[][]> {
      const { bytes } = await api.post(path, { file_type: 'xlsx', ...body })
      return (await readXlsx(bytes)).sheets[0]!.rows
    }

    test('in XLSX: numbers, dates and booleans are no text, and long digits are', async () => {
      await store()
      const [header, full, empty] = await sheetOf('/articles/export/', { includes })
      expect(header).toEqual(
        'Title,Status,Price,Rating,Views,Featured,Published at,Released on,Reference,Metadata'.split(','),
      )
      expect(full?.slice(0, -1)).toEqual([
        '00123',
        'draft',
        29.9,
        -5,
        '12345678901234567',
        true,
        new Date('2026-01-15T10:30:00.123Z'),
        new Date('2026-01-16T00:00:00Z'),
        uuidOf.reference,
      ])
      expect(JSON.parse(String(full?.at(-1)))).toEqual({ tags: ['a'] })
      expect(empty?.filter(value => value !== null && value !== undefined)).toEqual(['Empty', 'draft', false])
    })

    test('in CSV: the values of the wire, to the last digit', async () => {
      await store()
      const response = await api.post('/articles/export/', { file_type: 'csv', includes: includes.slice(0, -1) })
      expect(parse(response.text).slice(1)).toEqual([
        [
          '00123',
          'draft',
          '29.90',
          '-5',
          '12345678901234567',
          'true',
          '2026-01-15T10:30:00.123456Z',
          '2026-01-16',
          uuidOf.reference,
        ],
        ['Empty', 'draft', '', '', '', 'false', '', '', ''],
      ])
    })

    test('also where the client sends the rows', async () => {
      const data = [{ title: '=1', price: '29.90', rating: '7', views: '12345678901234567', released_on: '2026-01-16' }]
      const columns = ['title', 'price', 'rating', 'views', 'released_on']
      expect((await sheetOf('/articles/export/', { includes: columns, data }))[1]).toEqual([
        '=1',
        29.9,
        7,
        '12345678901234567',
        new Date('2026-01-16T00:00:00Z'),
      ])
    })

    test('when it is a 64-bit key and a decimal of many digits', async () => {
      await seed(api.database, tables, {
        shelves: [{ id: 1, label: 'A' }],
        loans: [{ id: 9007199254740993n, shelf: 1, fee: '1234567890.12345' }],
      })
      expect((await sheetOf('/loans/export/', {}))[1]).toEqual(['9007199254740993', 1, 1234567890.12345])
    })
  })

  describe('of a relation', () => {
    const tables = library(dialect.kit)
    const { people, books, bookTags, chapters, tags } = tables
    const mine = scoped(people, ({ user }) => eq(people.team, user?.roles?.[0] ?? 'nobody'))
    const Person = BaseModelSerializer(people, { fields: ['id', 'name'] })
    const Tag = BaseModelSerializer(tags, { fields: ['label'] })
    const tagsOfBook = ManyIdToDataField({ queryset: tags, serializer: Tag, through: bookTags, ordering: 'label' })
    const common = { model: books, permissionClasses: [AllowAny], ordering: 'title' } as const
    const api = useApi(dialect, {
      tables,
      users: { red: { id: 'r', roles: ['red'] }, blue: { id: 'b', roles: ['blue'] } },
      resources: {
        books: ReadOnlyViewSet({
          ...common,
          serializer: BaseModelSerializer(books, {
            fields: ['title', 'author', 'editor'],
            extra: {
              author: IdToDataField({ queryset: people, serializer: Person }),
              editor: IdToStrField({ queryset: people, str: 'name' }),
              writer: CustomOutputField({
                column: 'author',
                readOnly: true,
                queryset: people,
                output: person => `${person.name} of ${person.team}`,
              }),
              tags: tagsOfBook,
              shout: book => `${book.title.toUpperCase()}!`,
              size: book => book.title.length,
              chapters: ExpressionField({
                expression: sql`(select count(*) from ${chapters} where ${chapters.book} = ${books.id})`,
                type: 'integer',
              }),
              words: book => ({ count: BigInt(book.title.split(' ').length) }),
              nothing: () => undefined,
            },
          }),
        }),
        mixed: ReadOnlyViewSet({
          ...common,
          serializer: BaseModelSerializer(books, {
            fields: ['title'],
            extra: {
              editor: IdToStrField({ queryset: mine, str: 'name' }),
              late: () => new Date('2026-01-15T10:30:00Z'),
              never: () => new Date('never'),
              own: () => ({ toJSON: () => 'as it says' }),
            },
          }),
          exportFieldConfig: { editor: 'Editor', editor__team: 'Team', late: 'Late', never: 'Never', own: 'Own' },
        }),
        configured: ReadOnlyViewSet({
          ...common,
          serializer: BaseModelSerializer(books, {
            fields: ['title', 'author', 'editor'],
            extra: {
              author: IdToDataField({ queryset: people, serializer: Person }),
              editor: IdToDataField({ queryset: mine, serializer: Person }),
              readers: ManyIdToDataField({
                queryset: scoped(tags, ({ user }) => eq(tags.team, user?.roles?.[0] ?? 'nobody')),
                serializer: Tag,
                through: bookTags,
                scopeReads: true,
              }),
              asker: () => String(currentUser()?.id ?? null),
            },
          }),
          exportFieldConfig: {
            title: 'Title',
            author__name: 'Author',
            author__mentor__name: 'Mentor of the author',
            editor__name: 'Editor',
            editor__mentor__name: 'Mentor of the editor',
            editor__team: 'Team',
            readers: 'Readers',
            asker: 'Asker',
          },
        }),
      },
    })
    const rows = async (path: string, body: object = {}, as?: string) => {
      const response = await api.post(path, { file_type: 'csv', ...body }, as === undefined ? {} : { as })
      return parse(response.text) as string[][]
    }
    const store = () =>
      stock(api.database, tables, {
        people: [
          { id: uuid(1), name: 'Ada', team: 'red' },
          { id: uuid(2), name: 'Bob', team: 'blue', mentor: uuid(1) },
        ],
        books: [
          { id: uuid(11), title: 'Big Looms', author: uuid(2), editor: uuid(1) },
          { id: uuid(12), title: 'Engines', author: uuid(1), editor: uuid(2) },
          { id: uuid(13), title: 'Gardens', author: uuid(1) },
        ],
        tags: [
          { id: uuid(21), label: 'b', team: 'red' },
          { id: uuid(22), label: 'a', team: 'blue' },
        ],
        chapters: [{ title: 'One', book: uuid(11) }],
        bookTags: [
          { book: uuid(11), tag: uuid(21) },
          { book: uuid(11), tag: uuid(22) },
        ],
      })

    test('or of a function is text or a number as it is, and JSON where it has a structure', async () => {
      await store()
      expect(await rows('/books/export/')).toEqual([
        ['Title', 'Author', 'Editor', 'Writer', 'Tags', 'Shout', 'Size', 'Chapters', 'Words', 'Nothing'],
        [
          'Big Looms',
          `{"id":"${uuid(2)}","name":"Bob"}`,
          'Ada',
          'Bob of blue',
          '[{"label":"a"},{"label":"b"}]',
          'BIG LOOMS!',
          '9',
          '1',
          '{"count":2}',
          '',
        ],
        [
          'Engines',
          `{"id":"${uuid(1)}","name":"Ada"}`,
          'Bob',
          'Ada of red',
          '[]',
          'ENGINES!',
          '7',
          '0',
          '{"count":1}',
          '',
        ],
        [
          'Gardens',
          `{"id":"${uuid(1)}","name":"Ada"}`,
          '',
          'Ada of red',
          '[]',
          'GARDENS!',
          '7',
          '0',
          '{"count":1}',
          '',
        ],
      ])
    })

    test('can be any selection, in any order', async () => {
      await store()
      const includes = ['tags', 'chapters', 'size', 'editor', 'author', 'title']
      expect((await rows('/books/export/', { includes }))[1]).toEqual([
        '[{"label":"a"},{"label":"b"}]',
        '1',
        '9',
        'Ada',
        `{"id":"${uuid(2)}","name":"Bob"}`,
        'Big Looms',
      ])
    })

    test('by a path joins each foreign key once and follows several', async () => {
      await store()
      const statements = await api.statementsOf(async () => {
        expect(
          (await rows('/configured/export/', { includes: ['author__name', 'author__mentor__name'] })).slice(1),
        ).toEqual([
          ['Bob', 'Ada'],
          ['Ada', ''],
          ['Ada', ''],
        ])
      })
      expect(statements[0]?.match(/left join/g)).toHaveLength(2)
    })

    test.each([
      [
        'red',
        [
          ['Big Looms', 'Ada', '', 'red', '[{"label":"b"}]', 'r'],
          ['Engines', '', '', '', '[]', 'r'],
        ],
      ],
      [
        'blue',
        [
          ['Big Looms', '', '', '', '[{"label":"a"}]', 'b'],
          ['Engines', 'Bob', 'Ada', 'blue', '[]', 'b'],
        ],
      ],
    ])("by a path shows what the relation's queryset has for %s", async (user, expected) => {
      await store()
      const includes = ['title', 'editor__name', 'editor__mentor__name', 'editor__team', 'readers', 'asker']
      expect((await rows('/configured/export/', { includes }, user)).slice(1, 3)).toEqual(expected)
    })

    test('shows the stored record as the list does, and by a path no more than the queryset, in one file', async () => {
      await store()
      const expected = ['Bob', '', '2026-01-15T10:30:00.000Z', '', 'as it says']
      expect((await rows('/mixed/export/', {}, 'red'))[2]).toEqual(expected)
      const includes = ['editor__team', 'editor']
      expect((await rows('/mixed/export/', { includes }, 'red'))[2]).toEqual(['', 'Bob'])
    })

    test('is read for the user who asks, also in the last of many batches', async () => {
      const count = 2_500
      const bookIds = Array.from({ length: count }, (_, n) => uuid(1_000 + n))
      await stock(api.database, tables, {
        people: [{ id: uuid(1), name: 'Ada', team: 'red' }],
        tags: [{ id: uuid(21), label: 'x', team: 'red' }],
      })
      await api.database.transaction(async () => {
        await insertMany(
          books,
          bookIds.map(id => ({ id, title: id, author: uuid(1) })),
        )
        await insertMany(
          bookTags,
          bookIds.map(book => ({ book, tag: uuid(21) })),
        )
      })
      const all = (await rows('/configured/export/', { includes: ['readers', 'asker'] }, 'red')).slice(1)
      expect(all).toHaveLength(count)
      expect(new Set(all.map(row => row.join()))).toEqual(new Set(['[{"label":"x"}],r']))
    })
  })
})

describe('a cell of a plain Drizzle table has what the list shows, whatever its records hold', () => {
  const permissionClasses = [AllowAny]

  describe('pg', () => {
    const rates = pg.pgTable('rates', {
      id: pg.bigint({ mode: 'number' }).primaryKey(),
      rate: pg.numeric({ mode: 'number' }),
      total: pg.numeric({ mode: 'bigint' }),
      day: pg.date({ mode: 'date' }),
      at: pg.timestamp({ withTimezone: true }),
      local: pg.timestamp(),
      data: pg.jsonb(),
    })
    const serializer = BaseModelSerializer(rates, { fields: ['id', 'rate', 'total', 'day', 'at', 'local', 'data'] })
    const api = useApi(pgDialect, {
      tables: { rates },
      resources: { rates: ReadOnlyViewSet({ model: rates, serializer, permissionClasses }) },
    })

    test('to the last digit', async () => {
      const at = '2026-01-15 10:30:00.123456'
      await api.database.driver.run(
        {
          text: `insert into rates values
            (1, 1234567890123456.7891, 123456789012345678901, '2026-01-15', '${at}+00', '${at}', 'null'),
            (9007199254740991, 'NaN', null, 'infinity', 'infinity', null, '{}')`,
        },
        [],
      )
      const { text } = await api.post('/rates/export/', { file_type: 'csv' })
      expect(parse(text).slice(1)).toEqual([
        [
          '1',
          '1234567890123456.7891',
          '123456789012345678901',
          '2026-01-15',
          '2026-01-15T10:30:00.123456Z',
          '2026-01-15T10:30:00.123456Z',
          '',
        ],
        ['9007199254740991', 'NaN', '', 'infinity', 'infinity', '', '{}'],
      ])
    })
  })

  describe('sqlite', () => {
    const rates = lite.sqliteTable('rates', {
      id: lite.integer().primaryKey(),
      seconds: lite.integer({ mode: 'timestamp' }),
      milliseconds: lite.integer({ mode: 'timestamp_ms' }),
      data: lite.text({ mode: 'json' }),
    })
    const serializer = BaseModelSerializer(rates, { fields: ['id', 'seconds', 'milliseconds', 'data'] })
    const api = useApi(sqliteDialect, {
      tables: { rates },
      resources: { rates: ReadOnlyViewSet({ model: rates, serializer, permissionClasses }) },
    })

    test('to the last digit', async () => {
      const at = Date.UTC(2026, 0, 15, 10, 30, 0, 123)
      await api.database.driver.run(
        { text: `insert into rates values (1, ${Math.floor(at / 1000)}, ${at}, 'null')` },
        [],
      )
      const { text } = await api.post('/rates/export/', { file_type: 'csv' })
      expect(parse(text)[1]).toEqual(['1', '2026-01-15T10:30:00.000000Z', '2026-01-15T10:30:00.123000Z', ''])
    })
  })
})
