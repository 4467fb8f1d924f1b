import { beforeEach, expect, test } from 'vitest'
import { TenantMixin } from '../extensions/tenant-mixin.ts'
import { useApi } from '../support/api.ts'
import { describeDialects } from '../support/dialects.ts'
import { uuid } from '../support/expect.ts'
import { FullViewSet } from '../support/full-viewset.ts'
import { models, seed } from '../support/models.ts'
import { authorSettings, WRITES, type Writer } from '../support/write-paths.ts'

describeDialects('a mixin with a scope and fixed values holds for', dialect => {
  const tables = models(dialect.kit)
  // The field that stands for the tenant here is one that every way to write sends.
  const settings = { ...authorSettings(tables), tenantField: 'name' as const }
  const { importFileConfig } = settings
  const TenantViewSet = FullViewSet.add(TenantMixin)
  /** Validates in its own way, and forgets that the tenant is fixed. */
  class Lax extends TenantViewSet(settings) {
    override validate = async () => this.request.body as { name: string }
    override validateMany = async () => this.request.body as { name: string }[]
  }
  const api = useApi(dialect, {
    tables,
    users: { ann: { id: 'mine' } },
    resources: {
      authors: TenantViewSet(settings),
      saved: TenantViewSet({ ...settings, useSaveOnBulkUpdate: true }),
      lax: Lax,
      chunked: TenantViewSet({ ...settings, importFileConfig: { ...importFileConfig, chunkSize: 1 } }),
    },
  })
  const ann: Writer = {
    request: (method, path, options) => api.request(method, path, { ...options, as: 'ann' }),
    post: (path, body) => api.post(path, body, { as: 'ann' }),
    put: (path, body) => api.put(path, body, { as: 'ann' }),
    patch: (path, body) => api.patch(path, body, { as: 'ann' }),
    delete: path => api.delete(path, { as: 'ann' }),
  }
  const others = async () => (await api.rows('authors')).filter(row => row.includes('theirs'))

  beforeEach(() =>
    seed(api.database, tables, {
      authors: [
        { id: uuid(1), name: 'mine', email: 'ada@example.org' },
        { id: uuid(2), name: 'mine', email: 'bob@example.org' },
        { id: uuid(3), name: 'mine', isActive: false, deletedAt: '2026-01-15T10:30:00.000000Z' },
        { id: uuid(4), name: 'theirs', email: 'cy@example.org' },
      ],
    }),
  )

  test.each(WRITES)('%s', async (_, status, write) => {
    const before = await others()
    const answer = await write(ann)
    expect([answer.status, answer.text]).toEqual([status, answer.text])
    expect(await others()).toEqual(before)
    const tenants = (await api.rows('authors')).filter(row => !row.includes('mine') && !row.includes('theirs'))
    expect(tenants).toEqual([])
  })

  test('new records of an overridden validation', async () => {
    expect((await ann.post('/lax/', { name: 'theirs', email: 'dan@example.org' })).status).toBe(201)
    expect((await ann.post('/lax/bulk-create/', [{ name: 'theirs', email: 'eve@example.org' }])).status).toBe(201)
    expect(await others()).toHaveLength(1)
  })
})
