import { eq, sql } from 'drizzle-orm'
import {
  BaseModelSerializer,
  CustomOutputField,
  DataToDataField,
  DataToIdField,
  ExpressionField,
  FlexibleField,
  IdOnlyField,
  IdToDataField,
  IdToStrField,
  importForeignKey,
  importModel,
  ManyIdToDataField,
  ReadOnlyDataField,
  ReadOnlyIdField,
  ReadOnlyStrField,
  type SerializerData,
  type SerializerInput,
  type SerializerOutput,
  StrOnlyField,
  StrToDataField,
  scoped,
} from 'viewset'
import { articles, articleTags, authors, numbers, plainLite, plainPg, tags } from './models.js'

export const AuthorSerializer = BaseModelSerializer(authors, { fields: ['id', 'name', 'bio'] })
export const TagSerializer = BaseModelSerializer(tags, { fields: ['id', 'label'] })
export const NumberSerializer = BaseModelSerializer(numbers, { fields: ['id', 'big', 'price', 'kind', 'upper'] })
export const PlainSerializer = BaseModelSerializer(plainPg, { fields: ['id', 'data'] })
export const LiteSerializer = BaseModelSerializer(plainLite, { fields: ['id', 'data'] })

export const named = scoped(authors, ({ user }) => eq(authors.name, String(user?.id)))
export const fields = {
  idToData: IdToDataField({ queryset: named, serializer: AuthorSerializer }),
  idToStr: IdToStrField({ queryset: authors, str: 'name' }),
  idOnly: IdOnlyField({ queryset: authors }),
  dataToId: DataToIdField({ queryset: authors, serializer: AuthorSerializer }),
  dataToData: DataToDataField({ queryset: authors, serializer: AuthorSerializer }),
  strToData: StrToDataField({ queryset: authors, str: 'name', serializer: AuthorSerializer }),
  strOnly: StrOnlyField({ queryset: authors, str: 'name' }),
  custom: CustomOutputField({ queryset: authors, output: author => ({ initial: author.name[0] }) }),
  flexible: FlexibleField({ queryset: authors, serializer: AuthorSerializer }),
  readData: ReadOnlyDataField({ queryset: authors, serializer: AuthorSerializer, column: 'author', scopeReads: true }),
  readId: ReadOnlyIdField({ queryset: authors, column: 'author' }),
  readStr: ReadOnlyStrField({ queryset: authors, str: 'name', column: 'author' }),
  many: ManyIdToDataField({ queryset: tags, serializer: TagSerializer, through: articleTags }),
  count: ExpressionField({ expression: sql`1`, type: 'bigint', notNull: true }),
}
export const ArticleSerializer = BaseModelSerializer(articles, {
  fields: ['id', 'title', 'author', 'createdAt'],
  writeOnly: ['title'],
  extra: {
    author: fields.flexible,
    authorName: fields.readStr,
    tags: fields.many,
    count: fields.count,
    shout: article => article.title.toUpperCase(),
  },
})
export type ArticleData = SerializerData<typeof ArticleSerializer>
export const shown = (data: SerializerData<typeof ArticleSerializer>) => data.author
export const written = (values: SerializerInput<typeof ArticleSerializer>) => values.tags
export const inCode = (output: SerializerOutput<typeof ArticleSerializer>) => output.createdAt

export const articleRows = importModel({
  model: articles,
  fields: ['title'],
  uniqueFields: ['title'],
  foreignKeys: { author: importForeignKey({ model: authors, lookupField: 'name', sourceField: 'Writer' }) },
})
