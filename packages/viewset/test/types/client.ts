// What a client knows of the resources, by their classes alone.
import { eq, sql } from 'drizzle-orm'
import {
  AllowAny,
  BaseModelSerializer,
  BaseViewSet,
  BulkImportableViewSet,
  BulkRestoreModelMixin,
  BulkUpsertModelMixin,
  BulkViewSet,
  type ColumnKit,
  ComputedOrderingFilter,
  CursorPagination,
  type Download,
  FieldFilter,
  type FilterBackend,
  IdOnlyField,
  IdToDataField,
  importModel,
  type JobData,
  LimitOffsetPaginationWithFormat,
  ReadOnlyViewSet,
  Reply,
  RestoreModelMixin,
  StandardPageNumberPagination,
} from 'viewset'
import { type ClientError, createClient, type Page, type ResourceClient } from 'viewset/client'
import * as z from 'zod'
import { models } from '../support/models.ts'
import type { Equal, Expect } from './support.ts'

declare const kit: ColumnKit
const { articles, authors, categories, loans } = models(kit)
const AuthorSerializer = BaseModelSerializer(authors, { fields: ['id', 'name', 'email'] })
const ArticleSerializer = BaseModelSerializer(articles, {
  fields: ['id', 'createdAt', 'title', 'status', 'rating', 'price', 'metadata', 'editor'],
  extra: {
    author: IdToDataField({ queryset: authors, serializer: AuthorSerializer }),
    editor: IdOnlyField({ queryset: authors }),
    shout: article => article.title.toUpperCase(),
  },
})
const permissionClasses = [AllowAny]

class ArticleViewSet extends BulkImportableViewSet.add(
  BulkUpsertModelMixin,
  RestoreModelMixin,
  BulkRestoreModelMixin,
)({
  model: articles,
  serializer: ArticleSerializer,
  permissionClasses,
  queryset: () => eq(articles.isActive, true),
  filterFields: {
    title: ['exact', 'icontains', 'in'],
    rating: ['exact', 'gte', 'range', 'isnull'],
    isActive: ['state'],
    createdBy__username: ['exact', 'in'],
    publishedAt: ['year', 'month', 'lt'],
    status: ['exact', 'in'],
    views: ['gt'],
  },
  searchFields: ['title'],
  computedOrderingFields: { length: sql`length(title)` },
  upsertFields: ['title', 'author'],
  importFileConfig: {
    fileFormat: 'csv',
    order: ['articles'],
    models: { articles: importModel({ model: articles, fields: ['title'], uniqueFields: ['title'] }) },
  },
  actions: {
    rate: {
      method: 'POST',
      detail: true,
      input: z.object({ stars: z.coerce.number() }),
      output: z.object({ mean: z.number().transform(String) }),
      handler: async (_view, { stars }) => ({ mean: stars }),
    },
    publish: {
      method: 'POST',
      detail: true,
      handler: async view => Object.assign(await view.getObject(), { status: 'published' as const }).save(),
    },
    forget: { method: 'DELETE', detail: true, path: 'memory/of-it', handler: () => undefined },
    top: { method: 'GET', detail: false, handler: async () => [{ id: 'x', at: new Date(), views: 1n }] },
    readNote: {
      method: 'GET',
      detail: false,
      path: 'note',
      handler: () => new Reply({ text: 'x' }, { message: 'hi' }),
    },
    writeNote: {
      method: 'PUT',
      detail: false,
      path: 'note',
      input: z.string().optional(),
      handler: (_view, text) => text ?? null,
    },
    report: {
      method: 'GET',
      detail: false,
      path: 'reports/:year/:month',
      handler: () => ({}) as Download,
    },
  },
}) {}
const AuthorViewSet = ReadOnlyViewSet({
  model: authors,
  serializer: AuthorSerializer,
  permissionClasses,
  filterFields: ['name', 'email'],
  orderingFields: ['createdBy', 'name'],
  paginationClass: CursorPagination,
})
class Windows extends LimitOffsetPaginationWithFormat {}
const WindowViewSet = BaseViewSet.with({ paginationClass: Windows, returnDataOnCreate: false })
const CategoryViewSet = WindowViewSet({
  model: categories,
  serializer: BaseModelSerializer(categories, { fields: ['code', 'label'] }),
  permissionClasses,
  appendIndexes: false,
})
class LoanViewSet extends BaseViewSet({
  model: loans,
  serializer: BaseModelSerializer(loans, { fields: ['id', 'fee'] }),
  permissionClasses,
}) {
  override async list() {
    return (await super.list()).map(item => ({ ...item, takenAt: new Date() }))
  }
}
const resources = {
  articles: ArticleViewSet,
  authors: AuthorViewSet,
  categories: CategoryViewSet,
  loans: LoanViewSet,
  'authors/:author/articles': ArticleViewSet,
}
const client = createClient<typeof resources>({ baseUrl: '/api', token: async () => null })

