import { randomUUID } from 'node:crypto'
import { type ColumnKit, currentDb, type Database } from 'viewset'
import { uuid } from './expect.ts'

/** A small publishing house that uses every column type, mixin and kind of key. */
export function models(c: ColumnKit) {
  /** No mixin; `password` is in no serializer. */
  const users = c.table('users', {
    id: c.uuid().primaryKey(),
    username: c.text(150).notNull().unique(),
    password: c.text().notNull(),
  })

  /** The whole mixin, with users that are no table. */
  const authors = c.table('authors', {
    ...c.BaseModelMixin(),
    name: c.text(20).notNull(),
    email: c.text(100).unique(),
  })

  /** The whole mixin, with users that are a table; each column type once. */
  const articles = c.table(
    'articles',
    {
      ...c.BaseModelMixin({ user: users }),
      title: c.text(50).notNull(),
      body: c.text(),
      author: c.foreignKey(authors, { onDelete: 'restrict' }).notNull(),
      editor: c.foreignKey(authors, { onDelete: 'set null' }),
      status: c.enumeration(['draft', 'published']).notNull().default('draft'),
      price: c.decimal(8, 2),
      rating: c.integer(),
      views: c.bigint(),
      featured: c.boolean().notNull().default(false),
      publishedAt: c.timestamp(),
      releasedOn: c.date(),
      reference: c.uuid(),
      metadata: c.json(),
    },
    t => [c.unique(t.author, t.title), c.index(t.title, t.id)],
  )

  /** Soft delete only, and a reference to itself. */
  const comments = c.table('comments', {
    id: c.uuid().primaryKey().$defaultFn(randomUUID),
    ...c.SoftDeleteMixin(),
    article: c.foreignKey(articles, { onDelete: 'cascade' }).notNull(),
    parent: c.foreignKey('self'),
    text: c.text(200).notNull(),
  })

  /** Timestamps only, and a key of text that people choose. */
  const categories = c.table('categories', {
    ...c.TimeStampMixin(),
    code: c.text(20).primaryKey(),
    label: c.text(50).notNull(),
  })

  /** A key that is a number, and a foreign key of text. */
  const shelves = c.table('shelves', {
    id: c.integer().primaryKey(),
    label: c.text(50).notNull(),
    category: c.foreignKey(categories),
  })

  /** A 64-bit key, and a foreign key that is a number. */
  const loans = c.table('loans', {
    id: c.bigint().primaryKey(),
    shelf: c.foreignKey(shelves, { onDelete: 'cascade' }).notNull(),
    fee: c.decimal(15, 5).notNull(),
  })

  return { users, authors, articles, comments, categories, shelves, loans }
}

export type Models = ReturnType<typeof models>

/** The users who may ask, by the name that a test's `as` takes. */
export const users = {
  ann: { id: uuid(901), roles: ['staff'] },
  ben: { id: uuid(902) },
}

/** Stores rows, as an application's own code would, with the tables they belong to named by their key. */
export async function seed(
  database: Database,
  tables: Models,
  rows: { readonly [T in keyof Models]?: readonly Models[T]['$inferInsert'][] },
): Promise<void> {
  await database.transaction(async () => {
    for (const [name, values] of Object.entries(rows)) {
      if (values.length > 0)
        await currentDb()
          .insert(tables[name as keyof Models])
          .values(values as never)
    }
  })
}

/** Stores the rows of {@link users}, which audit fields refer to. */
export function seedUsers(database: Database, tables: Models): Promise<void> {
  return seed(database, tables, {
    users: Object.entries(users).map(([username, { id }]) => ({ id, username, password: `secret of ${username}` })),
  })
}

/** Identifiers for tests that need few. */
export const uuidOf = { ada: uuid(1), bob: uuid(2), article: uuid(11), reference: uuid(500) }
