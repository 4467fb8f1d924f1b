// What the compiler must refuse in a resource's configuration and in its class.
import { eq } from 'drizzle-orm'
import {
  AllowAny,
  allRecords,
  BaseModelSerializer,
  BaseViewSet,
  type ColumnKit,
  CreateModelMixin,
  compose,
  LimitOffsetPaginationWithFormat,
  ListModelMixin,
  type ModelRecord,
  type Permission,
  ReadOnlyViewSet,
  Reply,
  type ResourceView,
  RestoreModelMixin,
  type SerializerData,
  StandardPageNumberPagination,
  scoped,
  type ViewSetConfig,
} from 'viewset'
import * as z from 'zod'
import { models } from '../support/models.ts'
import type { Equal, Expect } from './support.ts'

declare const kit: ColumnKit
const { authors, categories } = models(kit)
const AuthorSerializer = BaseModelSerializer(authors, { fields: ['id', 'name', 'createdAt'] })
const CategorySerializer = BaseModelSerializer(categories, { fields: ['code', 'label'] })
const permissionClasses = [AllowAny]
const common = { model: authors, serializer: AuthorSerializer, permissionClasses }
type Author = ModelRecord<typeof authors>

// Everything that is right.
class Authors extends BaseViewSet({
  ...common,
  queryset: view => (view.user ? allRecords : eq(authors.isActive, true)),
  fixedValues: view => ({ email: `${view.user?.id}@example.org` }),
  checkScope: 'always',
  ordering: ['-createdAt', 'name'],
  orderingFields: ['name', 'createdAt'],
  paginationClass: StandardPageNumberPagination,
  appendIndexes: false,
  allowUnpaginated: ({ user }) => user !== null,
  returnDataOnCreate: false,
  returnDataOnUpdate: false,
  destroyStatus: 200,
  actions: {
    restore: {
      method: 'POST',
      detail: true,
      queryset: () => allRecords,
      handler: async view => view.serialize(await (await view.getObject()).restore()),
    },
  },
}) {
  override async performCreate(values: { name?: string }) {
    return super.performCreate({ ...values, email: `${values.name ?? 'nobody'}@example.org` })
  }
  override async performDestroy(author: Author) {
    await author.softDelete()
  }
}
ReadOnlyViewSet({ ...common, paginationClass: null, ordering: 'name' })
ReadOnlyViewSet({ ...common, paginationClass: LimitOffsetPaginationWithFormat })

declare const view: InstanceType<typeof Authors>
type _view = [
  Expect<Equal<Awaited<ReturnType<typeof view.retrieve>>, SerializerData<typeof AuthorSerializer>>>,
  Expect<Equal<keyof Awaited<ReturnType<typeof view.serialize>>, 'id' | 'name' | 'created_at'>>,
  Expect<Equal<Awaited<ReturnType<typeof view.getObject>>['name'], string>>,
]

// A soft delete, also as the default of a project.
class Restorable extends BaseViewSet.with({ softDelete: true }).add(RestoreModelMixin)({
  ...common,
  restoreQueryset: () => allRecords,
}) {
  override async performRestore(author: Author) {
    author.name satisfies string
    return super.performRestore(author)
  }
}
declare const restorable: InstanceType<typeof Restorable>
restorable.restore() satisfies Promise<Reply<SerializerData<typeof AuthorSerializer>>>
BaseViewSet({ ...common, softDelete: true })
BaseViewSet({ model: categories, serializer: CategorySerializer, permissionClasses, softDelete: false })
// @ts-expect-error a category has no columns of a soft delete
BaseViewSet({ model: categories, serializer: CategorySerializer, permissionClasses, softDelete: true })
class _NoRestore extends BaseViewSet(common) {
  // @ts-expect-error there is no performRestore without its mixin
  override async performRestore() {}
}