// What a client gets: plain objects, to the letter.
interface Author {
  id: string
  name: string
  email: string | null
}
interface Article {
  id: string
  created_at: string
  title: string
  status: 'draft' | 'published'
  rating: number | null
  price: string | null
  metadata: unknown
  editor: string | null
  author: Author
  shout: string
}
type Result<F extends (...values: never[]) => unknown> = Awaited<ReturnType<F>>
type _results = [
  Expect<Equal<Result<typeof client.articles.list>, Page<Listed<Article>>>>,
  Expect<Equal<Result<typeof client.articles.retrieve>, Article>>,
  Expect<Equal<Result<typeof client.articles.create>, Article>>,
  Expect<Equal<Result<typeof client.articles.partialUpdate>, Article>>,
  Expect<Equal<Result<typeof client.articles.bulkCreate>, Article[]>>,
  Expect<Equal<Result<typeof client.articles.destroy>, void>>,
  Expect<Equal<Result<typeof client.articles.restore>, Article>>,
  Expect<Equal<Parameters<typeof client.articles.restore>[0], string>>,
  // Where pages have no positions, an item may have none.
  Expect<
    Equal<
      Result<typeof client.authors.list>['items'][number],
      Author & { index?: number } extends infer A ? { [K in keyof A]: A[K] } : never
    >
  >,
  // What a class is set to answer, be it by the defaults of its kind.
  Expect<Equal<Result<typeof client.categories.create>, Record<string, never>>>,
  Expect<Equal<Result<typeof client.categories.list>['items'], { code: string; label: string }[]>>,
  // What a class makes of it itself.
  Expect<
    Equal<
      Result<typeof client.loans.list>['items'][number],
      { takenAt: string; id: number | string; fee: string; index?: number }
    >
  >,
]
type Listed<T> = { [K in keyof T | 'index']: K extends keyof T ? T[K] : number }

// What a client sends.
interface ArticleBody {
  title: string
  author: string
  status?: 'draft' | 'published' | undefined
  rating?: number | null | undefined
  price?: string | null | undefined
  metadata?: unknown
  editor?: string | null | undefined
}
type _bodies = [
  Expect<Equal<Parameters<typeof client.articles.create>[0], ArticleBody>>,
  Expect<Equal<Parameters<typeof client.articles.partialUpdate>[1], Partial<ArticleBody>>>,
  Expect<Equal<Parameters<typeof client.categories.create>[0], { code: string; label: string }>>,
  // A key stays what it is.
  Expect<Equal<Parameters<typeof client.categories.update>[1], { label: string }>>,
  Expect<Equal<Parameters<typeof client.loans.retrieve>[0], string | number>>,
]

