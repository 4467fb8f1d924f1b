import type { ColumnKit } from 'viewset'

/** The tables, for the database of the kit. After a change: `npm run migrations`. */
export function models(_c: ColumnKit) {
  // const authors = _c.table('authors', { ..._c.BaseModelMixin(), name: _c.text(100).notNull() })
  return {}
}
