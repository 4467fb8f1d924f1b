// What the compiler must know of a model's columns, and what it must refuse.
import { ColumnField, type ColumnKit, type ModelRecord, type ModelRow } from 'viewset'
import { models } from '../support/models.ts'
import type { Equal, Expect } from './support.ts'

declare const kit: ColumnKit
const { authors, articles, comments, categories, shelves, loans } = models(kit)

type Article = ModelRow<typeof articles>
type _article = [
  Expect<Equal<Article['id'], string>>,
  Expect<Equal<Article['title'], string>>,
  Expect<Equal<Article['body'], string | null>>,
  Expect<Equal<Article['status'], 'draft' | 'published'>>,
  Expect<Equal<Article['price'], string | null>>,
  Expect<Equal<Article['rating'], number | null>>,
  Expect<Equal<Article['views'], bigint | null>>,
  Expect<Equal<Article['featured'], boolean>>,
  Expect<Equal<Article['publishedAt'], string | null>>,
  Expect<Equal<Article['releasedOn'], string | null>>,
  Expect<Equal<Article['reference'], string | null>>,
  Expect<Equal<Article['metadata'], unknown>>,
  // The mixins.
  Expect<Equal<Article['createdAt'], string>>,
  Expect<Equal<Article['updatedAt'], string>>,
  Expect<Equal<Article['createdBy'], string | null>>,
  Expect<Equal<Article['isActive'], boolean>>,
  Expect<Equal<Article['deletedAt'], string | null>>,
]

type _foreignKeys = [
  Expect<Equal<Article['author'], string>>,
  Expect<Equal<Article['editor'], string | null>>,
  Expect<Equal<ModelRow<typeof comments>['parent'], string | null>>,
  // The type of a foreign key is that of the key it refers to.
  Expect<Equal<ModelRow<typeof shelves>['category'], string | null>>,
  Expect<Equal<ModelRow<typeof loans>['shelf'], number>>,
  Expect<Equal<ModelRow<typeof loans>['id'], bigint>>,
]

// What has a default need not be given; the rest must.
const insert = (_values: typeof articles.$inferInsert) => {}
insert({ title: 'A', author: 'id' })
// @ts-expect-error title has no default
insert({ author: 'id' })
// @ts-expect-error a status is one of two
insert({ title: 'A', author: 'id', status: 'deleted' })
// @ts-expect-error a 64-bit integer is a bigint in code
insert({ title: 'A', author: 'id', views: 5 })
// @ts-expect-error a decimal is a string in code, which keeps its scale
insert({ title: 'A', author: 'id', price: 9.5 })
// @ts-expect-error a timestamp is an ISO string, since a Date would drop the microseconds
insert({ title: 'A', author: 'id', publishedAt: new Date() })

// A primary key that is an integer numbers itself; one of 64 bits does not.
const insertShelf = (_values: typeof shelves.$inferInsert) => {}
insertShelf({ label: 'A' })
insertShelf({ id: 7, label: 'A' })
const insertLoan = (_values: typeof loans.$inferInsert) => {}
// @ts-expect-error nothing fills a loan's key
insertLoan({ shelf: 1, fee: '1' })

// Records can do what their model's mixins bring.
declare const author: ModelRecord<typeof authors>
declare const category: ModelRecord<typeof categories>
author.softDelete() satisfies Promise<unknown>
author.restore() satisfies Promise<unknown>
category.save() satisfies Promise<unknown>
// @ts-expect-error categories lack the soft-delete mixin
category.softDelete()
// @ts-expect-error and so there is nothing to restore
category.restore()
author.getJson().created_at satisfies string | undefined
// @ts-expect-error on the wire, names are in snake_case
author.getJson().createdAt
// @ts-expect-error in code they are not
author.getJson({ fields: ['created_at'] })

kit.table('towns', { id: kit.integer().primaryKey(), name: kit.text(30) }, t => [kit.unique(t.name)])
// @ts-expect-error no such column
kit.table('towns', { id: kit.integer().primaryKey(), name: kit.text(30) }, t => [kit.unique(t.nmae)])
// @ts-expect-error the function is not called
kit.table('towns', { id: kit.integer().primaryKey(), name: kit.text })
// @ts-expect-error no table
kit.HistoryTable(undefined)
// @ts-expect-error no such field
kit.HistoryTable(comments, { parent: 'artcle' })
// @ts-expect-error no foreign key
kit.HistoryTable(comments, { parent: 'text' })
kit.HistoryTable(comments, { parent: 'article', ignore: ['text'] })
// @ts-expect-error a field has the name of its column
ColumnField({ column: 'name' })

// @ts-expect-error an enumeration without values holds nothing
kit.enumeration([])
// @ts-expect-error a foreign key leads to a table, or to "self"
kit.foreignKey('authors')
// @ts-expect-error a unique constraint covers at least one column
kit.table('x', { id: kit.uuid().primaryKey() }, () => [kit.unique()])
// @ts-expect-error the table has no such column
kit.table('x', { id: kit.uuid().primaryKey() }, t => [kit.index(t.name)])
// @ts-expect-error users must be a table
kit.BaseModelMixin({ user: 'users' })
