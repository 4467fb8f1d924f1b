import { sql } from 'drizzle-orm'
import {
  AllowAny,
  BaseViewSet,
  BulkImportableViewSet,
  BulkUpsertModelMixin,
  ComputedOrderingFilter,
  CreateModelMixin,
  compose,
  ExportService,
  FieldFilter,
  ImportService,
  IsAuthenticated,
  LimitOffsetPaginationWithFormat,
  ListModelMixin,
  type ModelRecord,
  type Permission,
  ReadOnlyViewSet,
  Reply,
  SearchFilter,
  type SerializerInput,
  StandardPageNumberPagination,
} from 'viewset'
import * as z from 'zod'
import { StampModelMixin } from './mixin.js'
import { articles, authors, plainLite, plainPg } from './models.js'
import { ArticleSerializer, AuthorSerializer, articleRows, LiteSerializer, PlainSerializer } from './serializers.js'

export class SmallPages extends StandardPageNumberPagination {
  override readonly pageSize = 5
}
export class Windows extends LimitOffsetPaginationWithFormat {}
export const IsOwner: Permission<ModelRecord<typeof articles>> = {
  hasPermission: () => true,
  hasObjectPermission: ({ user }, record) => record.createdBy === user?.id,
}
export const permissions = [AllowAny, IsAuthenticated]
export const filters = [FieldFilter, SearchFilter, ComputedOrderingFilter]

export const ProjectViewSet = BaseViewSet.with({ paginationClass: SmallPages })
export const FeedViewSet = compose(ListModelMixin, CreateModelMixin, StampModelMixin)
/** A factory of resources, as one for each tenant. */
export const readOnly = (name: string) =>
  ReadOnlyViewSet({
    model: authors,
    serializer: AuthorSerializer,
    permissionClasses: [AllowAny],
    queryset: () => sql`name = ${name}`,
  })
export const Authors = FeedViewSet({
  model: authors,
  serializer: AuthorSerializer,
  permissionClasses: [AllowAny],
  stamp: 'x',
})
export const Plain = ProjectViewSet({ model: plainPg, serializer: PlainSerializer, permissionClasses: [AllowAny] })
export const Lite = ProjectViewSet({ model: plainLite, serializer: LiteSerializer, permissionClasses: [AllowAny] })

export class ArticleViewSet extends BulkImportableViewSet.add(BulkUpsertModelMixin)({
  model: articles,
  serializer: ArticleSerializer,
  permissionClasses: [IsOwner],
  computedOrderingFields: { length: sql`length(title)` },
  ordering: '-length',
  exportFieldConfig: { title: 'Title', author__name: 'Author' },
  upsertFields: ['title'],
  importFileConfig: { fileFormat: ['csv', 'xlsx'], order: ['articles'], models: { articles: articleRows } },
  actions: {
    publish: {
      detail: true,
      method: 'POST',
      input: z.object({ at: z.string() }),
      handler: async (view, { at }) => ({ ...(await view.getObject()).getJson(), at }),
    },
  },
}) {
  override async performCreate(values: SerializerInput<typeof ArticleSerializer>) {
    return super.performCreate(values)
  }

  override async getQueryset() {
    return (await super.getQueryset()).filter(sql`true`)
  }

  override async list() {
    return (await super.list()).map(item => ({ ...item, extra: 1 }))
  }

  override async finalize(reply: Reply) {
    return reply.with({ message: 'done' })
  }

  async mine() {
    return new Reply(await this.serialize(await this.getObject()))
  }
}

export const exporting = new ExportService(ArticleSerializer, { exportFieldConfig: { title: 'Title' } })
export const importing = new ImportService({
  fileFormat: 'csv',
  order: ['articles'],
  models: { articles: articleRows },
})
export const resources = { ArticleViewSet, Authors, Plain, Lite }