// @ts-expect-error permission classes are required on every resource
BaseViewSet({ model: authors, serializer: AuthorSerializer })
// @ts-expect-error a typo in a setting
ReadOnlyViewSet({ ...common, appendIndexs: false })
// @ts-expect-error the serializer of another model
ReadOnlyViewSet({ ...common, serializer: CategorySerializer })
// @ts-expect-error a typo in a field to order by
ReadOnlyViewSet({ ...common, orderingFields: ['nmae'] })
// @ts-expect-error the name on the wire is not the name in code
ReadOnlyViewSet({ ...common, orderingFields: ['created_at'] })
// @ts-expect-error a typo in the default ordering
ReadOnlyViewSet({ ...common, ordering: '-nmae' })
// @ts-expect-error descending is "-", not "desc"
ReadOnlyViewSet({ ...common, ordering: 'name desc' })
ReadOnlyViewSet({ ...common, paginationClass: new StandardPageNumberPagination() })
// @ts-expect-error a pagination style, not any class
ReadOnlyViewSet({ ...common, paginationClass: Date })
// @ts-expect-error 204 and 200 are the two statuses of a destroy
BaseViewSet({ ...common, destroyStatus: 202 })
// @ts-expect-error a condition is Drizzle's, not a boolean
BaseViewSet({ ...common, queryset: () => true })
// @ts-expect-error a fixed value is a field of the model
BaseViewSet({ ...common, fixedValues: () => ({ emial: 'x' }) })
// @ts-expect-error and of its type
BaseViewSet({ ...common, fixedValues: () => ({ email: 5 }) })
declare const nobody: { readonly email?: string; readonly name?: string | null }
// @ts-expect-error and never undefined
BaseViewSet({ ...common, fixedValues: () => ({ email: nobody.email }) })
// @ts-expect-error not even among others
BaseViewSet({ ...common, fixedValues: view => ({ name: view.action, email: nobody.email }) })
BaseViewSet({ ...common, fixedValues: view => ({ name: view.action, email: nobody.email ?? '' }) })
// @ts-expect-error a function that may forget to return
BaseViewSet({ ...common, fixedValues: view => (view.user ? { name: view.action } : undefined) })
// @ts-expect-error nor a block that does
BaseViewSet({ ...common, fixedValues: () => {} })
scoped(authors, () => allRecords, { fixedValues: ({ user }) => ({ email: String(user?.id) }) })
// @ts-expect-error the same of records of a relation
scoped(authors, () => allRecords, { fixedValues: () => ({ email: nobody.email }) })
// @ts-expect-error by the names of the model
scoped(authors, () => allRecords, { fixedValues: () => ({ emial: 'x' }) })
const moods = kit.table('moods', { id: kit.integer().primaryKey(), mood: kit.enumeration(['good', 'bad']) })
const Mood = BaseModelSerializer(moods, { fields: ['id'] })
BaseViewSet({
  model: moods,
  serializer: Mood,
  permissionClasses,
  fixedValues: () => ({ mood: 'good' as const, id: 1 }),
})
// @ts-expect-error one of the values of the column
BaseViewSet({ model: moods, serializer: Mood, permissionClasses, fixedValues: () => ({ mood: 'meh' }) })
// @ts-expect-error it has three answers
BaseViewSet({ ...common, checkScope: true })
// @ts-expect-error a permission answers the question whether, it is not the answer
BaseViewSet({ ...common, permissionClasses: [true] })

// A setting of a mixin that is not included: the error says which mixin it needs.
type Refused<K extends keyof ReadOnlyConfig> = NonNullable<ReadOnlyConfig[K]>
type ReadOnlyConfig = ViewSetConfig<typeof authors, typeof AuthorSerializer, 'ListModelMixin' | 'RetrieveModelMixin'>
type _refused = [
  Expect<
    Equal<
      Refused<'returnDataOnCreate'>,
      `'returnDataOnCreate' needs ${'CreateModelMixin' | 'BulkCreateModelMixin'}, which this viewset does not include`
    >
  >,
  Expect<
    Equal<
      Refused<'returnDataOnUpdate'>,
      `'returnDataOnUpdate' needs ${'UpdateModelMixin' | 'BulkUpdateModelMixin'}, which this viewset does not include`
    >
  >,
  Expect<
    Equal<Refused<'destroyStatus'>, "'destroyStatus' needs DestroyModelMixin, which this viewset does not include">
  >,
]
// @ts-expect-error returnDataOnCreate needs CreateModelMixin
ReadOnlyViewSet({ ...common, returnDataOnCreate: false })
// @ts-expect-error appendIndexes needs ListModelMixin
compose(CreateModelMixin)({ ...common, appendIndexes: false })

