import { SignJWT } from 'jose'
import { AllowAny, BaseModelSerializer, createRecord, currentDb, findRecords, importModel } from 'viewset'
import { bearerJwt } from 'viewset/auth'
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import { useApi } from '../support/api.ts'
import { describeDialects } from '../support/dialects.ts'
import { FullViewSet } from '../support/full-viewset.ts'
import { models } from '../support/models.ts'
import { importForm } from '../support/multipart.ts'

const HOUR = 3_600_000

describeDialects('the times of a record', dialect => {
  const { authors } = models(dialect.kit)
  const settings = {
    model: authors,
    serializer: BaseModelSerializer(authors, {
      fields: ['id', 'name', 'email', 'createdAt', 'updatedAt', 'deletedAt'],
    }),
    permissionClasses: [AllowAny],
    upsertFields: ['email'],
    importFileConfig: {
      fileFormat: 'csv',
      order: ['authors'],
      models: { authors: importModel({ model: authors, fields: ['name', 'email'], uniqueFields: ['email'] }) },
    },
    actions: {
      'soft-delete': {
        method: 'POST',
        detail: true,
        handler: async (view: { getObject(): Promise<{ softDelete(): Promise<unknown> }> }) =>
          (await view.getObject()).softDelete(),
      },
      drizzle: {
        method: 'POST',
        detail: false,
        handler: () => currentDb().insert(authors).values({ name: 'D', email: 'd@x' }),
      },
    },
  } as const
  const api = useApi(dialect, {
    tables: { authors },
    resources: {
      authors: FullViewSet(settings),
      saved: FullViewSet({ ...settings, useSaveOnBulkUpdate: true }),
    },
  })
  const times = async () =>
    (await api.get('/authors/?paginated=false')).data<
      { created_at: string; updated_at: string; deleted_at: string | null }[]
    >()
  const upload = (text: string) => api.request('POST', '/authors/import-from-file/', importForm(text))

  describe('one write is one moment', () => {
    test.each([
      ['a create', () => api.post('/authors/', { name: 'A', email: 'a@x' })],
      ['a bulk create', () => api.post('/authors/bulk-create/', [{ name: 'A' }, { name: 'B', email: 'b@x' }])],
      ['a bulk upsert', () => api.post('/authors/bulk-upsert/', [{ name: 'A', email: 'a@x' }])],
      ['an import', () => upload('name,email\nA,a@x\nB,b@x\n')],
      ["Drizzle's own insert", () => api.post('/authors/drizzle/')],
      ['code', () => api.database.use(() => createRecord(authors, { name: 'A' }))],
    ])('%s', async (_, write) => {
      for (let i = 0; i < 20; i++) {
        await api.clear()
        await write()
        for (const { created_at, updated_at } of await times()) expect(updated_at).toBe(created_at)
      }
    })

    test.each(['soft-delete', 'bulk-soft-delete'])('%s', async how => {
      for (let i = 0; i < 20; i++) {
        const { id } = (await api.post('/authors/', { name: 'A' })).data()
        await (how === 'soft-delete'
          ? api.post(`/authors/${id}/soft-delete/`)
          : api.post('/authors/bulk-soft-delete/', [id]))
      }
      const deleted = await times()
      expect(deleted).toHaveLength(20)
      for (const { deleted_at, updated_at } of deleted) expect(deleted_at).toBe(updated_at)
    })
  })

  describe('when the clock is set back, a change is not older than what it changes', () => {
    beforeEach(() => void vi.useFakeTimers({ toFake: ['Date'] }))
    afterEach(() => void vi.useRealTimers())

    test.each([
      ['a PATCH', (id: string) => api.patch(`/authors/${id}/`, { name: 'B' })],
      ['a PUT', (id: string) => api.put(`/authors/${id}/`, { name: 'B' })],
      ['a bulk update', (id: string) => api.patch('/authors/bulk-update/', [{ id, name: 'B' }])],
      ['a bulk update that saves', (id: string) => api.patch('/saved/bulk-update/', [{ id, name: 'B' }])],
      ['a bulk upsert', () => api.post('/authors/bulk-upsert/', [{ name: 'B', email: 'a@x' }])],
      ['a bulk soft delete', (id: string) => api.post('/authors/bulk-soft-delete/', [id])],
      ['a soft delete', (id: string) => api.post(`/authors/${id}/soft-delete/`)],
      ['an import', () => upload('name,email\nB,a@x\n')],
    ])('%s', async (_, change) => {
      const { id } = (await api.post('/authors/', { name: 'A', email: 'a@x' })).data<{ id: string }>()
      vi.setSystemTime(Date.now() - HOUR)
      const response = await change(id)
      expect(response.status, response.text).toBeLessThan(300)
      const [time] = await times()
      expect(time?.updated_at).toBe(time?.created_at)
      // Later changes are as late as they are.
      vi.setSystemTime(Date.now() + 3 * HOUR)
      await api.patch(`/authors/${id}/`, { name: 'C' })
      const [later] = await times()
      expect(Date.parse(later!.updated_at) - Date.parse(later!.created_at)).toBeGreaterThan(HOUR)
    })

    test('a time that code sets itself stays', async () => {
      const time = '2001-01-15T10:30:00.000000Z'
      await api.post('/authors/', { name: 'A' })
      await api.database.transaction(async () => {
        for (const author of await findRecords(authors)) await Object.assign(author, { updatedAt: time }).save()
      })
      expect((await times()).map(({ updated_at }) => updated_at)).toEqual([time])
    })

    test('the time of a response is what the clock says', async () => {
      await api.get('/authors/')
      vi.setSystemTime(Date.now() - HOUR)
      const told = Date.parse((await api.get('/authors/')).envelope().timestamp)
      expect(Math.abs(told - Date.now())).toBeLessThan(1_000)
    })

    test('new records go on being ordered by their keys', async () => {
      const first = (await api.post('/authors/', { name: 'A' })).data<{ id: string }>()
      vi.setSystemTime(Date.now() - HOUR)
      const second = (await api.post('/authors/', { name: 'B' })).data<{ id: string }>()
      expect(second.id > first.id).toBe(true)
    })
  })
})