// What a client may ask for.
type ArticleQuery = NonNullable<Parameters<typeof client.articles.list>[0]>
type ArticleOrdering = 'id' | 'created_at' | 'title' | 'status' | 'rating' | 'price' | 'editor' | 'length'
type _queries = [
  Expect<
    Equal<
      ArticleQuery,
      {
        title?: string | undefined
        title__ne?: string | undefined
        title__icontains?: string | undefined
        title__in?: readonly string[] | undefined
        title__not_in?: readonly string[] | undefined
        rating?: number | undefined
        rating__ne?: number | undefined
        rating__gte?: number | undefined
        rating__range?: readonly [from: number, to: number] | undefined
        rating__isnull?: boolean | undefined
        is_active?: 'active' | 'deleted' | 'all' | undefined
        created_by__username?: string | undefined
        created_by__username__ne?: string | undefined
        created_by__username__in?: readonly string[] | undefined
        created_by__username__not_in?: readonly string[] | undefined
        published_at__year?: number | undefined
        published_at__month?: number | undefined
        published_at__lt?: string | undefined
        status?: 'draft' | 'published' | undefined
        status__ne?: 'draft' | 'published' | undefined
        status__in?: readonly ('draft' | 'published')[] | undefined
        status__not_in?: readonly ('draft' | 'published')[] | undefined
        views__gt?: string | number | bigint | undefined
        or?: string | undefined
        search?: string | undefined
        ordering?:
          | ArticleOrdering
          | `-${ArticleOrdering}`
          | readonly (ArticleOrdering | `-${ArticleOrdering}`)[]
          | undefined
        page?: number | undefined
        page_size?: number | undefined
        paginated?: boolean | undefined
      }
    >
  >,
  Expect<
    Equal<
      NonNullable<Parameters<typeof client.authors.list>[0]>,
      {
        name?: string | undefined
        name__ne?: string | undefined
        email?: string | undefined
        email__ne?: string | undefined
        or?: string | undefined
        ordering?:
          | 'created_by'
          | 'name'
          | '-created_by'
          | '-name'
          | readonly ('created_by' | 'name' | '-created_by' | '-name')[]
          | undefined
        cursor?: string | undefined
        page_size?: number | undefined
        paginated?: boolean | undefined
      }
    >
  >,
  Expect<
    Equal<
      keyof NonNullable<Parameters<typeof client.categories.list>[0]>,
      'ordering' | 'limit' | 'offset' | 'paginated'
    >
  >,
  Expect<
    Equal<
      keyof NonNullable<Parameters<typeof client.articles.export>[1]>,
      Exclude<keyof ArticleQuery, 'page' | 'page_size' | 'paginated'>
    >
  >,
]

// Actions, by address and method.
const one = client.articles.actionsOf('id')
type _actions = [
  Expect<Equal<keyof typeof one, 'rate' | 'publish' | 'memory/of-it'>>,
  Expect<Equal<keyof typeof client.articles.actions, 'top' | 'note' | 'reports/:year/:month'>>,
  Expect<Equal<Result<typeof one.rate.post>, { mean: string }>>,
  Expect<Equal<Result<typeof one.publish.post>, Article>>,
  Expect<Equal<Result<(typeof one)['memory/of-it']['delete']>, null>>,
  Expect<Equal<Result<typeof client.articles.actions.top.get>, { id: string; at: string; views: number | string }[]>>,
  Expect<Equal<Result<typeof client.articles.actions.note.get>, { text: string }>>,
  Expect<Equal<Result<typeof client.articles.actions.note.put>, string | null>>,
  Expect<Equal<keyof typeof client.authors.actions, never>>,
]
export const calls = async (signal: AbortSignal) => {
  await one.rate.post({ stars: 5 }, { signal })
  await one.publish.post()
  await one['memory/of-it'].delete()
  await client.articles.actions.note.put('x')
  await client.articles.actions.note.put()
  await (await client.articles.actions['reports/:year/:month']({ year: 2026, month: 1 }).get()).blob()
  await client['authors/:author/articles']({ author: 'id' }).list({ rating__gte: 4 })
  for await (const { title } of client.articles.all({ ordering: ['-title', 'length'] })) title satisfies string
  const { created, errors } = await client.articles.importFile(new Blob([]), { append_data: true })
  created satisfies number
  errors[0]?.message satisfies string | undefined
  const answer = await client.articles.importFile(new Blob([]), { append_data: true, failed_rows: true })
  // @ts-expect-error it may be a file
  answer.created satisfies number
  if ('blob' in answer) answer.filename satisfies string
  else answer.created satisfies number
  const job = await client.articles.importFile(new Blob([]), { append_data: true, background: true })
  job satisfies JobData
  const maybe = await client.articles.importFile(new Blob([]), { append_data: true, background: job.attempts > 1 })
  // @ts-expect-error it may be a job
  maybe.created satisfies number
  if ('state' in maybe) maybe.progress.failed satisfies number
  else maybe.created satisfies number
  const made = await client.articles.export({ file_type: 'pdf' }, {}, { background: true })
  const { state } = await client.jobs.follow(made.id, { signal, onChange: ({ progress }) => progress.processed })
  state satisfies 'queued' | 'running' | 'succeeded' | 'failed' | 'cancelled'
  await (await client.jobs.file(made.id)).blob()
  const { items } = await client.jobs.list({ state__in: ['queued', 'running'], ordering: '-created_at' })
  for await (const { resource } of client.jobs.all({ kind: 'import' })) resource satisfies string
  await client.jobs.cancel((await client.jobs.retrieve(items[0]?.id ?? made.id)).id)
  const { missing_ids } = await client.articles.bulkDelete(['id'])
  missing_ids satisfies readonly string[]
  await client.articles.bulkUpdate([{ id: 'id', title: 'A', author: 'id' }])
  await client.articles.bulkPartialUpdate([{ id: 'id', rating: 5 }])
  await client.articles.export({ file_type: 'csv', includes: ['title', 'author__name'] }, { rating__gte: 4 })
  const { data } = await client.$request<{ touched: number }>('POST', '/articles/touch/', { body: {} })
  data.touched satisfies number
}

