// What the compiler must know of resources with an import, and what it must refuse.
import {
  AllowAny,
  BaseModelSerializer,
  type ColumnKit,
  Download,
  ImportableViewSet,
  importForeignKey,
  importModel,
  ReadOnlyViewSet,
} from 'viewset'
import { models } from '../support/models.ts'

declare const kit: ColumnKit
const { authors, articles } = models(kit)

const shared = {
  model: articles,
  serializer: BaseModelSerializer(articles, { fields: ['id', 'title', 'author'] }),
  permissionClasses: [AllowAny],
}
const importFileConfig = {
  fileFormat: 'csv',
  order: ['authors', 'articles'],
  models: {
    authors: importModel({ model: authors, fields: ['name', 'email'], uniqueFields: ['email'] }),
    articles: importModel({
      model: articles,
      fields: ['title'],
      uniqueFields: ['title'],
      foreignKeys: { author: importForeignKey({ model: authors, lookupField: 'email', sourceField: 'author_email' }) },
    }),
  },
} as const

export class ArticleViewSet extends ImportableViewSet({
  ...shared,
  importFileConfig,
  importTransforms: { title: value => String(value).trim(), 'articles.author_email': value => value },
  importExamples: { authors: { name: 'Ada' }, articles: { author_email: 'ada@example.org' } },
}) {
  override async importFile() {
    const reply = await super.importFile()
    const { data } = reply
    if (data instanceof Download || 'state' in data) return reply
    return reply.with({ message: `${data.created} created, ${data.ignored_columns.join()} ignored` })
  }

  override async performImport(...args: Parameters<InstanceType<typeof Base>['performImport']>) {
    const result = await super.performImport(...args)
    return { ...result, created: result.created + 0 }
  }
}
const Base = ImportableViewSet({ ...shared, importFileConfig })

// @ts-expect-error an import needs its configuration
ImportableViewSet(shared)
// @ts-expect-error a transform of no imported field
ImportableViewSet({ ...shared, importFileConfig, importTransforms: { titel: value => value } })
// @ts-expect-error an example of no imported field
ImportableViewSet({ ...shared, importFileConfig, importExamples: { articles: { body: 'x' } } })
// @ts-expect-error an example of no model
ImportableViewSet({ ...shared, importFileConfig, importExamples: { article: { title: 'x' } } })
// @ts-expect-error a model that is none of those described
ImportableViewSet({ ...shared, importFileConfig: { ...importFileConfig, order: ['authors', 'aticles'] } })
ImportableViewSet({
  ...shared,
  importFileConfig: {
    ...importFileConfig,
    headers: { Headline: 'title', 'E-mail': ['email', 'articles.author_email'], By: 'authors.name' },
  },
})
// @ts-expect-error a header of no imported field
ImportableViewSet({ ...shared, importFileConfig: { ...importFileConfig, headers: { Headline: 'titel' } } })
// @ts-expect-error one of the fields of a header is not imported
ImportableViewSet({ ...shared, importFileConfig: { ...importFileConfig, headers: { Headline: ['title', 'body'] } } })
// @ts-expect-error a header of a field of no model
ImportableViewSet({ ...shared, importFileConfig: { ...importFileConfig, headers: { By: 'author.name' } } })
// @ts-expect-error a setting of a mixin that this viewset does not include
ReadOnlyViewSet({ ...shared, importFileConfig })
