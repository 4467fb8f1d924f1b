import { eq, isNull, ne, type SQL } from 'drizzle-orm'
import {
  AllowAny,
  BaseModelSerializer,
  BaseViewSet,
  BulkImportableViewSet,
  BulkRestoreModelMixin,
  BulkUpsertModelMixin,
  ConfigError,
  currentDb,
  defineMixin,
  importModel,
  insertMany,
  type ModelRecord,
  preSave,
  RestoreModelMixin,
  ValidationError,
} from 'viewset'
import { beforeEach, describe, expect, test } from 'vitest'
import { useApi } from '../support/api.ts'
import { describeDialects } from '../support/dialects.ts'
import { expectError, expectSuccess } from '../support/expect.ts'
import { importForm } from '../support/multipart.ts'

declare module 'viewset' {
  interface MixinTypes<M, S> {
    PlanMixin: { config: object; methods: object }
  }
}

const GONE = 'There is no such record, or you may not see it.'
const RESTORED = 'The record was restored.'
const NOT_DELETED = 'The record was not deleted, so it has not changed.'

describeDialects('softDelete', dialect => {
  const c = dialect.kit
  const articles = c.table(
    'articles',
    {
      id: c.integer().primaryKey(),
      ...c.SoftDeleteMixin(),
      ...c.VersionMixin(),
      title: c.text(20).notNull(),
      slug: c.text(20),
      tenant: c.text(20).notNull().default('ann'),
      parent: c.integer(),
    },
    t => [c.unique([t.slug], { where: eq(t.isActive, true) })],
  )
  const notes = c.table('notes', { id: c.integer().primaryKey(), ...c.SoftDeleteMixin(), code: c.text(9).unique() })
  const old = c.table('old', { id: c.integer().primaryKey(), isActive: c.boolean(), deletedAt: c.timestamp() })
  const accounts = c.table('accounts', {
    id: c.integer().primaryKey(),
    name: c.text(20),
    isActive: c.boolean().notNull(),
  })
  const Account = BaseModelSerializer(accounts, { fields: ['id', 'name', 'isActive'] })
  const drafts = c.table('drafts', { id: c.integer().primaryKey(), title: c.text(20) })
  const serializer = BaseModelSerializer(articles, { fields: ['id', 'title', 'slug'] })
  const rows = importModel({
    model: articles,
    fields: ['title', 'slug'],
    uniqueFields: ['slug'],
    deleteWhen: { sourceField: 'gone', equals: ['yes'] },
  })
  const config = {
    model: articles,
    serializer,
    permissionClasses: [AllowAny],
    ordering: 'id',
    paginationClass: null,
    softDelete: true,
    tenant: false,
    upsertFields: ['slug'],
    importFileConfig: { fileFormat: 'csv', order: ['articles'], models: { articles: rows } },
  } as const
  const Full = BulkImportableViewSet.add(BulkUpsertModelMixin, RestoreModelMixin, BulkRestoreModelMixin)
  const Articles = Full({
    ...config,
    actions: {
      shout: { method: 'POST', detail: true, handler: async view => (await view.getObject()).title.toUpperCase() },
      first: {
        method: 'GET',
        detail: true,
        queryset: () => ne(articles.id, 99),
        handler: async view => (await view.getObject()).id,
      },
    },
  })
  const isAnns = {
    hasPermission: () => true,
    hasObjectPermission: (_: unknown, { tenant }: { tenant: string }) => tenant === 'ann',
  }
  const plans: string[] = []
  const PlanMixin = defineMixin('PlanMixin', {
    methods: (Base, _mixin) =>
      class extends Base {
        override async write(...[plan, next]: Parameters<InstanceType<typeof Base>['write']>) {
          const written = await next(plan)
          plans.push(`${plan.kind} ${(await written.records()).map(record => Reflect.get(record, 'isActive')).join()}`)
          return written
        }
      },
  })
  /** An override may delete for good, or do more before the soft delete. */
  class Hard extends Full(config) {
    override async performDestroy(article: ModelRecord<typeof articles>) {
      await article.delete()
    }
  }
  class Renamed extends Full(config) {
    override async performDestroy(article: ModelRecord<typeof articles>) {
      article.title = `-${article.title}`
      await article.save()
      await super.performDestroy(article)
    }
    override async performRestore(article: ModelRecord<typeof articles>) {
      if (article.title === 'no') throw new ValidationError({ title: ['No.'] })
      article.title = article.title.slice(1)
      await article.save()
      return super.performRestore(article)
    }
  }
  class Unscoped extends Full(config) {
    override async getQueryset() {
      return (await super.getQueryset()).filter(ne(articles.title, 'hidden'))
    }
  }
  const resources = {
    articles: Articles,
    versions: Full({ ...config, version: 'version', requireIfMatch: true }),
    slugs: Full({ ...config, lookupField: 'slug' }),
    roots: Full({ ...config, queryset: () => isNull(articles.parent) }),
    tenants: Full({ ...config, tenant: { column: 'tenant', of: ({ user }) => user?.id } }),
    guarded: Full({ ...config, permissionClasses: [isAnns] }),
    strict: Full({ ...config, queryset: () => ne(articles.title, 'hidden'), checkScope: 'always' }),
    planned: Full.add(PlanMixin)(config),
    hard: Hard,
    renamed: Renamed,
    unscoped: Unscoped,
    // Without softDelete, the queryset hides deleted records and restoreQueryset finds them.
    older: Full({
      ...config,
      softDelete: false,
      queryset: () => eq(articles.isActive, true),
      restoreQueryset: () => ne(articles.id, 3),
    }),
    old: BaseViewSet.add(RestoreModelMixin)({
      model: old,
      serializer: BaseModelSerializer(old, { fields: ['id'] }),
      permissionClasses: [AllowAny],
      softDelete: true,
      tenant: false,
    }),
    accounts: BaseViewSet({ model: accounts, serializer: Account, permissionClasses: [AllowAny], tenant: false }),
    notes: Full({
      model: notes,
      serializer: BaseModelSerializer(notes, { fields: ['id', 'code'] }),
      permissionClasses: [AllowAny],
      softDelete: true,
      tenant: false,
      upsertFields: ['code'],
      importFileConfig: {
        fileFormat: 'csv',
        order: ['notes'],
        models: { notes: importModel({ model: notes, fields: ['code'], uniqueFields: ['code'] }) },
      },
    }),
  }
  const api = useApi(dialect, {
    tables: { articles, notes, old, accounts },
    users: { ann: { id: 'ann' }, ben: { id: 'ben' } },
    openapi: true,
    resources,
  })
  const stored = async (...ids: number[]) => {
    const { id, isActive, deletedAt, title } = articles
    const found = await api.database.use(() =>
      currentDb().select({ id, isActive, deletedAt, title }).from(articles).orderBy(id),
    )
    return found
      .filter(row => ids.length === 0 || ids.includes(row.id))
      .map(row => `${row.id} ${row.title}${row.isActive ? '' : ' deleted'}${row.deletedAt === null ? '' : ' at'}`)
  }
  const upload = (resource: string, text: string, append = true) =>
    api.request('POST', `/${resource}/import-from-file/`, importForm(text, { append }))
  const ann = { as: 'ann' }
  const two = { id: 2, title: 'two', slug: 'b' }
  const three = { id: 3, title: 'three', slug: 'c' }

  beforeEach(async () => {
    plans.length = 0
    const at = { isActive: false, deletedAt: '2026-01-15T10:30:00.000000Z' }
    await api.database.transaction(async () => {
      await insertMany(articles, [
        { title: 'one', slug: 'a' },
        { title: 'two', slug: 'b' },
        { title: 'three', slug: 'c', ...at },
        { title: 'four', slug: 'c', ...at, tenant: 'ben', parent: 1 },
      ])
      await insertMany(notes, [{ code: 'x', ...at }])
    })
  })

  describe('no action finds a soft-deleted record:', () => {
    test.each([
      ['GET', '/articles/3/'],
      ['PUT', '/articles/3/', { title: 'x' }],
      ['PATCH', '/articles/3/', { title: 'x' }],
      ['DELETE', '/articles/3/'],
      ['POST', '/articles/3/shout/'],
      // A queryset of the action's own does not change that.
      ['GET', '/articles/3/first/'],
    ] as const)('%s %s', async (method, path, body?: object) => {
      expectError(await api.request(method, path, { body }), 404, GONE)
      expect(await stored(3)).toEqual(['3 three deleted at'])
    })

    test('list and export', async () => {
      const items = (await api.get('/articles/')).data<{ id: number }[]>()
      expect(items.map(({ id }) => id)).toEqual([1, 2])
      const file = await api.post('/articles/export/', { file_type: 'csv', includes: ['id'] })
      expect(file.text.trim().split('\r\n')).toEqual(['Id', '1', '2'])
    })

    test('bulk update, delete and soft delete', async () => {
      expect((await api.patch('/articles/bulk-update/', [{ id: 3, title: 'x' }])).status).toBe(400)
      const none = { requested_count: 1, count: 0, missing_ids: [3] }
      expectSuccess(await api.post('/articles/bulk-delete/', [3]), 200, { data: none })
      expectSuccess(await api.post('/articles/bulk-soft-delete/', [3]), 200, { data: none })
    })

    test('upsert, which then creates a record', async () => {
      const upserted = await api.post('/articles/bulk-upsert/', [{ title: 'new', slug: 'c' }])
      expect(upserted.data()).toMatchObject({ created: 1, updated: 0 })
      expect(await stored(3, 4)).toEqual(['3 three deleted at', '4 four deleted at'])
    })

    test('import, which then creates a record', async () => {
      const imported = await upload('articles', 'title,slug\nnew,c\n')
      expect(imported.data()).toMatchObject({ created: 1, updated: 0 })
      expect(await stored(3, 4)).toEqual(['3 three deleted at', '4 four deleted at'])
    })

    test('a unique value of a soft-deleted record stays taken, unless the constraint has a condition', async () => {
      expect((await api.post('/notes/', { code: 'x' })).status).toBe(400)
      expect((await upload('notes', 'code\nx\n')).status).toBe(207)
      expect((await api.post('/articles/', { title: 'new', slug: 'c' })).status).toBe(201)
    })

    test('an override of getQueryset without super does not show it either', async () => {
      expectError(await api.get('/unscoped/3/'), 404, GONE)
    })
  })

  describe('DELETE', () => {
    test('keeps the row, with one statement', async () => {
      const sent = await api.statementsOf(async () => {
        expect((await api.delete('/articles/1/')).status).toBe(204)
      })
      expect(sent).toHaveLength(1)
      expectError(await api.get('/articles/1/'), 404, GONE)
      expect(await stored(1, 2)).toEqual(['1 one deleted at', '2 two'])
    })

    test('in bulk too', async () => {
      const sent = await api.statementsOf(async () => {
        const data = { requested_count: 2, count: 2, missing_ids: [] }
        expectSuccess(await api.post('/articles/bulk-delete/', [1, 2]), 200, { data })
      })
      expect(sent).toHaveLength(1)
      expect(await stored(1, 2)).toEqual(['1 one deleted at', '2 two deleted at'])
      const data = { requested_count: 2, count: 0, missing_ids: [1, 9] }
      expectSuccess(await api.post('/articles/bulk-delete/', [1, 9]), 200, { data })
    })

    test('sends the signals of a save, and none in bulk', async () => {
      const seen: unknown[] = []
      const stop = preSave(articles, ({ values }) => void seen.push(values.isActive))
      await api.delete('/articles/1/')
      await api.post('/articles/bulk-delete/', [2])
      stop()
      expect(seen).toEqual([false])
      expect(await stored(1, 2)).toEqual(['1 one deleted at', '2 two deleted at'])
    })

    test('is a softDelete to the hook write, which reads the records afterwards', async () => {
      await api.delete('/planned/1/')
      await api.post('/planned/bulk-delete/', [2])
      await api.post('/planned/1/restore/')
      await api.post('/planned/bulk-restore/', [2])
      expect(plans).toEqual(['softDelete false', 'softDelete false', 'restore true', 'restore true'])
    })

    test('asks object permissions', async () => {
      await api.database.use(() => currentDb().update(articles).set({ tenant: 'ben' }).where(eq(articles.id, 2)))
      expect((await api.delete('/guarded/2/', ann)).status).toBe(403)
      expect((await api.post('/guarded/bulk-delete/', [1, 2], ann)).status).toBe(403)
      expect((await api.delete('/guarded/1/', ann)).status).toBe(204)
      expect(await stored(1, 2)).toEqual(['1 one deleted at', '2 two'])
    })

    test('an overridden performDestroy may do otherwise, also in bulk and in an import', async () => {
      await api.delete('/hard/1/')
      await api.post('/hard/bulk-delete/', [2])
      expect(await stored(1, 2)).toEqual([])
      await upload('hard', 'title,slug,gone\nfive,e,\n')
      expect((await upload('hard', 'title,slug,gone\nfive,e,yes\n')).data()).toMatchObject({ deleted: 1 })
      expect((await stored()).map(row => row.split(' ')[1])).toEqual(['three', 'four'])
    })

    test('an overridden performDestroy may call super', async () => {
      await api.delete('/renamed/1/')
      await api.post('/renamed/bulk-delete/', [2])
      expect(await stored(1, 2)).toEqual(['1 -one deleted at', '2 -two deleted at'])
    })
  })

  describe('an import', () => {
    test('marks the records of rows that delete', async () => {
      const answer = await upload('articles', 'title,slug,gone\none,a,yes\nnew,b,\n')
      expect(answer.data()).toMatchObject({ deleted: 1, updated: 1 })
      expect(await stored(1, 2)).toEqual(['1 one deleted at', '2 new'])
    })

    test('that replaces marks the records as deleted, and stores those of the file', async () => {
      const answer = await upload('articles', 'title,slug\none,a\n', false)
      expect(answer.data()).toMatchObject({ deleted: 2, created: 1 })
      expect((await stored()).filter(row => !row.includes('deleted'))).toEqual([expect.stringMatching(/^\d+ one$/)])
      expect(await stored(1, 2)).toEqual(['1 one deleted at', '2 two deleted at'])
    })
  })

  describe('POST /{id}/restore/', () => {
    test('brings a record back with one statement, and answers with it', async () => {
      const sent = await api.statementsOf(async () => {
        expectSuccess(await api.post('/articles/3/restore/'), 200, { data: three, message: RESTORED })
      })
      expect(sent).toHaveLength(1)
      expectSuccess(await api.get('/articles/3/'), 200, { data: three })
      expect(await stored(3)).toEqual(['3 three'])
    })

    test('answers in the language of the client', async () => {
      for (const message of [
        'Der Datensatz wurde wiederhergestellt.',
        'Der Datensatz war nicht gelöscht und ist unverändert.',
      ]) {
        const german = await api.post('/articles/3/restore/', undefined, { headers: { 'accept-language': 'de' } })
        expect(german.envelope().message).toBe(message)
        expect(german.headers['content-language']).toBe('de')
      }
    })

    test('of an active record changes nothing and is 200, so that it can be sent again', async () => {
      const before = await api.rows('articles')
      expectSuccess(await api.post('/articles/2/restore/'), 200, { data: two, message: NOT_DELETED })
      expect(await api.rows('articles')).toEqual(before)
    })

    test('of no record is 404', async () => {
      for (const path of ['/articles/99/', '/articles/x/', '/tenants/4/', '/roots/4/', '/unscoped/99/']) {
        expect((await api.post(`${path}restore/`, undefined, { as: 'ann' })).status).toBe(404)
      }
      expect((await api.post('/tenants/4/restore/', undefined, { as: 'ben' })).status).toBe(200)
    })

    test('asks object permissions', async () => {
      expect((await api.post('/guarded/4/restore/', undefined, ann)).status).toBe(403)
      expect((await api.post('/guarded/bulk-restore/', [4], ann)).status).toBe(403)
      expect((await api.post('/guarded/3/restore/', undefined, ann)).status).toBe(200)
      expect(await stored(3, 4)).toEqual(['3 three', '4 four deleted at'])
    })

    test('that collides with a unique value is the 409 of a bulk restore', async () => {
      expect((await api.post('/articles/4/restore/')).status).toBe(200)
      const text = 'Another record already has this value.'
      expectError(await api.post('/articles/3/restore/'), 409, text, { slug: [text] })
      expectError(await api.post('/articles/bulk-restore/', [3]), 409, text, { slug: [text] })
      expect(await stored(3, 4)).toEqual(['3 three deleted at', '4 four'])
    })

    test('calls performRestore, also for each record of a bulk restore', async () => {
      expectSuccess(await api.post('/renamed/3/restore/'), 200, {
        data: { ...three, title: 'hree' },
        message: RESTORED,
      })
      const data = { requested_count: 1, count: 1, missing_ids: [] }
      await api.database.use(() => currentDb().update(articles).set({ slug: 'd' }).where(eq(articles.id, 4)))
      expectSuccess(await api.post('/renamed/bulk-restore/', [4]), 200, { data })
      expect(await stored(3, 4)).toEqual(['3 hree', '4 our'])
      await api.database.use(() => currentDb().update(articles).set({ title: 'no' }).where(eq(articles.id, 1)))
      await api.delete('/articles/1/')
      expect((await api.post('/renamed/1/restore/')).status).toBe(400)
    })

    test('keeps checkScope', async () => {
      const hide = (condition: SQL) =>
        api.database.use(() => currentDb().update(articles).set({ title: 'hidden' }).where(condition))
      await hide(eq(articles.id, 3))
      expect((await api.post('/strict/3/restore/')).status).toBe(404)
      expect((await api.post('/unscoped/3/restore/')).status).toBe(404)
    })

    test('goes by the primary key, since an active record may have the slug of a deleted one', async () => {
      await api.post('/slugs/', { title: 'new', slug: 'c' })
      expect((await api.post('/slugs/c/restore/')).status).toBe(404)
      expect((await api.post('/slugs/b/restore/')).status).toBe(404)
      await api.database.use(() => currentDb().update(articles).set({ slug: 'd' }).where(eq(articles.id, 3)))
      const data = { ...three, slug: 'd' }
      expectSuccess(await api.post('/slugs/3/restore/'), 200, { data, message: RESTORED })
    })

    test('is described so', async () => {
      const { paths } = JSON.parse((await api.get('/openapi.json')).text)
      const named = (path: string, method: string) => paths[path][method].parameters[0].description
      expect(named('/slugs/{id}/restore/', 'post')).toBe('The `id` of the slug.')
      expect(named('/slugs/{id}/', 'delete')).toBe('The `slug` of the slug.')
      expect(paths['/articles/{id}/'].delete.description).toContain('It stays in the database.')
    })

    test('finds deleted records by restoreQueryset if the resource hides them by its queryset', async () => {
      expectError(await api.get('/older/4/'), 404, GONE)
      expect((await api.post('/older/3/restore/')).status).toBe(404)
      expect((await api.post('/older/4/restore/')).status).toBe(200)
      await api.delete('/older/1/')
      expect(await stored(1, 4)).toEqual(['4 four'])
    })
  })

  test('a bulk restore finds deleted records without further settings, with one statement', async () => {
    const sent = await api.statementsOf(async () => {
      const data = { requested_count: 1, count: 1, missing_ids: [] }
      expectSuccess(await api.post('/articles/bulk-restore/', [3]), 200, { data })
    })
    expect(sent).toHaveLength(1)
    const data = { requested_count: 2, count: 0, missing_ids: [9] }
    expectSuccess(await api.post('/articles/bulk-restore/', [1, 9]), 200, { data })
  })

  test('versions hold: the 204 and the restore send the new tag, and another tag is 412', async () => {
    const created = await api.post('/versions/', { title: 'new' })
    const path = `/versions/${created.data<{ id: number }>().id}/`
    const tagged = (tag: unknown) => ({ headers: { 'if-match': String(tag) } })
    expect((await api.delete(path)).status).toBe(428)
    expect((await api.delete(path, tagged('"1"'))).status).toBe(412)
    let deleted: Awaited<ReturnType<typeof api.delete>> | undefined
    const sent = await api.statementsOf(async () => {
      deleted = await api.delete(path, tagged(created.headers.etag))
    })
    expect(sent).toHaveLength(1)
    expect(deleted?.status).toBe(204)
    expect(deleted?.headers.etag).not.toBe(created.headers.etag)
    expect((await api.post(`${path}restore/`)).status).toBe(428)
    expect((await api.post(`${path}restore/`, undefined, tagged(created.headers.etag))).status).toBe(412)
    const restored = await api.post(`${path}restore/`, undefined, tagged(deleted?.headers.etag))
    expect([restored.status, restored.headers.etag === deleted?.headers.etag]).toEqual([200, false])
    expect((await api.get(path)).headers.etag).toBe(restored.headers.etag)
  })

  test('a record whose isActive is null is not deleted', async () => {
    await api.database.use(() => currentDb().insert(old).values({ id: 1 }))
    expect((await api.get('/old/1/')).status).toBe(200)
    expect((await api.delete('/old/1/')).status).toBe(204)
    expect((await api.get('/old/1/')).status).toBe(404)
    expect((await api.post('/old/1/restore/')).status).toBe(200)
  })

  test('isActive without deletedAt is a field like any other', async () => {
    const created = await api.post('/accounts/', { name: 'a', is_active: false })
    expect([created.status, created.data()]).toEqual([201, { id: 1, name: 'a', is_active: false }])
    expect((await api.patch('/accounts/1/', { is_active: true })).data()).toMatchObject({ is_active: true })
    expect((await api.delete('/accounts/1/')).status).toBe(204)
    expect(await api.rows('accounts')).toEqual([])
  })

  test('is a ConfigError for a model without the columns, and says what to do', () => {
    const all = {
      model: drafts,
      serializer: BaseModelSerializer(drafts, { fields: ['id'] }),
      permissionClasses: [AllowAny],
    }
    const remedy = 'give it both columns, as ...c.SoftDeleteMixin() does, or set softDelete: false'
    const refusal = new ConfigError(
      'resource of "drafts"',
      'softDelete',
      `"drafts" has no isActive and no deletedAt; ${remedy}`,
    )
    // @ts-expect-error the model has no soft delete
    expect(() => BaseViewSet({ ...all, softDelete: true })).toThrow(refusal)
    const Project = BaseViewSet.with({ softDelete: true })
    expect(() => Project(all)).toThrow(refusal)
    expect(() => Project({ ...all, softDelete: false })).not.toThrow()
    const only = new ConfigError('resource of "accounts"', 'softDelete', `"accounts" has no deletedAt; ${remedy}`)
    expect(() => Project({ model: accounts, serializer: Account, permissionClasses: [AllowAny] })).toThrow(only)
    const mixin = new ConfigError('resource of "drafts"', 'RestoreModelMixin', 'needs a model with SoftDeleteMixin()')
    expect(() => BaseViewSet.add(RestoreModelMixin)(all)).toThrow(mixin)
  })
})