// What does not compile.
export const mistakes = async () => {
  // @ts-expect-error no such resource
  client.aticles
  // @ts-expect-error no such filter
  await client.articles.list({ titel: 'x' })
  // @ts-expect-error a lookup that is not declared
  await client.articles.list({ title__startswith: 'x' })
  // @ts-expect-error a number
  await client.articles.list({ rating__gte: 'four' })
  // @ts-expect-error two of them
  await client.articles.list({ rating__range: [1] })
  // @ts-expect-error one of the column's values
  await client.articles.list({ status: 'gone' })
  // @ts-expect-error the wire's name
  await client.articles.list({ createdBy__username: 'x' })
  // @ts-expect-error no field to order by
  await client.articles.list({ ordering: '-titel' })
  // @ts-expect-error JSON has no order
  await client.articles.list({ ordering: 'metadata' })
  // @ts-expect-error cursors have no numbers
  await client.authors.list({ page: 2 })
  // @ts-expect-error windows have no pages
  await client.categories.list({ page: 2 })
  // @ts-expect-error no searchFields, no search
  await client.authors.list({ search: 'x' })
  // @ts-expect-error an export has no pages
  await client.articles.export({ file_type: 'csv' }, { page: 2 })
  // @ts-expect-error a title is required
  await client.articles.create({ author: 'id' })
  // @ts-expect-error no such field
  await client.articles.create({ title: 'A', author: 'id', rateing: 5 })
  // @ts-expect-error the wire's names
  await client.articles.update('id', { title: 'A', author: 'id', createdAt: 'x' })
  // @ts-expect-error nobody writes what is computed
  await client.articles.partialUpdate('id', { shout: 'A' })
  // @ts-expect-error a list of objects with id
  await client.articles.bulkPartialUpdate([{ title: 'A' }])
  // @ts-expect-error a read-only resource
  client.authors.create
  // @ts-expect-error a read-only resource
  client.authors.bulkDelete
  // @ts-expect-error no import
  client.categories.importFile
  // @ts-expect-error no such action
  one.rte
  // @ts-expect-error not about the resource as a whole
  client.articles.actions.rate
  // @ts-expect-error another method
  one.rate.get
  // @ts-expect-error another body
  await one.rate.post({ star: 5 })
  // @ts-expect-error the body is missing
  await one.rate.post()
  // @ts-expect-error a part of the path is missing
  client.articles.actions['reports/:year/:month']({ year: 2026 })
  // @ts-expect-error whose articles?
  client['authors/:author/articles'].list()
  // @ts-expect-error no such state
  await client.jobs.list({ state: 'done' })
  // @ts-expect-error jobs are made by what is done in the background
  client.jobs.create
  // @ts-expect-error merge or replace?
  await client.articles.importFile(new Blob([]), {})
}

