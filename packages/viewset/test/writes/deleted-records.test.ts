import { eq } from 'drizzle-orm'
import { AllowAny, BaseModelSerializer, BulkViewSet, IsAdminUser, RestoreModelMixin, type User } from 'viewset'
import { beforeEach, describe, expect, test } from 'vitest'
import { useApi } from '../support/api.ts'
import { describeDialects } from '../support/dialects.ts'

interface Item {
  readonly id: number
  readonly name: string
  readonly _etag: string
}

describeDialects('deleted=only', dialect => {
  const c = dialect.kit
  const items = c.table('items', {
    id: c.integer().primaryKey(),
    name: c.text(20).notNull(),
    tenant: c.text(10).notNull().default(''),
    ...c.SoftDeleteMixin(),
    ...c.VersionMixin(),
  })
  const config = {
    model: items,
    serializer: BaseModelSerializer(items, { fields: ['id', 'name'] }),
    permissionClasses: [AllowAny],
    softDelete: true,
    version: 'version',
    appendEtags: true,
    requireIfMatch: true,
    ordering: 'name',
  } as const
  const ViewSet = BulkViewSet.add(RestoreModelMixin)
  const bin = { ...config, deletedPermissionClasses: [IsAdminUser] } as const
  class Narrowed extends ViewSet(bin) {
    override async getQueryset() {
      return (await super.getQueryset()).filter(eq(items.name, 'a'))
    }
  }
  const tenantOf = ({ user }: { readonly user: User | null }) => String(user?.id ?? '')
  const api = useApi(dialect, {
    tables: { items },
    users: { ann: { id: 'ann' }, root: { id: 'root', roles: ['admin'] }, boss: { id: 'boss', roles: ['admin'] } },
    resources: {
      items: ViewSet(bin),
      closed: ViewSet(config),
      narrowed: Narrowed,
      unpaged: ViewSet({ ...bin, paginationClass: null, sparseFields: true }),
      tenants: ViewSet({
        ...bin,
        queryset: view => eq(items.tenant, tenantOf(view)),
        fixedValues: view => ({ tenant: tenantOf(view) }),
      }),
    },
  })
  const root = { as: 'root' }
  const create = async (path: string, name: string) => (await api.post(path, { name }, root)).data<Item>()
  const remove = async (path: string, { id }: Item) => {
    expect((await api.delete(`${path}${id}/`, { ...root, headers: { 'if-match': '*' } })).status).toBe(204)
  }
  let a: Item
  let b: Item
  beforeEach(async () => {
    a = await create('/items/', 'a')
    b = await create('/items/', 'b')
    await create('/items/', 'c')
    for (const item of [a, b]) await remove('/items/', item)
  })
  const names = async (path: string, as = 'root') =>
    (await api.get(path, { as })).data<Item[]>().map(({ name }) => name)

  test('lists the deleted records only, with tags by which they are restored', async () => {
    const answer = await api.get('/items/?deleted=only', root)
    expect([answer.status, answer.envelope().count]).toEqual([200, 2])
    const [first, second] = answer.data<Item[]>()
    expect([first, second]).toMatchObject([{ name: 'a' }, { name: 'b' }])
    const restore = (id: number, headers: Record<string, string>) =>
      api.post(`/items/${id}/restore/`, undefined, { ...root, headers })
    expect((await restore(a.id, {})).status).toBe(428)
    expect((await restore(a.id, { 'if-match': String(second?._etag) })).status).toBe(412)
    expect((await restore(a.id, { 'if-match': String(first?._etag) })).status).toBe(200)
    expect([await names('/items/'), await names('/items/?deleted=only')]).toEqual([['a', 'c'], ['b']])
  })

  test('shows a deleted record with its tag, and no other one', async () => {
    const read = await api.get(`/items/${a.id}/?deleted=only`, root)
    expect([read.status, read.data()]).toEqual([200, { id: a.id, name: 'a' }])
    const headers = { 'if-match': String(read.headers.etag) }
    expect((await api.post(`/items/${a.id}/restore/`, undefined, { ...root, headers })).status).toBe(200)
    expect((await api.get(`/items/${a.id}/?deleted=only`, root)).status).toBe(404)
    expect((await api.get(`/items/${b.id}/`, root)).status).toBe(404)
  })

  test.each(['/items/', '/items/1/'])('needs the permission at %s', async path => {
    expect((await api.get(`${path}?deleted=only`, { as: 'ann' })).status).toBe(403)
    expect((await api.get(`${path}?deleted=only`)).status).toBe(401)
    expect((await api.request('HEAD', `${path}?deleted=only`, { as: 'ann' })).status).toBe(403)
  })

  test.each(['all', 'true', 'ONLY'])('is the only value: %s is a 400', async value => {
    const answer = await api.get(`/items/?deleted=${value}`, root)
    expect([answer.status, answer.envelope().errors]).toEqual([400, { deleted: ['Enter one of: only.'] }])
  })

  test('is not asked with an empty value', async () => {
    expect(await names('/items/?deleted=', 'ann')).toEqual(['c'])
  })

  test('goes with filters, pages and chosen fields', async () => {
    expect(await names('/items/?deleted=only&page_size=1&page=2')).toEqual(['b'])
    expect(await names('/items/?deleted=only&paginated=false')).toEqual(['a', 'b'])
    expect((await api.get('/unpaged/?deleted=only&fields=id', root)).data()).toMatchObject([{ id: a.id }, { id: b.id }])
  })

  test('stays within the records of the user and of an overridden getQueryset', async () => {
    expect(await names('/narrowed/?deleted=only')).toEqual(['a'])
    await remove('/tenants/', await create('/tenants/', 'x'))
    expect(await names('/tenants/?deleted=only')).toEqual(['x'])
    expect(await names('/tenants/?deleted=only', 'boss')).toEqual([])
  })

  describe('is unknown', () => {
    test.each(['/closed/', `/closed/1/`])('without deletedPermissionClasses: %s', async path => {
      const answer = await api.get(`${path}?deleted=only`, root)
      expect([answer.status, Object.keys(answer.envelope().errors ?? {})]).toEqual([400, ['deleted']])
    })

    test('to changes, which find no deleted record', async () => {
      const headers = { 'if-match': '*' }
      const patch = (query: string) => api.patch(`/items/${a.id}/${query}`, { name: 'x' }, { ...root, headers })
      expect([(await patch('?deleted=only')).status, (await patch('')).status]).toEqual([400, 404])
    })
  })

  test('needs softDelete', () => {
    const wrong = () => ViewSet({ ...bin, softDelete: false })
    expect(wrong).toThrow('deletedPermissionClasses: needs softDelete: true')
  })
})
