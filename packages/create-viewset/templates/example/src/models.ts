import type { ColumnKit } from 'viewset'

/** The tables, for the database of the kit. After a change: `npm run migrations`. */
export function models(c: ColumnKit) {
  const authors = c.table('authors', {
    ...c.BaseModelMixin(),
    name: c.text(100).notNull().unique(),
  })

  const books = c.table(
    'books',
    {
      ...c.BaseModelMixin(),
      isbn: c.text(13).notNull().unique(),
      title: c.text(200).notNull(),
      author: c.foreignKey(authors, { onDelete: 'restrict' }).notNull(),
      price: c.decimal(8, 2),
      publishedOn: c.date(),
    },
    t => [c.index(t.title, t.id), c.index(t.author)],
  )

  return { authors, books }
}
