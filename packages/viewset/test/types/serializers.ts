// What the compiler must know of a serializer's data, and what it must refuse.
import { sql } from 'drizzle-orm'
import {
  BaseModelSerializer,
  type ColumnKit,
  ExpressionField,
  IdToDataField,
  type SerializerData,
  type SerializerInput,
  type SerializerOutput,
} from 'viewset'
import * as z from 'zod'
import { models } from '../support/models.ts'
import type { Equal, Expect } from './support.ts'

declare const kit: ColumnKit
const { authors, articles, categories } = models(kit)

const AuthorSerializer = BaseModelSerializer(authors, { fields: ['id', 'name'] })
const CategorySerializer = BaseModelSerializer(categories, { fields: ['code', 'label'] })
const author = IdToDataField({ queryset: authors, serializer: AuthorSerializer })
const ArticleSerializer = BaseModelSerializer(articles, {
  fields: ['id', 'title', 'author', 'publishedAt', 'views'],
  extra: { author, editor: author, shout: article => article.title.toUpperCase() },
})

type Reference = { id: string; name: string }
type _outputs = [
  Expect<Equal<SerializerOutput<typeof AuthorSerializer>, Reference>>,
  Expect<
    Equal<
      keyof SerializerOutput<typeof ArticleSerializer>,
      'id' | 'title' | 'author' | 'editor' | 'publishedAt' | 'views' | 'shout'
    >
  >,
  // A relation is what its serializer shows; one whose column may be null may be null.
  Expect<Equal<SerializerOutput<typeof ArticleSerializer>['author'], Reference>>,
  Expect<Equal<SerializerOutput<typeof ArticleSerializer>['editor'], Reference | null>>,
  Expect<Equal<SerializerOutput<typeof ArticleSerializer>['publishedAt'], string | null>>,
  Expect<Equal<SerializerOutput<typeof ArticleSerializer>['shout'], string>>,
]

// On the wire, keys are in snake_case and 64-bit integers are what JSON can hold.
type Wired = SerializerData<typeof ArticleSerializer>
type _wire = [
  Expect<Equal<keyof Wired, 'id' | 'title' | 'author' | 'editor' | 'published_at' | 'views' | 'shout'>>,
  Expect<Equal<Wired['editor'], Reference | null>>,
  Expect<Equal<Wired['views'], number | string | null>>,
]

// What the database computes is of the type that is declared, and null unless it says otherwise.
const _computed = BaseModelSerializer(authors, {
  fields: ['name'],
  extra: {
    articleCount: ExpressionField({ expression: sql`1`, type: 'integer', notNull: true }),
    best: ExpressionField({ expression: sql`1`, type: 'decimal', scale: 2 }),
    total: ExpressionField({ expression: sql`1`, type: 'bigint' }),
  },
})
type _expressions = [
  Expect<
    Equal<
      SerializerOutput<typeof _computed>,
      { name: string; articleCount: number; best: string | null; total: bigint | null }
    >
  >,
  Expect<Equal<SerializerData<typeof _computed>['total'], number | string | null>>,
  // Nobody writes it.
  Expect<Equal<Extract<keyof SerializerInput<typeof _computed>, 'articleCount' | 'best' | 'total'>, never>>,
]
// @ts-expect-error there is no such type
ExpressionField({ expression: sql`1`, type: 'number' })
// @ts-expect-error only decimals have a scale
ExpressionField({ expression: sql`1`, type: 'integer', scale: 2 })
// @ts-expect-error an expression is made with sql`...`
ExpressionField({ expression: 'name', type: 'text' })

// Writing, a relation is the identifier.
const write = (_values: SerializerInput<typeof ArticleSerializer>) => {}
write({ title: 'A', author: 'id', editor: null })
// @ts-expect-error a relation is written by its identifier
write({ author: { id: 'id', name: 'Ada' } })

// @ts-expect-error a typo in a field's name
BaseModelSerializer(authors, { fields: ['id', 'nmae'] })
// @ts-expect-error the name on the wire is not the name in code
BaseModelSerializer(authors, { fields: ['created_at'] })
// @ts-expect-error a read-only field is one of the fields
BaseModelSerializer(authors, { fields: ['id'], readOnly: ['name'] })
// @ts-expect-error a write-only field is one of the fields
BaseModelSerializer(authors, { fields: ['id'], writeOnly: ['name'] })
// @ts-expect-error a refinement is of one of the fields
BaseModelSerializer(authors, { fields: ['id'], refine: { name: z.string() } })
// @ts-expect-error nobody sends a value of a read-only field
BaseModelSerializer(authors, { fields: ['id', 'name'], readOnly: ['name'], refine: { name: z.string() } })
BaseModelSerializer(authors, { fields: ['id', 'name'], readOnly: ['id'], refine: { name: z.string() } })
// @ts-expect-error a typo in a read-only field
BaseModelSerializer(authors, { fields: ['id', 'name'], readOnly: ['nmae'] })
// @ts-expect-error a refinement is of the column's type
BaseModelSerializer(authors, { fields: ['name'], refine: { name: z.number() } })
// @ts-expect-error an unknown setting
BaseModelSerializer(authors, { fields: ['id'], readonly: ['id'] })
// @ts-expect-error fields are required
BaseModelSerializer(authors, {})
// @ts-expect-error the serializer of another model
IdToDataField({ queryset: authors, serializer: CategorySerializer })
// @ts-expect-error an unknown option
IdToDataField({ queryset: authors, serializer: AuthorSerializer, readonly: true })
BaseModelSerializer(articles, {
  fields: ['id'],
  // @ts-expect-error a computed field sees the record, which has no such field
  extra: { shout: article => article.titel },
})
BaseModelSerializer(articles, {
  fields: ['id', 'title'],
  // @ts-expect-error a complaint is about one of the fields
  validate: () => ({ titel: 'No.' }),
})
