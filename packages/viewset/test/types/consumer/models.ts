// What an application exports, with no type written by hand: with `declaration: true` every one must have a name.
import { sql } from 'drizzle-orm'
import * as pg from 'drizzle-orm/pg-core'
import * as lite from 'drizzle-orm/sqlite-core'
import { type ColumnKit, postSave, preSave } from 'viewset'
import { kit as pgKit } from 'viewset/pg'
import { kit as sqliteKit } from 'viewset/sqlite'

export const users = pgKit.table('users', { id: pgKit.uuid().primaryKey(), name: pgKit.text(50).notNull() })

export const models = (c: ColumnKit) => {
  const authors = c.table('authors', {
    ...c.BaseModelMixin({ user: users }),
    name: c.text(50).notNull(),
    bio: c.json().$type<{ readonly homeTown?: string }>(),
  })
  const numbers = c.table('numbers', {
    id: c.integer().primaryKey(),
    big: c.bigint().notNull(),
    price: c.decimal(8, 2),
    open: c.boolean().notNull().default(false),
    at: c.timestamp(),
    on: c.date(),
    kind: c.enumeration(['a', 'b']).notNull(),
    upper: c.text().generatedAlwaysAs(sql`upper(kind)`),
  })
  const articles = c.table(
    'articles',
    {
      ...c.BaseModelMixin(),
      title: c.text(100).notNull(),
      author: c.foreignKey(authors).notNull(),
      parent: c.foreignKey('self'),
    },
    t => [c.unique(t.author, t.title), c.index(t.title)],
  )
  const tags = c.table('tags', { id: c.uuid().primaryKey(), label: c.text(20).notNull().unique() })
  const articleTags = c.table('article_tags', {
    id: c.uuid().primaryKey(),
    ...c.TimeStampMixin(),
    ...c.SoftDeleteMixin(),
    article: c.foreignKey(articles).notNull(),
    tag: c.foreignKey(tags).notNull(),
  })
  return { authors, numbers, articles, tags, articleTags }
}
export const { authors, numbers, articles, tags, articleTags } = models(pgKit)
export const onSqlite = models(sqliteKit)
/** Columns that an application keeps for several tables. */
export const money = () => sqliteKit.decimal(10, 2).notNull()
export const counter = sqliteKit.integer()
export const owner = pgKit.foreignKey(users)

export const plainPg = pg.pgTable('plain', { id: pg.serial().primaryKey(), data: pg.jsonb() })
export const plainLite = lite.sqliteTable('plain', { id: lite.integer().primaryKey(), data: lite.text() })

export const disconnect = [
  preSave(articles, ({ values }) => void values),
  postSave(articles, ({ record }) => void record.title),
]
