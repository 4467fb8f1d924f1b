import { kit as c } from 'viewset/sqlite'

/** After a change: `npm run migrations`. */
export const books = c.table('books', {
  ...c.BaseModelMixin(),
  isbn: c.text(13).notNull().unique(),
  title: c.text(200).notNull(),
  author: c.text(100).notNull(),
  price: c.decimal(8, 2),
})
