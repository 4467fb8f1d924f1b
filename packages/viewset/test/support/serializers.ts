import { BaseModelSerializer, IdToDataField } from 'viewset'
import type { Models } from './models.ts'

/** Serializers of the fixture's models, as most tests need them. */
export function serializers({ authors, articles, comments, categories, shelves, loans }: Models) {
  const AuthorReference = BaseModelSerializer(authors, { fields: ['id', 'name'] })
  const author = IdToDataField({ queryset: authors, serializer: AuthorReference })
  const ArticleSerializer = BaseModelSerializer(articles, {
    fields: [
      'id',
      'title',
      'body',
      'author',
      'editor',
      'status',
      'price',
      'rating',
      'views',
      'featured',
      'publishedAt',
      'releasedOn',
      'reference',
      'metadata',
    ],
    extra: { author, editor: author },
  })
  /** Few fields, so that a test about something else states a whole body in a line. */
  const TitleSerializer = BaseModelSerializer(articles, { fields: ['id', 'title', 'author', 'rating'] })
  const AuthorSerializer = BaseModelSerializer(authors, { fields: ['id', 'name', 'email'] })
  const CommentSerializer = BaseModelSerializer(comments, { fields: ['id', 'article', 'parent', 'text'] })
  const CategorySerializer = BaseModelSerializer(categories, { fields: ['code', 'label', 'createdAt', 'updatedAt'] })
  const ShelfSerializer = BaseModelSerializer(shelves, { fields: ['id', 'label', 'category'] })
  const LoanSerializer = BaseModelSerializer(loans, { fields: ['id', 'shelf', 'fee'] })
  return {
    AuthorReference,
    ArticleSerializer,
    TitleSerializer,
    AuthorSerializer,
    CommentSerializer,
    CategorySerializer,
    ShelfSerializer,
    LoanSerializer,
  }
}
