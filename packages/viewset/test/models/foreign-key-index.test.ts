import { eq, gt, sql } from 'drizzle-orm'
import * as pg from 'drizzle-orm/pg-core'
import * as lite from 'drizzle-orm/sqlite-core'
import { type ColumnKit, insertMany } from 'viewset'
import { createTestDatabase } from 'viewset/testing'
import { expect, test } from 'vitest'
import { describeDialects, describeOneDialect } from '../support/dialects.ts'
import { problemOf } from '../support/problem.ts'

function models(c: ColumnKit) {
  const users = c.table('users', { id: c.integer().primaryKey() })
  const topics = c.table('topics', { id: c.uuid().primaryKey(), parent: c.foreignKey('self') })
  const posts = c.table(
    'posts',
    {
      ...c.BaseModelMixin({ user: users }),
      topic: c.foreignKey(topics).notNull(),
      editor: c.foreignKey(users, { index: false }),
      draftOf: c.foreignKey(users).unique(),
      first: c.foreignKey(users),
      second: c.foreignKey(users),
      third: c.foreignKey(users),
      state: c.text(),
    },
    t => [
      c.index(t.first, t.state),
      c.unique(t.second, t.third),
      // A part of the rows is not all that a deletion looks at.
      c.unique([t.topic], { where: eq(t.isActive, true) }),
      c.index([t.topic], { where: eq(t.state, "it's open") }),
    ],
  )
  const profiles = c.table('profiles', { user: c.foreignKey(users).primaryKey() })
  return { users, topics, posts, profiles }
}

const INDEXES = {
  pg: "select indexname from pg_indexes where schemaname = 'public' and indexname not like '%_pkey' order by 1",
  sqlite: "select name from sqlite_master where type = 'index' and sql is not null order by 1",
}

describeDialects('a foreign key of the kit', dialect => {
  const c = dialect.kit

  test('has an index, unless it says otherwise or another one begins with its column', async () => {
    const { database, drop } = await createTestDatabase({ ...dialect.server, schema: models(c) })
    const { rows } = await database.driver.run({ text: INDEXES[dialect.name] }, [])
    await drop()
    expect(rows.flat()).toEqual(
      [
        'posts_draft_of_id_unique',
        'posts_first_id_state_index',
        'posts_second_id_third_id_unique',
        'posts_third_id_index',
        'posts_topic_id_index',
        'posts_topic_id_partial_index',
        'posts_topic_id_unique',
        'topics_parent_id_index',
      ].toSorted(),
    )
  })

  test('has the index that a Drizzle builder declares', async () => {
    const { index } = dialect.name === 'pg' ? pg : lite
    const users = c.table('users', { id: c.integer().primaryKey() })
    const posts = c.table('posts', { id: c.integer().primaryKey(), user: c.foreignKey(users) }, t => [
      index('mine').on(t.user as never),
    ])
    const { database, drop } = await createTestDatabase({ ...dialect.server, schema: { users, posts } })
    const { rows } = await database.driver.run({ text: INDEXES[dialect.name] }, [])
    await drop()
    expect(rows.flat()).toEqual(['mine'])
  })
})

describeDialects('conditions of Drizzle builders', dialect => {
  const c = dialect.kit

  test('may compare with values, as those of the kit', async () => {
    const { index, uniqueIndex, check } = dialect.name === 'pg' ? pg : lite
    const columns = { id: c.integer().primaryKey(), state: c.text().notNull(), size: c.integer().notNull() }
    const boxes = c.table('boxes', columns, t => [
      index('open_boxes')
        .on(t.size as never)
        .where(eq(t.state, 'open')),
      uniqueIndex('big_boxes')
        .on(t.state as never)
        .where(gt(t.size, 10)),
      check('box_size', gt(t.size, 0)),
    ])
    const { database, drop } = await createTestDatabase({ ...dialect.server, schema: { boxes } })
    const { rows } = await database.driver.run({ text: INDEXES[dialect.name] }, [])
    const wrong = database.transaction(() => insertMany(boxes, [{ id: 1, state: 'open', size: 0 }]))
    await expect(wrong).rejects.toThrow()
    await database.transaction(() => insertMany(boxes, [{ id: 1, state: 'open', size: 1 }]))
    await drop()
    expect(rows.flat()).toEqual(['big_boxes', 'open_boxes'])
  })
})

describeOneDialect('a kit refuses', ({ kit: c }) => {
  test.each([
    ['authors', 'kit: foreignKey: must be a table or \'self\', not the text "authors"'],
    [
      undefined,
      "kit: foreignKey: must be a table or 'self', not undefined; if two files import each other, move what both need into a third one, or write 'self' for the table itself",
    ],
  ])('a foreign key to %j', (target, problem) => {
    expect(problemOf(() => c.foreignKey(target as unknown as 'self'))).toBe(problem)
  })

  test('options that a foreign key and a unique constraint do not have', () => {
    const users = c.table('users', { id: c.integer().primaryKey() })
    const options: object = { ondelete: 'cascade' }
    expect(problemOf(() => c.foreignKey(users, options))).toBe(
      'foreignKey: ondelete: unknown option; did you mean "onDelete"?',
    )
    const wrong: object = { were: sql`true` }
    expect(problemOf(() => c.unique([users.id], wrong))).toBe('unique: were: unknown option; did you mean "where"?')
  })

  test.each([
    [
      { onDelete: 'CASCADE' },
      "onDelete: must be 'cascade', 'restrict', 'set null', 'set default' or 'no action', not \"CASCADE\"",
    ],
    [{ index: 'yes' }, 'index: must be true or false, not "yes"'],
  ])('a foreign key with %j', (options, problem) => {
    const users = c.table('users', { id: c.integer().primaryKey() })
    expect(problemOf(() => c.foreignKey(users, options as object))).toBe(`foreignKey: ${problem}`)
  })
})
