import { eq } from 'drizzle-orm'
import { AllowAny, BaseModelSerializer, BulkViewSet, ManyDataToDataField, scoped, type User } from 'viewset'
import { expect, test } from 'vitest'
import { useApi } from '../support/api.ts'
import { describeDialects } from '../support/dialects.ts'

describeDialects('the children of a tenant', dialect => {
  const c = dialect.kit
  const albums = c.table('albums', { id: c.integer().primaryKey(), firm: c.text(10).notNull() })
  const tracks = c.table(
    'tracks',
    {
      id: c.integer().primaryKey(),
      album: c.foreignKey(albums, { onDelete: 'cascade' }).notNull(),
      firm: c.text(10).notNull(),
      code: c.text(10).notNull(),
    },
    t => [c.unique(t.firm, t.code)],
  )
  const firmOf = ({ user }: { readonly user: User | null }) => String(user?.id ?? '')
  const own = scoped(tracks, view => eq(tracks.firm, firmOf(view)), { fixedValues: view => ({ firm: firmOf(view) }) })
  const serializer = BaseModelSerializer(albums, {
    fields: ['id'],
    extra: {
      tracks: ManyDataToDataField({
        queryset: own,
        scopeReads: true,
        serializer: BaseModelSerializer(tracks, { fields: ['id', 'code'] }),
      }),
    },
  })
  const api = useApi(dialect, {
    tables: { albums, tracks },
    users: { ann: { id: 'ann' } },
    resources: {
      albums: BulkViewSet({
        model: albums,
        serializer,
        permissionClasses: [AllowAny],
        tenant: { column: 'firm', of: firmOf },
      }),
    },
  })

  test('have messages that do not name the field of the tenant', async () => {
    const body = { tracks: [{ code: 'a' }] }
    expect((await api.post('/albums/', body, { as: 'ann' })).status).toBe(201)
    const again = await api.post('/albums/', body, { as: 'ann' })
    expect(again.envelope().errors).toEqual({ 'tracks.0.code': ['Another record already has this value.'] })
  })
})
