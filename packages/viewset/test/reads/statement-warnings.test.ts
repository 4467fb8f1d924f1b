import { eq, sql } from 'drizzle-orm'
import Fastify from 'fastify'
import {
  AllowAny,
  BaseModelSerializer,
  boundedCount,
  CursorPagination,
  ExpressionField,
  findRecords,
  IdToDataField,
  insertMany,
  ManyIdToDataField,
  type ModelRecord,
  type Permission,
  ReadOnlyViewSet,
  StandardPageNumberPagination,
} from 'viewset'
import { resources as plugin, serverOptions } from 'viewset/fastify'
import { beforeEach, describe, expect, test, vi } from 'vitest'
import { useApi } from '../support/api.ts'
import { capturedLog } from '../support/captured-log.ts'
import { describeDialects } from '../support/dialects.ts'
import { uuid } from '../support/expect.ts'
import { library } from '../support/library.ts'

const BOOKS = 12

describeDialects('a list that asks for each record what could be asked for all', dialect => {
  const tables = library(dialect.kit)
  const { people, books, chapters, tags, bookTags } = tables
  const permissionClasses = [AllowAny]
  const Plain = BaseModelSerializer(books, { fields: ['id', 'title'] })
  const Tag = BaseModelSerializer(tags, { fields: ['label'] })
  const tagsField = ManyIdToDataField({ queryset: tags, serializer: Tag, through: bookTags })
  const Chapter = BaseModelSerializer(chapters, { fields: ['title'] })
  const WithLists = BaseModelSerializer(books, {
    fields: ['id', 'title'],
    extra: { tags: tagsField, chapters: ManyIdToDataField({ queryset: chapters, serializer: Chapter }) },
  })
  const Author = BaseModelSerializer(people, {
    fields: ['id', 'name'],
    extra: { books: ManyIdToDataField({ queryset: books, serializer: WithLists, column: 'author' }) },
  })
  const Deep = BaseModelSerializer(books, {
    fields: ['id', 'title', 'author', 'editor'],
    extra: {
      author: IdToDataField({ queryset: people, serializer: Author }),
      editor: IdToDataField({ queryset: people, serializer: Author }),
      initial: ({ title }) => title.slice(0, 1),
      length: ExpressionField({ expression: sql`length(${books.title})`, type: 'integer' }),
    },
  })
  class Bounded extends StandardPageNumberPagination {
    override readonly countStrategy = boundedCount({ limit: BOOKS - 1 })
  }
  const config = { model: books, serializer: Plain, permissionClasses } as const
  const asking: Permission = {
    hasPermission: async () => (await findRecords(people)).length > 0,
  }

  const builtIn = {
    plain: ReadOnlyViewSet({ ...config, searchFields: ['title'], filterFields: ['author'], orderingFields: ['title'] }),
    'relations-to-many': ReadOnlyViewSet({ ...config, serializer: WithLists }),
    'relations-at-depth': ReadOnlyViewSet({ ...config, serializer: Deep }),
    cursor: ReadOnlyViewSet({ ...config, ordering: '-editor', paginationClass: CursorPagination }),
    bounded: ReadOnlyViewSet({ ...config, paginationClass: Bounded }),
    whole: ReadOnlyViewSet({ ...config, serializer: Deep, paginationClass: null }),
    /** What asks once, or twice, is no mistake. */
    permission: ReadOnlyViewSet({ ...config, permissionClasses: [asking, asking] }),
  }
  class Serialized extends ReadOnlyViewSet(config) {
    override async serialize(book: ModelRecord<typeof books>) {
      await findRecords(people, eq(people.id, book.author))
      return super.serialize(book)
    }
  }
  class Mapped extends ReadOnlyViewSet(config) {
    override async list() {
      const page = await super.list()
      for (const { id } of await page.items()) await findRecords(chapters, eq(chapters.book, id))
      return page
    }
  }
  const log = capturedLog('warn')
  const options = { tables, server: log.server, resources: { ...builtIn, serialized: Serialized, mapped: Mapped } }
  const api = useApi(dialect, options)
  beforeEach(async () => {
    log.lines.length = 0
    await api.database.transaction(async () => {
      await insertMany(people, [{ id: uuid(1), name: 'Ada' }])
      const ids = Array.from({ length: BOOKS }, (_, i) => uuid(100 + i))
      const author = uuid(1)
      await insertMany(
        books,
        ids.map((id, i) => ({ id, title: `Book ${i}`, author, editor: i % 2 ? author : null })),
      )
      await insertMany(tags, [{ id: uuid(500), label: 'new' }])
      await insertMany(
        bookTags,
        ids.map(book => ({ book, tag: uuid(500) })),
      )
      await insertMany(
        chapters,
        ids.map(book => ({ title: 'One', book })),
      )
    })
  })

  /** What the log says of statements. A machine under load may also log that a count was slow. */
  const warnings = () => log.lines.filter(({ msg }) => !String(msg).includes('counting took'))

  test.each(Object.keys(builtIn))('is not the one of %s', async name => {
    const paths = ['?page_size=5', '?paginated=false', '?paginated=true', '', '?ordering=-title']
    for (const path of paths) {
      let next: string | null = `/${name}/${path}`
      for (let pages = 0; next !== null && pages < 4; pages++) {
        const response = await api.get(next)
        expect([next, response.status]).toEqual([next, 200])
        const { next: link } = response.envelope()
        next = link?.slice(link.indexOf(`/${name}/`)) ?? null
      }
    }
    expect(warnings()).toEqual([])
  })

  describe.each(['serialized', 'mapped'])('is %s', name => {
    test('and the log says so once, with the statement', async () => {
      for (let i = 0; i < 3; i++) expect((await api.get(`/${name}/`)).status).toBe(200)
      expect(warnings()).toEqual([
        expect.objectContaining({
          level: 40,
          msg: expect.stringMatching(
            new RegExp(
              `^GET /${name}/ \\(list\\) has sent 14 statements where 2 would do, one of them 12 times: select `,
            ),
          ),
        }),
      ])
    })
  })

  test('is not looked for in production', async () => {
    vi.stubEnv('NODE_ENV', 'production')
    const app = Fastify({ ...serverOptions, ...log.server })
    await app.register(plugin, { database: api.database, resources: options.resources })
    vi.unstubAllEnvs()
    expect((await app.inject('/mapped/')).statusCode).toBe(200)
    await app.close()
    expect(warnings()).toEqual([])
  })
})
