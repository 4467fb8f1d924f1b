import type { ColumnKit } from 'viewset'

/** The tables, for the database of the kit. After a change: `npm run migrations`. */
export function models(c: ColumnKit) {
  // const authors = c.table('authors', { ...c.BaseModelMixin(), name: c.text(100).notNull() })
  return {}
}
