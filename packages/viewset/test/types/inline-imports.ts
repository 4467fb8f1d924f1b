// An import's configuration as applications write it: inline.
import {
  AllowAny,
  BaseModelSerializer,
  type ColumnKit,
  ImportableViewSet,
  type ImportFileConfig,
  ImportService,
  importForeignKey,
  importModel,
} from 'viewset'
import { models } from '../support/models.ts'

declare const kit: ColumnKit
const { authors, articles } = models(kit)
const shared = {
  model: articles,
  serializer: BaseModelSerializer(articles, { fields: ['id', 'title', 'author'] }),
  permissionClasses: [AllowAny],
}

ImportableViewSet({
  ...shared,
  importFileConfig: {
    fileFormat: ['xlsx', 'csv'],
    order: ['authors', 'articles'],
    models: {
      authors: importModel({ model: authors, fields: ['name', 'email'], uniqueFields: ['email'] }),
      articles: importModel({
        model: articles,
        fields: ['title'],
        uniqueFields: ['title'],
        foreignKeys: {
          author: importForeignKey({ model: authors, lookupField: 'email', sourceField: 'author_email' }),
        },
      }),
    },
    headers: { Headline: 'title', By: ['author_email', 'authors.name'] },
  },
  importTransforms: { title: value => String(value).trim(), 'articles.author_email': value => value },
  importExamples: { authors: { name: 'Ada' }, articles: { author_email: 'ada@example.org' } },
})

ImportableViewSet({
  ...shared,
  importFileConfig: {
    fileFormat: 'csv',
    order: ['articles'],
    models: { articles: importModel({ model: articles, fields: ['title'], uniqueFields: ['title'] }) },
    // @ts-expect-error a header of no imported field
    headers: { Headline: 'titel' },
  },
})
ImportableViewSet({
  ...shared,
  importFileConfig: {
    fileFormat: 'csv',
    order: ['articles'],
    models: { articles: importModel({ model: articles, fields: ['title'], uniqueFields: ['title'] }) },
  },
  // @ts-expect-error a transform of no imported field
  importTransforms: { titel: value => value },
})
ImportableViewSet({
  ...shared,
  importFileConfig: {
    fileFormat: 'csv',
    order: ['articles'],
    models: { articles: importModel({ model: articles, fields: ['title'], uniqueFields: ['title'] }) },
  },
  // @ts-expect-error an example of no imported field
  importExamples: { articles: { titel: 'x' } },
})
ImportableViewSet({
  ...shared,
  importFileConfig: {
    fileFormat: 'csv',
    order: ['articles'],
    // @ts-expect-error a field that the model does not have
    models: { articles: importModel({ model: articles, fields: ['titel'], uniqueFields: ['title'] }) },
  },
})
// Only importModel knows the names of a model.
ImportableViewSet({
  ...shared,
  importFileConfig: {
    fileFormat: 'csv',
    order: ['articles'],
    // @ts-expect-error a misspelled field, without importModel
    models: { articles: { model: articles, fields: ['titel'], uniqueFields: ['title'] } },
  },
})
new ImportService({
  fileFormat: 'csv',
  order: ['articles'],
  // @ts-expect-error a misspelled field, without importModel
  models: { articles: { model: articles, fields: ['titel'], uniqueFields: ['title'] } },
})
const written: ImportFileConfig = {
  fileFormat: 'csv',
  order: ['articles'],
  // @ts-expect-error a misspelled field, without importModel
  models: { articles: { model: articles, fields: ['titel'], uniqueFields: ['title'] } },
}
ImportableViewSet({
  ...shared,
  importFileConfig: {
    fileFormat: 'csv',
    // @ts-expect-error a model that is none of those described
    order: ['aticles'],
    models: { articles: importModel({ model: articles, fields: ['title'], uniqueFields: ['title'] }) },
  },
})
new ImportService({
  fileFormat: 'csv',
  order: ['articles'],
  models: { articles: importModel({ model: articles, fields: ['title'], uniqueFields: ['title'] }) },
  // @ts-expect-error a header of no imported field
  headers: { Headline: 'titel' },
})

export { written }
