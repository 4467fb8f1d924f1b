import { tableInfo } from 'viewset/internal'
import { kit } from 'viewset/sqlite'
import { expect, test } from 'vitest'
import { draftResource } from '../../src/draft/draft-resource.ts'

const books = kit.table(
  'books',
  {
    ...kit.BaseModelMixin(),
    isbn: kit.text(13).notNull().unique(),
    title: kit.text(200).notNull(),
    edition: kit.integer().notNull(),
  },
  t => [kit.unique(t.title, t.edition)],
)
const authors = kit.table('authors', { ...kit.BaseModelMixin(), name: kit.text(100).notNull() })

const draft = (constant: string, record: string, table: typeof books | typeof authors) =>
  draftResource({ constant, record, info: tableInfo(table) }, [], { tables: '../schema.ts' }).text

test('a draft says that a soft delete keeps unique values, and which page frees them', () => {
  expect(draft('books', 'Book', books)).toContain(`
  // A delete keeps the row and its unique "isbn" and "title, edition".
  // To free the values, see docs/models.md#mixins of Viewset.
  softDelete: true,`)
})

test('a draft without unique values says only that the row stays', () => {
  expect(draft('authors', 'Author', authors)).toContain(`
  // A delete keeps the row.
  softDelete: true,`)
})
