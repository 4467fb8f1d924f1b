import { pgTable, text as pgText, uuid as pgUuid } from 'drizzle-orm/pg-core'
import { sqliteTable, text as sqliteText } from 'drizzle-orm/sqlite-core'
import {
  AllowAny,
  BaseModelSerializer,
  BaseViewSet,
  type ColumnKit,
  ManyIdToDataField,
  type ModelRecord,
  ReadOnlyViewSet,
  type ViewsetConfig,
} from 'viewset'
import { quoteName } from 'viewset/internal'
import { createTestDatabase, type TestDatabase } from 'viewset/testing'
import { afterEach, expect, test } from 'vitest'
import { describeDialects } from '../../../viewset/test/support/dialects.ts'
import { adviceFor } from '../../src/advice/index-advice.ts'
import { adviceSql, adviceText } from '../../src/advice/print-advice.ts'

const permissionClasses = [AllowAny]

/** A table that somebody else has made, as far as we know it. */
function logsTable(c: ColumnKit) {
  return c.table(
    'logs',
    {
      id: c.uuid().primaryKey(),
      name: c.text(40).notNull(),
      email: c.text(60),
      code: c.text(10),
      note: c.text(),
    },
    t => [c.uniqueIgnoringCase(t.email), c.unique(t.code)],
  )
}

