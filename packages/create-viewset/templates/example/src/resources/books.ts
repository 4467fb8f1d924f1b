import {
  BaseModelSerializer,
  IdToDataField,
  ImportableViewSet,
  IsAuthenticatedOrReadOnly,
  importForeignKey,
  importModel,
} from 'viewset'
import { authors, books } from '../schema.ts'
import { AuthorSerializer } from './authors.ts'

const BookSerializer = BaseModelSerializer(books, {
  fields: ['id', 'isbn', 'title', 'author', 'price', 'publishedOn'],
  extra: { author: IdToDataField({ queryset: authors, serializer: AuthorSerializer }) },
})

export const BookViewSet = ImportableViewSet({
  model: books,
  serializer: BookSerializer,
  permissionClasses: [IsAuthenticatedOrReadOnly],
  ordering: 'title',
  searchFields: ['title', 'author__name'],
  exportFieldConfig: { isbn: 'ISBN', title: 'Title', author__name: 'Author', price: 'Price', publishedOn: 'Published' },
  importFileConfig: {
    fileFormat: ['xlsx', 'csv'],
    order: ['authors', 'books'],
    models: {
      // A row with an author that nobody knows yet creates the author, too.
      authors: importModel({ model: authors, fields: ['name'], uniqueFields: ['name'] }),
      books: importModel({
        model: books,
        fields: ['isbn', 'title', 'price', 'publishedOn'],
        uniqueFields: ['isbn'],
        foreignKeys: { author: importForeignKey({ model: authors, lookupField: 'name', sourceField: 'name' }) },
      }),
    },
  },
})
