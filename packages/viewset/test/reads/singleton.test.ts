import { eq } from 'drizzle-orm'
import {
  BaseModelSerializer,
  compose,
  DestroyModelMixin,
  IsAuthenticated,
  insertMany,
  ListModelMixin,
  RetrieveModelMixin,
  UpdateModelMixin,
} from 'viewset'
import { createHandler } from 'viewset/fetch'
import { beforeEach, expect, test } from 'vitest'
import { useApi } from '../support/api.ts'
import { describeDialects } from '../support/dialects.ts'

describeDialects('singleton', dialect => {
  const { kit } = dialect
  const accounts = kit.table('accounts', {
    id: kit.integer().primaryKey(),
    owner: kit.text(10).notNull(),
    name: kit.text(20).notNull(),
    ...kit.VersionMixin(),
  })
  const tables = { accounts }
  const serializer = BaseModelSerializer(accounts, { fields: ['name'] })
  const config = {
    model: accounts,
    serializer,
    permissionClasses: [IsAuthenticated],
    singleton: true,
    version: 'version',
    queryset: ({ user }: { readonly user: { readonly id: string | number } | null }) =>
      eq(accounts.owner, String(user?.id)),
  } as const
  const api = useApi(dialect, {
    tables,
    users: { ann: { id: 'ann' }, ben: { id: 'ben' }, two: { id: 'two' } },
    schema: true,
    resources: {
      me: compose(
        RetrieveModelMixin,
        UpdateModelMixin,
        DestroyModelMixin,
      )({
        ...config,
        actions: {
          greet: { method: 'GET', detail: true, handler: async view => `Hello, ${(await view.getObject()).name}.` },
        },
      }),
    },
  })
  beforeEach(() =>
    api.database.transaction(() =>
      insertMany(accounts, [
        { id: 1, owner: 'ann', name: 'Ann' },
        { id: 2, owner: 'two', name: 'One' },
        { id: 3, owner: 'two', name: 'Two' },
      ]),
    ),
  )
  const as = { as: 'ann' } as const

  test('the only record of the queryset is read, changed and deleted without an identifier', async () => {
    const read = await api.get('/me/', as)
    expect(read.data()).toEqual({ name: 'Ann' })
    const etag = String(read.headers.etag)
    const changed = await api.patch('/me/', { name: 'Anna' }, { ...as, headers: { 'if-match': etag } })
    expect(changed.data()).toEqual({ name: 'Anna' })
    expect((await api.put('/me/', { name: 'A' }, { ...as, headers: { 'if-match': etag } })).status).toBe(412)
    expect((await api.get('/me/greet/', as)).data()).toBe('Hello, Anna.')
    expect((await api.delete('/me/', as)).status).toBe(204)
    expect((await api.get('/me/', as)).status).toBe(404)
  })

  test('no record is a 404, several are a mistake of the resource', async () => {
    const missing = await api.get('/me/', { as: 'ben' })
    expect([missing.status, missing.envelope().message]).toEqual([
      404,
      'There is no such record, or you may not see it.',
    ])
    expect((await api.patch('/me/', { name: 'x' }, { as: 'ben' })).status).toBe(404)
    expect((await api.get('/me/', { as: 'two' })).status).toBe(500)
    expect((await api.get('/me/')).status).toBe(401)
  })

  test('a route beside the record is refused at start', () => {
    const me = compose(ListModelMixin, RetrieveModelMixin)(config)
    expect(() => createHandler({ database: api.database, resources: { me } })).toThrow(
      /resources.me: singleton: ListModelMixin has GET \//,
    )
  })
})
