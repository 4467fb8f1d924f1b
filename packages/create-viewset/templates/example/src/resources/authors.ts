import { BaseModelSerializer, BaseViewSet, IsAuthenticatedOrReadOnly } from 'viewset'
import { authors } from '../schema.ts'

export const AuthorSerializer = BaseModelSerializer(authors, { fields: ['id', 'name'] })

export const AuthorViewSet = BaseViewSet({
  model: authors,
  serializer: AuthorSerializer,
  permissionClasses: [IsAuthenticatedOrReadOnly],
  ordering: 'name',
  searchFields: ['name'],
})