describeDialects('advice on indexes goes by the database itself', dialect => {
  const isPg = dialect.name === 'pg'
  const logs = logsTable(dialect.kit)
  const serializer = BaseModelSerializer(logs, { fields: ['id', 'name', 'email', 'code', 'note'] })
  const Named = ReadOnlyViewSet({
    model: logs,
    serializer,
    permissionClasses,
    ordering: 'name',
    orderingFields: ['name'],
  })
  const columns = (key: string) =>
    `(id ${isPg ? 'uuid' : 'text'} ${key}, name varchar(40) not null, email varchar(60), code varchar(10), note text)`

  let db: TestDatabase | undefined
  afterEach(async () => {
    await db?.drop()
    db = undefined
  })
  const run = async (...texts: readonly string[]) => {
    for (const text of texts) await db?.database.driver.run({ text }, [])
  }
  /** SQLite prepares some of them for reading, as long as there is nothing that they could change. */
  const make = async (statements: readonly string[]) => {
    const transaction = isPg ? undefined : await db?.database.driver.begin()
    for (const text of statements) await (transaction ?? db?.database.driver)?.run({ text }, [])
    await transaction?.commit()
  }
  const start = async (...texts: readonly string[]) => {
    db = await createTestDatabase(dialect.server)
    await run(...texts)
  }
  const advice = async (resources: ViewsetConfig['resources']) => {
    if (!db) throw new Error('There is no database.')
    return adviceFor({ resources }, db.database, 0)
  }
  const linesFor = async (resources: ViewsetConfig['resources']) =>
    (await advice(resources)).tables.flatMap(({ indexes }) => indexes.map(({ line }) => line))
  const follow = async (resources: ViewsetConfig['resources']) => {
    const { tables } = await advice(resources)
    await make(tables.flatMap(({ indexes }) => indexes.flatMap(({ statements }) => statements)))
  }

  const LINE = 'c.index(t.name, t.id)'
  const COVERED = ['(name, id)', '(name desc, id desc)', '(name desc, id)', '(name, id, note)']
  const OTHERS = [
    '(id, name)',
    '(name, note, id)',
    "(name, id) where note = ''",
    '(lower(name), id)',
    ...(isPg
      ? ['(name text_pattern_ops, id)', '(name collate "C", id)', '(name nulls first, id)', '(name) include (id)']
      : []),
    ...(isPg ? [] : ['(name collate nocase, id)']),
  ]
  test.each([
    ...COVERED.map(definition => ({ definition, lines: [] as string[] })),
    ...OTHERS.map(definition => ({ definition, lines: [LINE] })),
  ])('an index on $definition', async ({ definition, lines }) => {
    await start(`create table logs ${columns('primary key')}`, `create index mine on logs ${definition}`)
    expect(await linesFor({ Named })).toEqual(lines)
    await follow({ Named })
    expect(await linesFor({ Named })).toEqual([])
  })

  test('an index over lower that an older database has does not know every sigma on PostgreSQL', async () => {
    const Written = BaseViewSet({ model: logs, serializer, permissionClasses, orderingFields: [], ordering: 'id' })
    await start(
      `create table logs ${columns('primary key')}`,
      'create unique index logs_code_unique on logs (code)',
      'create unique index older on logs (lower(email))',
    )
    expect(await linesFor({ Written })).toEqual(isPg ? ['c.uniqueIgnoringCase(t.email)'] : [])
    await follow({ Written })
    expect(await linesFor({ Written })).toEqual([])
  })

  test('an index that begins alike is told of: it will be of no use', async () => {
    await start(
      `create table logs ${columns('primary key')}`,
      'create index mine on logs (name)',
      "create index partial on logs (name) where note = ''",
      'create unique index single on logs (note)',
    )
    const [first] = (await advice({ Named })).tables
    expect(first?.indexes[0]?.replaces).toEqual(['mine'])
  })

  test('a table that lacks a column is left alone, and so is a view', async () => {
    await start(`create table logs (id ${isPg ? 'uuid' : 'text'} primary key)`)
    expect(await linesFor({ Named })).toEqual([])
    await run(
      'drop table logs',
      'create table base as select 1 as id, 2 as name',
      'create view logs as select * from base',
    )
    await expect(advice({ Named })).rejects.toThrow('none of the tables')
  })

  test('a table that is not there is named', async () => {
    const c = dialect.kit
    const others = c.table('others', { id: c.uuid().primaryKey() })
    const Others = ReadOnlyViewSet({
      model: others,
      serializer: BaseModelSerializer(others, { fields: ['id'] }),
      permissionClasses,
    })
    await start(`create table logs ${columns('primary key')}`)
    expect((await advice({ Named, Others })).notes).toEqual(['Others: "others" is no table of this database.'])
    await expect(advice({ Others })).rejects.toThrow(
      'The database has none of the tables of the resources; are its migrations run, and is it the right one?',
    )
  })

  test('a name that is taken is not taken for the index', async () => {
    await start(`create table logs ${columns('primary key')}`, 'create index logs_name_id_index on logs (note)')
    await follow({ Named })
    expect(await linesFor({ Named })).toEqual([])
  })

  test('names that would be cut off stay apart', async () => {
    const name = `the_table_with_the_longest_name_that_anybody_has_ever_given_it`
    const c = dialect.kit
    const long = c.table(name, { id: c.uuid().primaryKey(), first: c.text(9).notNull(), second: c.text(9).notNull() })
    const Long = ReadOnlyViewSet({
      model: long,
      serializer: BaseModelSerializer(long, { fields: ['id', 'first', 'second'] }),
      permissionClasses,
      orderingFields: ['first', 'second'],
    })
    await start(
      `create table ${name} (id ${isPg ? 'uuid' : 'text'} primary key, first text not null, second text not null)`,
    )
    await follow({ Long })
    expect(await linesFor({ Long })).toEqual([])
  })

  test('what the model says is unique, the database has to keep', async () => {
    const Written = BaseViewSet({ model: logs, serializer, permissionClasses, orderingFields: [] })
    await start(`create table logs ${columns('primary key')}`)
    const [first] = (await advice({ Written })).tables
    expect(first?.indexes.map(({ line, declared, kind }) => [line, declared, kind])).toEqual([
      ['c.unique(t.code)', true, 'unique'],
      ['c.uniqueIgnoringCase(t.email)', true, 'uniqueIgnoringCase'],
    ])
    await follow({ Written })
    expect(await linesFor({ Written })).toEqual([])
    await run(isPg ? 'drop index logs_email_unique' : 'drop index logs_email_unique')
    await run("create unique index other on logs (lower(email)) where note = ''")
    expect(await linesFor({ Written })).toEqual(['c.uniqueIgnoringCase(t.email)'])
  })

  test('what search looks into', async () => {
    const config = { serializer, permissionClasses, orderingFields: [], searchFields: ['name', 'note'] } as const
    const Searched = ReadOnlyViewSet({ model: logs, ...config })
    await start(`create table logs ${columns('primary key')}`)
    expect(await linesFor({ Searched })).toEqual(['c.searchIndex(t.name, t.note)'])
    await follow({ Searched })
    expect(await linesFor({ Searched })).toEqual(isPg ? [] : ['c.searchIndex(t.name, t.note)'])
    if (isPg) {
      const Filtered = ReadOnlyViewSet({
        model: logs,
        serializer,
        permissionClasses,
        orderingFields: [],
        filterFields: { email: ['icontains', 'contains'], note: ['icontains'] },
      })
      expect(await linesFor({ Filtered })).toEqual(['c.searchIndex(t.email)'])
      await follow({ Filtered })
      expect(await linesFor({ Filtered })).toEqual([])
      const transaction = await db?.database.driver.begin()
      await transaction?.run({ text: 'set local enable_seqscan = off' }, [])
      const text = "explain select 1 from logs where lower(name::text) like '%abc%' or lower(note) like '%abc%'"
      const plan = await transaction?.run({ text }, [])
      await transaction?.rollback()
      expect(JSON.stringify(plan?.rows)).toMatch(/logs_name_note_search.*logs_name_note_search/)
    }
    // On SQLite a search asks for the index only where the model says that there is one.
    const c = dialect.kit
    const declared = c.table(
      'logs',
      { id: c.uuid().primaryKey(), name: c.text(40).notNull(), email: c.text(60), code: c.text(10), note: c.text() },
      t => [c.searchIndex(t.name, t.note)],
    )
    const Declared = ReadOnlyViewSet({
      ...config,
      model: declared,
      serializer: BaseModelSerializer(declared, { fields: ['id', 'name', 'note'] }),
    })
    expect(await linesFor({ Declared })).toEqual([])
    await run(isPg ? 'drop index logs_name_note_search' : 'drop trigger logs_search_update')
    const [first] = (await advice({ Declared })).tables
    expect(first?.indexes.map(({ line, declared: isDeclared }) => [line, isDeclared])).toEqual([
      ['c.searchIndex(t.name, t.note)', true],
    ])
    await follow({ Declared })
    expect(await linesFor({ Declared })).toEqual([])
  })

  test('what deletions and relations to many go through', async () => {
    const c = dialect.kit
    const tags = c.table('tags', { id: c.uuid().primaryKey(), ...c.SoftDeleteMixin(), label: c.text(20).notNull() })
    const posts = c.table('posts', { id: c.uuid().primaryKey(), title: c.text(20).notNull() })
    const links = c.table('links', {
      tag: c.foreignKey(tags, { index: false }).notNull(),
      post: c.foreignKey(posts, { index: false }).notNull(),
    })
    const comments = c.table('comments', {
      id: c.uuid().primaryKey(),
      post: c.foreignKey(posts, { index: false }),
      tag: c.foreignKey(tags, { index: false }),
    })
    await start()
    await db?.drop()
    db = await createTestDatabase({ ...dialect.server, schema: { tags, posts, links, comments } })
    const Tag = BaseModelSerializer(tags, { fields: ['id', 'label'] })
    const Post = BaseModelSerializer(posts, {
      fields: ['id', 'title'],
      extra: { tags: ManyIdToDataField({ queryset: tags, serializer: Tag, through: links }) },
    })
    const Posts = BaseViewSet({ model: posts, serializer: Post, permissionClasses, orderingFields: [] })
    class Tags extends BaseViewSet({ model: tags, serializer: Tag, permissionClasses, orderingFields: [] }) {
      override async performDestroy(tag: ModelRecord<typeof tags>) {
        await tag.softDelete()
      }
    }
    const found = await advice({ Posts, Tags })
    expect(
      found.tables
        .flatMap(({ table, indexes }) =>
          indexes.map(({ columns: own, reasons }) => [table.name, own, reasons.map(({ request }) => request)]),
        )
        .sort(),
    ).toEqual([
      ['comments', ['post_id'], ['deleting from posts']],
      ['links', ['post_id'], ['the field "tags"', 'deleting from posts']],
    ])
    expect(adviceText(found)).toContain('an index of comments on (post_id)\n    for Posts: deleting from posts')
    await follow({ Posts, Tags })
    expect(await linesFor({ Posts, Tags })).toEqual([])
    const Soft = BaseViewSet({ model: tags, serializer: Tag, permissionClasses, orderingFields: [], softDelete: true })
    expect((await advice({ Posts, Soft })).tables.map(({ table }) => table.name)).toEqual([])
    const Hard = BaseViewSet({ model: tags, serializer: Tag, permissionClasses, orderingFields: [] })
    expect((await advice({ Hard })).tables.map(({ table }) => table.name).sort()).toEqual(['comments', 'links'])
  })

  test('a plain Drizzle table is told what Drizzle calls it, and what long texts would come to', async () => {
    const plain = isPg
      ? pgTable('logs', { id: pgUuid().primaryKey(), name: pgText().notNull() })
      : sqliteTable('logs', { id: sqliteText().primaryKey(), name: sqliteText().notNull() })
    const Plain = ReadOnlyViewSet({
      model: plain,
      serializer: BaseModelSerializer(plain, { fields: ['id', 'name'] }),
      permissionClasses,
      ordering: 'name',
      searchFields: ['name'],
    })
    await start(`create table logs (id ${isPg ? 'uuid' : 'text'} primary key, name text not null)`)
    const found = await advice({ Plain })
    expect(found.tables.flatMap(({ indexes }) => indexes.map(({ line, cautions }) => [line, cautions]))).toEqual([
      [
        "index('logs_name_id_index').on(t.name, t.id)",
        isPg ? ['refuses rows whose name takes more than some 2,704 bytes'] : [],
      ],
      ...(isPg ? [[`index('logs_name_search').using('gin', sql\`lower(\${t.name}) gin_trgm_ops\`)`, []]] : []),
    ])
    expect(found.notes).toEqual([
      'Plain: lists may be ordered by each of 2 fields, since it has no orderingFields; name those that have an index.',
    ])
    await follow({ Plain })
    expect(await linesFor({ Plain })).toEqual([])
    expect(adviceText(await advice({ Plain }))).toMatch(
      /^Nothing is missing: the database has the indexes that the requests of its 1 resource ask for\./,
    )
    expect(adviceSql(await advice({ Plain }))).toBe('-- Nothing is missing.')
  })

  test('names of any characters are names in SQL and in comments', async () => {
    const name = `we"ird\n'; drop table logs; --`
    const plain = isPg
      ? pgTable(name, { id: pgUuid('i"d').primaryKey(), name: pgText(`na'me`).notNull() })
      : sqliteTable(name, { id: sqliteText('i"d').primaryKey(), name: sqliteText(`na'me`).notNull() })
    const Weird = ReadOnlyViewSet({
      model: plain,
      serializer: BaseModelSerializer(plain, { fields: ['id', 'name'] }),
      permissionClasses,
      ordering: 'name',
      orderingFields: [],
    })
    await start(
      `create table logs ${columns('primary key')}`,
      `create table ${quoteName(name)} ("i""d" ${isPg ? 'uuid' : 'text'} primary key, "na'me" text not null)`,
    )
    const found = await advice({ Weird })
    expect(adviceSql(found).split('\n')[0]).toBe(`-- we"ird '; drop table logs; --, 0 rows`)
    expect(found.tables[0]?.indexes[0]?.line).toMatch(/^index\('we.*'\)\.on\(t\.name, t\.id\)$/)
    await follow({ Weird })
    expect(await linesFor({ Weird })).toEqual([])
    expect(await linesFor({ Named })).toEqual([LINE])
  })

  if (isPg) {
    test('an index whose making was cut off is made anew', async () => {
      await start(
        `create table logs ${columns('primary key')}`,
        "insert into logs (id, name) values (gen_random_uuid(), 'a'), (gen_random_uuid(), 'a')",
      )
      await expect(run('create unique index concurrently logs_name_id_index on logs (name)')).rejects.toThrow()
      const [first] = (await advice({ Named })).tables
      expect(first?.indexes[0]?.statements).toEqual([
        'drop index concurrently if exists "public"."logs_name_id_index"',
        'create index concurrently if not exists "logs_name_id_index" on "public"."logs" ("name", "id")',
      ])
      await follow({ Named })
      expect(await linesFor({ Named })).toEqual([])
    })

    test('a partitioned table gets its indexes as it can, and a schema of its own is found', async () => {
      await start(
        `create table logs ${columns('')} partition by hash (id)`,
        'create table logs_0 partition of logs for values with (modulus 1, remainder 0)',
        'create schema aside',
        `create table aside.logs ${columns('primary key')}`,
      )
      expect(adviceSql(await advice({ Named }))).toContain(
        'create index if not exists "logs_name_id_index" on "public"."logs"',
      )
      await follow({ Named })
      expect(await linesFor({ Named })).toEqual([])
    })

    test('search that looks into other tables as well is not helped by an index, which is said', async () => {
      const c = dialect.kit
      const kinds = c.table('kinds', { id: c.uuid().primaryKey(), label: c.text(9).notNull() })
      const items = c.table('items', {
        id: c.uuid().primaryKey(),
        kind: c.foreignKey(kinds, { index: false }),
        name: c.text(9).notNull(),
      })
      const Items = ReadOnlyViewSet({
        model: items,
        serializer: BaseModelSerializer(items, { fields: ['id', 'name'] }),
        permissionClasses,
        orderingFields: [],
        searchFields: ['name', 'kind__label'],
      })
      await start()
      await db?.drop()
      db = await createTestDatabase({ ...dialect.server, schema: { kinds, items } })
      const { tables, notes } = await advice({ Items })
      expect([tables, notes]).toEqual([
        [],
        [
          'Items: ?search= reads all rows, as it also looks into other tables (kind__label). Without them in searchFields, c.searchIndex(...) would serve it.',
        ],
      ])
    })
  } else {
    test('the number of a row ends each entry, and a column is compared as it says', async () => {
      const c = dialect.kit
      const numbered = c.table('logs', { id: c.integer().primaryKey(), name: c.text(40).notNull() })
      const Numbered = ReadOnlyViewSet({
        model: numbered,
        serializer: BaseModelSerializer(numbered, { fields: ['id', 'name'] }),
        permissionClasses,
        ordering: 'name',
        orderingFields: [],
      })
      await start(
        'create table logs (id integer primary key, name text not null collate nocase)',
        'create index mine on logs (name)',
      )
      expect(await linesFor({ Numbered })).toEqual([])
      await make(['drop index mine', 'create index other on logs (name collate binary)'])
      expect(await linesFor({ Numbered })).toEqual([LINE])
    })
  }
})
