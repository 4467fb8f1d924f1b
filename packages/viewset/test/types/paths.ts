// Checked by `npm run test:types`: paths and computed names are checked where they are written.
import { sql } from 'drizzle-orm'
import { pgTable, text, uuid } from 'drizzle-orm/pg-core'
import { AllowAny, BaseModelSerializer, type ColumnKit, type FieldPath, ReadOnlyViewSet } from 'viewset'
import { models } from '../support/models.ts'

declare const kit: ColumnKit
const { articles, comments } = models(kit)
const common = {
  model: articles,
  serializer: BaseModelSerializer(articles, { fields: ['id', 'title'] }),
  permissionClasses: [AllowAny],
} as const

const paths: FieldPath<typeof articles>[] = ['title', 'author', 'author__name', 'createdBy__username']
const deep: FieldPath<typeof comments>[] = [
  'article__author__name',
  'parent__text',
  'parent__parent__article__author__name',
]
// @ts-expect-error authors have no such field
const typo: FieldPath<typeof articles> = 'author__nmae'
// @ts-expect-error a title is no foreign key
const noRelation: FieldPath<typeof articles> = 'title__name'
// @ts-expect-error at the second level as well
const deepTypo: FieldPath<typeof comments> = 'article__author__nmae'
// @ts-expect-error code's names, not those of the wire
const wire: FieldPath<typeof articles> = 'created_by__username'

// Drizzle's own tables do not tell their types what they refer to.
const notes = pgTable('notes', { id: uuid().primaryKey(), author: uuid().references(() => articles.id), text: text() })
const loose: FieldPath<typeof notes>[] = ['text', 'author__title']

const computedOrderingFields = {
  comment_count: sql`1`,
  place: ['author__name', 'title'],
  writer: 'author__name',
} as const
ReadOnlyViewSet({ ...common, computedOrderingFields, ordering: ['-comment_count', 'author__name', '-title'] })
ReadOnlyViewSet({ ...common, computedOrderingFields: { comment_count: sql`1` }, ordering: '-comment_count' })
ReadOnlyViewSet({
  ...common,
  ordering: 'author__name',
  orderingFields: ['author__email'],
  searchFields: ['author__name'],
})
ReadOnlyViewSet({ ...common, filterFields: ['title', 'author__name'] })
ReadOnlyViewSet({ ...common, filterFields: { rating: ['gte', 'lte'], author__name: ['icontains'] } })

ReadOnlyViewSet({ ...common, filterFields: { rating: ['exact', 'ne'], author__name: ['not_in'] } })

// @ts-expect-error no such field
ReadOnlyViewSet({ ...common, ordering: 'titel' })
// @ts-expect-error no such computed name
ReadOnlyViewSet({ ...common, computedOrderingFields: { comment_count: sql`1` }, ordering: 'coment_count' })
// @ts-expect-error no such path
ReadOnlyViewSet({ ...common, computedOrderingFields: { writer: 'author__nmae' } })
// @ts-expect-error no such field
ReadOnlyViewSet({ ...common, orderingFields: ['author__nmae'] })
// @ts-expect-error no such field
ReadOnlyViewSet({ ...common, searchFields: ['author__nmae'] })
// @ts-expect-error no such field
ReadOnlyViewSet({ ...common, filterFields: ['author__nmae'] })
// @ts-expect-error no such field
ReadOnlyViewSet({ ...common, filterFields: { author__nmae: ['exact'] } })
// @ts-expect-error no such lookup
ReadOnlyViewSet({ ...common, filterFields: { rating: ['above'] } })
