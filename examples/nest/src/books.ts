import { BaseModelSerializer, ImportableViewSet, IsAuthenticatedOrReadOnly, importModel } from 'viewset'
import { books } from './schema.ts'

export const BookViewSet = ImportableViewSet({
  model: books,
  serializer: BaseModelSerializer(books, { fields: ['id', 'isbn', 'title', 'author', 'price'] }),
  permissionClasses: [IsAuthenticatedOrReadOnly],
  ordering: 'title',
  searchFields: ['title', 'author'],
  exportFieldConfig: { isbn: 'ISBN', title: 'Title', author: 'Author', price: 'Price' },
  importFileConfig: {
    fileFormat: ['xlsx', 'csv'],
    order: ['books'],
    models: {
      books: importModel({ model: books, fields: ['isbn', 'title', 'author', 'price'], uniqueFields: ['isbn'] }),
    },
  },
})
