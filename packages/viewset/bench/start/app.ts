import { eq } from 'drizzle-orm'
import Fastify from 'fastify'
import { AllowAny, BaseModelSerializer, BaseViewSet } from 'viewset'
import { resources, serverOptions } from 'viewset/fastify'
import { kit as c, sqlite } from 'viewset/sqlite'

// One resource on SQLite, as the documentation writes it: copied into a folder where the package is installed.
const articles = c.table('articles', { ...c.BaseModelMixin(), title: c.text(200).notNull() })
const ArticleViewSet = BaseViewSet({
  model: articles,
  serializer: BaseModelSerializer(articles, { fields: ['id', 'title', 'createdAt'] }),
  permissionClasses: [AllowAny],
  queryset: () => eq(articles.isActive, true),
})
const app = Fastify(serverOptions)
await app.register(resources, {
  prefix: '/api',
  database: sqlite('shop.db'),
  resources: { articles: ArticleViewSet },
})
await app.listen({ port: Number(process.env.PORT), host: '127.0.0.1' })