// A resource has the actions of its mixins and no others.
const Feed = compose(ListModelMixin, CreateModelMixin)(common)
declare const feed: InstanceType<typeof Feed>
feed.list satisfies () => unknown
feed.create satisfies () => unknown
// @ts-expect-error no RetrieveModelMixin, no retrieve
feed.retrieve
// @ts-expect-error no DestroyModelMixin, no destroy
feed.destroy
class _ReadOnly extends ReadOnlyViewSet(common) {
  // @ts-expect-error there is no such action to override
  override async destroy() {}
}
class _WrongRecord extends BaseViewSet(common) {
  // @ts-expect-error performDestroy is given an author
  override async performDestroy(_category: ModelRecord<typeof categories>) {}
}
class _WrongResult extends BaseViewSet(common) {
  // @ts-expect-error performCreate returns the new record
  override async performCreate() {
    return { id: 'no record' }
  }
}
class _WrongData extends BaseViewSet(common) {
  // @ts-expect-error retrieve answers what the serializer shows
  override async retrieve() {
    return { id: 'only' }
  }
}

// Custom actions.
const handler = () => null
// @ts-expect-error an action has a method
BaseViewSet({ ...common, actions: { go: { detail: true, handler } } })
// @ts-expect-error an action says whether it is about one record
BaseViewSet({ ...common, actions: { go: { method: 'POST', handler } } })
// @ts-expect-error a method of HTTP, in capitals
BaseViewSet({ ...common, actions: { go: { method: 'post', detail: true, handler } } })
// @ts-expect-error an action does something
BaseViewSet({ ...common, actions: { go: { method: 'POST', detail: true } } })
BaseViewSet({
  ...common,
  actions: {
    go: {
      method: 'POST',
      detail: true,
      // @ts-expect-error an author has no title
      handler: async view => (await view.getObject()).title,
    },
  },
})
const IsTitled: Permission<{ title: string }> = {
  hasPermission: () => true,
  hasObjectPermission: (_, { title }) => title !== '',
}
// @ts-expect-error a permission that looks at titles cannot look at authors
BaseViewSet({ ...common, permissionClasses: [IsTitled] })

declare const anyView: ResourceView<typeof authors, typeof AuthorSerializer>
anyView.model.name satisfies object

// What a handler returns fits the output that its action declares; what an action without one returns is its own affair.
const total = z.object({ total: z.string() })
BaseViewSet({
  ...common,
  actions: {
    free: { method: 'POST', detail: false, handler: () => ({ anything: 1 }) },
    right: { method: 'POST', detail: false, output: total, handler: () => ({ total: '1' }) },
    later: { method: 'POST', detail: false, output: total, handler: async () => new Reply({ total: '1' }) },
    // What the schema makes of it is its own affair, too.
    made: {
      method: 'POST',
      detail: false,
      input: z.object({ copies: z.int() }),
      output: z.object({ total: z.number().transform(String) }),
      handler: async (view, { copies }) => {
        view.action satisfies string
        return { total: copies * 2 }
      },
    },
  },
})
BaseViewSet({
  ...common,
  actions: {
    // @ts-expect-error another type
    wrong: { method: 'POST', detail: false, output: total, handler: () => ({ total: 1 }) },
  },
})
BaseViewSet({
  ...common,
  actions: {
    // @ts-expect-error a name that is missing
    wrong: { method: 'POST', detail: false, output: total, handler: async () => ({ totl: '1' }) },
  },
})
BaseViewSet({
  ...common,
  actions: {
    right: { method: 'POST', detail: false, output: z.string(), handler: () => 'yes' },
    wrong: {
      method: 'POST',
      detail: true,
      input: z.object({ copies: z.int() }),
      output: total,
      // @ts-expect-error in a reply, behind an action that is right, with an input of its own
      handler: async (_, { copies }) => new Reply({ total: copies satisfies number }),
    },
  },
})

// A function that chooses records always says which ones.
// @ts-expect-error: nothing is returned.
BaseViewSet({ ...common, queryset: () => {} })
// @ts-expect-error: for some, nothing is returned.
BaseViewSet({ ...common, queryset: view => (view.user ? eq(authors.isActive, true) : undefined) })
// @ts-expect-error: no condition.
BaseViewSet({ ...common, queryset: () => true })
// @ts-expect-error: nothing is returned.
scoped(authors, () => {})
