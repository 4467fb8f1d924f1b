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
    // Exports call this column "Author". The labels of the other columns are known to the import already.
    headers: { Author: 'name' },
    models: {
      // An author is created if there is none of this name.
      authors: importModel({ model: authors, fields: ['name'], uniqueFields: ['name'] }),
      books: importModel({
        model: books,
        fields: ['isbn', 'title', 'price', 'publishedOn'],
        uniqueFields: ['isbn'],
        foreignKeys: { author: importForeignKey({ model: authors, lookupField: 'name', sourceField: 'name' }) },
      }),
    },
  },
  importExamples: {
    authors: { name: 'Jane Austen' },
    books: { isbn: '9780141439587', title: 'Emma', price: '8.90', publishedOn: '1815-12-23' },
  },
})
