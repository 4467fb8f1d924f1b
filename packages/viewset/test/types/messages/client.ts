// What an editor shows of a client's types, and what the compiler says of a wrong call; client.txt has its words.
import { AllowAny, BaseModelSerializer, BulkViewSet, type ColumnKit, IdToDataField, ReadOnlyViewSet } from 'viewset'
import { createClient } from 'viewset/client'
import * as z from 'zod'
import { models } from '../../support/models.ts'

declare const kit: ColumnKit
const { articles, authors } = models(kit)
const AuthorSerializer = BaseModelSerializer(authors, { fields: ['id', 'name'] })
const permissionClasses = [AllowAny]
class AuthorViewSet extends ReadOnlyViewSet({ model: authors, serializer: AuthorSerializer, permissionClasses }) {}
class ArticleViewSet extends BulkViewSet({
  model: articles,
  serializer: BaseModelSerializer(articles, {
    fields: ['id', 'title', 'rating'],
    extra: { author: IdToDataField({ queryset: authors, serializer: AuthorSerializer }) },
  }),
  permissionClasses,
  filterFields: { title: ['exact', 'icontains'], rating: ['gte', 'in'], status: ['exact'] },
  actions: {
    rate: {
      method: 'POST',
      detail: true,
      input: z.object({ stars: z.int() }),
      handler: (_view, { stars }) => ({ stars }),
    },
  },
}) {}
const resources = { authors: AuthorViewSet, articles: ArticleViewSet }
const client = createClient<typeof resources>({ baseUrl: '/api' })
const { list, retrieve, create, partialUpdate, bulkUpdate, bulkDelete } = client.articles
const one = client.articles.actionsOf('id')

// Nothing is a number, so the compiler says what it is.
list satisfies number
retrieve satisfies number
create satisfies number
partialUpdate satisfies number
bulkUpdate satisfies number
bulkDelete satisfies number
one.rate satisfies number
client.articles satisfies number
const pageOf = async () => (await list()) satisfies number

client.artcles
client.authors.create
one.rte
one.rate.get
list({ rating__gt: 4 })
list({ rating__gte: 'four' })
list({ status: 'lost' })
list({ ordering: '-titel' })
create({ titel: 'A', author: 'id' })
create({ author: 'id' })
one.rate.post({ star: 5 })
pageOf
