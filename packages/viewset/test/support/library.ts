import { randomUUID } from 'node:crypto'
import { type ColumnKit, currentDb, type Database } from 'viewset'

/** A library whose tables refer to each other in every way that relation fields know. */
export function library(c: ColumnKit) {
  const id = () => c.uuid().primaryKey().$defaultFn(randomUUID)

  /** Refers to itself: the mentor. `team` is what scopes are made of. */
  const people = c.table('people', {
    id: id(),
    name: c.text(20).notNull(),
    email: c.text(50).unique(),
    team: c.text(10).notNull().default('red'),
    mentor: c.foreignKey('self'),
  })

  /** Two relations to one table. */
  const books = c.table(
    'books',
    {
      id: id(),
      title: c.text(50).notNull(),
      author: c.foreignKey(people).notNull(),
      editor: c.foreignKey(people, { onDelete: 'set null' }),
    },
    t => [c.unique(t.author, t.title)],
  )

  /** Belongs to a book, always. */
  const chapters = c.table('chapters', {
    id: id(),
    title: c.text(50).notNull(),
    pages: c.bigint(),
    book: c.foreignKey(books, { onDelete: 'cascade' }).notNull(),
  })

  /** May belong to a book, with audit fields. */
  const notes = c.table('notes', { ...c.BaseModelMixin(), text: c.text(50).notNull(), book: c.foreignKey(books) })

  const tags = c.table('tags', { id: id(), label: c.text(20).notNull().unique(), team: c.text(10) })

  /** A join table with a column of its own. */
  const bookTags = c.table(
    'book_tags',
    {
      id: id(),
      book: c.foreignKey(books, { onDelete: 'cascade' }).notNull(),
      tag: c.foreignKey(tags, { onDelete: 'cascade' }).notNull(),
      weight: c.integer().notNull().default(1),
    },
    t => [c.unique(t.book, t.tag)],
  )

  /** A join table from people to people. */
  const friendships = c.table('friendships', {
    id: id(),
    from: c.foreignKey(people, { onDelete: 'cascade' }).notNull(),
    to: c.foreignKey(people, { onDelete: 'cascade' }).notNull(),
  })

  return { people, books, chapters, notes, tags, bookTags, friendships }
}

export type Library = ReturnType<typeof library>

/** Stores rows as they are, each table's behind those that it refers to. */
export async function stock(
  database: Database,
  tables: Library,
  rows: { readonly [T in keyof Library]?: readonly Library[T]['$inferInsert'][] },
): Promise<void> {
  await database.transaction(async () => {
    for (const [name, values] of Object.entries(rows)) {
      // Which table a name means is known to the caller's types, not to the loop.
      for (const value of values)
        await currentDb()
          .insert(tables[name as keyof Library])
          .values(value as never)
    }
  })
}