// A pagination style may have names of its own; filters of an application's own read what they like.
class Numbered extends StandardPageNumberPagination {
  override readonly pageQueryParam = 'p'
}
declare const near: FilterBackend
const own = createClient<{ a: typeof NumberedViewSet; b: typeof FilteredViewSet }>({ baseUrl: '/api' })
const NumberedViewSet = ReadOnlyViewSet({
  model: authors,
  serializer: AuthorSerializer,
  permissionClasses,
  paginationClass: new Numbered(),
})
const FilteredViewSet = ReadOnlyViewSet({
  model: authors,
  serializer: AuthorSerializer,
  permissionClasses,
  filterBackends: [FieldFilter, ComputedOrderingFilter, near],
  filterFields: { name: ['exact'] },
})
export const owns = async () => {
  await own.a.list({ p: 2, page_size: 5 })
  // @ts-expect-error it is p
  await own.a.list({ page: 2 })
  await own.b.list({ near: '59.9,10.7', name: 'x' })
  // @ts-expect-error what is known is known
  await own.b.list({ name: 5 })
}

// A key of several columns is no type of a table, so an object may name any column that can be a part of it.
const stock = kit.table(
  'stock',
  {
    house: kit.integer().notNull(),
    colourCode: kit.text(20).notNull(),
    amount: kit.integer(),
    kinds: kit.array(kit.enumeration(['a', 'b'])).notNull(),
    sizes: kit.array(kit.integer()),
    ...kit.VersionMixin(),
  },
  t => [kit.primaryKey(t.house, t.colourCode)],
)
const goods = {
  model: stock,
  serializer: BaseModelSerializer(stock, { fields: ['house', 'colourCode', 'amount'] }),
  permissionClasses,
  filterFields: { kinds: ['contains', 'overlap', 'isnull'], sizes: ['contains', 'overlap'] },
} as const
const ofGoods = createClient<{
  stock: typeof StockViewSet
  guarded: typeof GuardedViewSet
  articles: typeof ArticleViewSet
}>({ baseUrl: '/api' })
const StockViewSet = BulkImportableViewSet.add(BulkRestoreModelMixin)({
  ...goods,
  importFileConfig: {
    fileFormat: 'csv',
    order: ['stock'],
    models: { stock: importModel({ model: stock, fields: ['amount'], uniqueFields: ['house', 'colourCode'] }) },
  },
})
const GuardedViewSet = BulkViewSet({ ...goods, version: 'version' })
export const keysOfSeveralColumns = async () => {
  await ofGoods.stock.bulkDelete(['7,blue', { house: 7, colour_code: 'blue' }])
  await ofGoods.stock.bulkSoftDelete([{ house: 7, colour_code: 'blue' }])
  await ofGoods.stock.bulkRestore([{ house: 7, colour_code: 'blue' }])
  await ofGoods.guarded.bulkDelete(['7,blue', { house: 7, colour_code: 'blue', _etag: '5' }])
  const { missing_ids } = await ofGoods.stock.bulkDelete(['7,blue'])
  const [missing] = missing_ids
  if (typeof missing === 'object') missing.colour_code satisfies string | undefined
  // @ts-expect-error no such column
  await ofGoods.stock.bulkDelete([{ house: 7, colourCode: 'blue' }])
  // @ts-expect-error a number
  await ofGoods.stock.bulkDelete([{ house: '7', colour_code: 'blue' }])
  // @ts-expect-error may be null, so it is no part of a key
  await ofGoods.stock.bulkDelete([{ house: 7, amount: 1 }])
  // @ts-expect-error without a version, a key of one column is no object
  await ofGoods.articles.bulkDelete([{ id: 'id' }])
}
export const filtersOfLists = async () => {
  await ofGoods.stock.list({ kinds__contains: ['a', 'b'], kinds__overlap: ['b'], sizes__contains: [1, 2] })
  await ofGoods.stock.list({ kinds__contains: 'a,b', sizes__overlap: [3] })
  // @ts-expect-error no item of the list can be this
  await ofGoods.stock.list({ kinds__contains: ['c'] })
  // @ts-expect-error numbers
  await ofGoods.stock.list({ sizes__overlap: ['3'] })
}

// A resource may well have that name where the API does nothing in the background.
const jobsOfOthers = createClient<{ jobs: typeof AuthorViewSet }>({ baseUrl: '/api' })
type _jobs = Expect<Equal<typeof jobsOfOthers.jobs, ResourceClient<typeof AuthorViewSet>>>

export const told = ({ status, errors, envelope, requestId, retryAfter }: ClientError) => {
  errors.title?.[0] satisfies string | undefined
  envelope?.message satisfies string | undefined
  requestId satisfies string | undefined
  return status + (retryAfter ?? 0)
}