describe('a token, when the clock is set back', () => {
  afterEach(() => void vi.useRealTimers())
  const secret = 'a secret that is long enough for SHA-256'
  const ask = (token: string) =>
    bearerJwt({ secret })({ headers: { authorization: `Bearer ${token}` } } as unknown as Parameters<
      ReturnType<typeof bearerJwt>
    >[0])

  test('that was issued before goes on being accepted, until it expires', async () => {
    vi.useFakeTimers({ toFake: ['Date'] })
    const issued = Math.trunc(Date.now() / 1000)
    const token = await new SignJWT({})
      .setProtectedHeader({ alg: 'HS256' })
      .setSubject('ann')
      .setIssuedAt(issued)
      .setExpirationTime(issued + 60)
      .sign(new TextEncoder().encode(secret))
    vi.setSystemTime(Date.now() - HOUR)
    await expect(ask(token)).resolves.toEqual({ id: 'ann' })
    vi.setSystemTime(Date.now() + HOUR + 70_000)
    await expect(ask(token)).rejects.toThrow('The token has expired.')
  })

  test('that is not valid yet is refused', async () => {
    vi.useFakeTimers({ toFake: ['Date'] })
    const now = Math.trunc(Date.now() / 1000)
    const token = await new SignJWT({})
      .setProtectedHeader({ alg: 'HS256' })
      .setSubject('ann')
      .setNotBefore(now)
      .setExpirationTime(now + 7_200)
      .sign(new TextEncoder().encode(secret))
    await expect(ask(token)).resolves.toEqual({ id: 'ann' })
    vi.setSystemTime(Date.now() - HOUR)
    await expect(ask(token)).rejects.toThrow('The token is not valid.')
  })
})
