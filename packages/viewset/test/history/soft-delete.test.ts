import { setTimeout } from 'node:timers/promises'
import { eq } from 'drizzle-orm'
import {
  AllowAny,
  BaseModelSerializer,
  BulkImportableViewSet,
  BulkRestoreModelMixin,
  currentDb,
  HistoryModelMixin,
  importModel,
  RestoreModelMixin,
  type User,
} from 'viewset'
import { beforeEach, describe, expect, test } from 'vitest'
import type { JobData } from '../../src/viewset/jobs/job-data.ts'
import { useApi } from '../support/api.ts'
import { describeDialects } from '../support/dialects.ts'
import { ManualQueue } from '../support/manual-queue.ts'
import { MemoryJobFiles } from '../support/memory-job-files.ts'
import { importForm } from '../support/multipart.ts'

interface Entry {
  readonly action: string
  readonly source: string
}

describeDialects('a resource with softDelete', dialect => {
  const c = dialect.kit
  const items = c.table('items', {
    id: c.integer().primaryKey(),
    ...c.SoftDeleteMixin(),
    code: c.text(10).notNull().unique(),
    price: c.integer(),
    owner: c.text(10).notNull().default('ann'),
  })
  const parts = c.table('parts', {
    id: c.integer().primaryKey(),
    ...c.SoftDeleteMixin(),
    item: c.foreignKey(items, { onSoftDelete: 'cascade' }).notNull(),
  })
  const history = c.HistoryTable(items)
  const jobTables = c.JobTables()
  const queue = new ManualQueue()
  const config = {
    model: items,
    serializer: BaseModelSerializer(items, { fields: ['id', 'code', 'price'] }),
    permissionClasses: [AllowAny],
    ordering: 'id',
    paginationClass: null,
    softDelete: true,
    importFileConfig: {
      fileFormat: 'csv',
      order: ['items'],
      models: {
        items: importModel({
          model: items,
          fields: ['code', 'price'],
          uniqueFields: ['code'],
          deleteWhen: { sourceField: 'gone', equals: ['yes'] },
        }),
      },
    },
  } as const
  const Full = BulkImportableViewSet.add(HistoryModelMixin, RestoreModelMixin, BulkRestoreModelMixin)
  const isOwner = {
    hasPermission: () => true,
    hasObjectPermission: ({ user }: { user: User | null }, { owner }: { owner: string }) => user?.id === owner,
  }
  const api = useApi(dialect, {
    tables: { items, parts, ...history, ...jobTables },
    users: { ann: { id: 'ann' }, ben: { id: 'ben' } },
    openapi: true,
    resources: {
      items: Full(config),
      cheap: Full({ ...config, queryset: () => eq(items.price, 1) }),
      owned: Full({ ...config, permissionClasses: [isOwner] }),
    },
    jobs: { tables: jobTables, queue, files: new MemoryJobFiles() },
  })
  const ann = { as: 'ann' }
  const entries = async (id: number) =>
    (await api.get(`/items/${id}/history/`, ann)).data<Entry[]>().map(({ action, source }) => `${source}: ${action}`)
  const stored = async () => {
    const rows = await api.database.use(() => currentDb().select().from(items).orderBy(items.code))
    return rows.map(({ code, price, isActive }) => `${code} ${price}${isActive ? '' : ' deleted'}`)
  }
  let id: number
  beforeEach(async () => {
    id = (await api.post('/items/', { code: 'a', price: 1 }, ann)).data<{ id: number }>().id
    await api.post('/items/', { code: 'b', price: 2 }, ann)
  })

  describe('and a history', () => {
    test('records a delete as a soft delete, and its restore', async () => {
      await api.delete(`/items/${id}/`, ann)
      await api.post(`/items/${id}/restore/`, undefined, ann)
      await api.post('/items/bulk-delete/', [id], ann)
      await api.post('/items/bulk-restore/', [id], ann)
      expect(await entries(id)).toEqual([
        'bulk_restore: restore',
        'bulk_delete: soft_delete',
        'restore: restore',
        'destroy: soft_delete',
        'create: create',
      ])
    })

    test('shows the history of a soft-deleted record to those who could see the record', async () => {
      await api.delete(`/items/${id}/`, ann)
      expect(await entries(id)).toEqual(['destroy: soft_delete', 'create: create'])
      expect((await api.get(`/cheap/${id}/history/`)).status).toBe(200)
      expect((await api.get(`/owned/${id}/history/`, ann)).status).toBe(200)
      expect((await api.get(`/owned/${id}/history/`, { as: 'ben' })).status).toBe(403)
      const other = id + 1
      await api.delete(`/items/${other}/`, ann)
      expect((await api.get(`/cheap/${other}/history/`)).status).toBe(404)
    })

    test('has no state of the record at a time after its soft delete', async () => {
      // The record was made in an earlier millisecond.
      await setTimeout(2)
      const before = new Date().toISOString()
      await setTimeout(2)
      await api.delete(`/items/${id}/`, ann)
      const at = (time: string) => api.get(`/items/${id}/?at=${time}`, ann)
      expect((await at('2999-01-01T00:00:00Z')).status).toBe(404)
      expect((await at(before)).data()).toEqual({ id, code: 'a', price: 1 })
    })

    test('reverts a record only after its restore', async () => {
      await api.patch(`/items/${id}/`, { price: 5 }, ann)
      const all = (await api.get(`/items/${id}/history/`, ann)).data<{ id: number }[]>()
      await api.delete(`/items/${id}/`, ann)
      const revert = () => api.post(`/items/${id}/revert/`, { entry: all.at(-1)?.id }, ann)
      expect((await revert()).status).toBe(404)
      await api.post(`/items/${id}/restore/`, undefined, ann)
      expect((await revert()).data()).toMatchObject({ price: 1 })
    })
  })

  test('takes along the records that follow a soft delete, and restores these', async () => {
    await api.database.use(() => currentDb().insert(parts).values({ item: id }))
    const active = async () =>
      (await api.database.use(() => currentDb().select().from(parts))).map(({ isActive }) => isActive)
    for (const [method, remove, restore] of [
      ['DELETE', `/items/${id}/`, `/items/${id}/restore/`],
      ['POST', '/items/bulk-delete/', '/items/bulk-restore/'],
    ] as const) {
      await api.request(method, remove, { body: [id], ...ann })
      expect(await active()).toEqual([false])
      await api.request('POST', restore, { body: [id], ...ann })
      expect(await active()).toEqual([true])
    }
  })

  describe('whose import is undone:', () => {
    const imported = async (csv: string) => {
      const answer = await api.request('POST', '/items/import-from-file/', { ...importForm(csv), ...ann })
      expect([answer.status, answer.text]).toEqual([201, answer.text])
      return answer.data<{ job: string }>().job
    }
    const undo = async (job: string) => {
      const accepted = await api.post(`/jobs/${job}/undo/`, undefined, ann)
      expect([accepted.status, accepted.text]).toEqual([202, accepted.text])
      const undone = accepted.data<JobData>().id
      await queue.run(undone)
      const { state, result } = (await api.get(`/jobs/${undone}/`, ann)).data<JobData>()
      expect(state).toBe('succeeded')
      const { reversed, partly, kept, failed, out_of_reach } = result as Record<string, number>
      return { undone, outcome: [reversed, partly, kept, failed, out_of_reach] }
    }

    test('a created record is soft-deleted, and comes back if the undo is undone', async () => {
      const { undone, outcome } = await undo(await imported('code,price\nc,3\na,9\n'))
      expect([outcome, await stored()]).toEqual([
        [2, 0, 0, 0, 0],
        ['a 1', 'b 2', 'c 3 deleted'],
      ])
      expect((await undo(undone)).outcome).toEqual([2, 0, 0, 0, 0])
      expect(await stored()).toEqual(['a 9', 'b 2', 'c 3'])
    })

    test('a record that a row has deleted comes back', async () => {
      const job = await imported('code,price,gone\na,1,yes\n')
      expect(await stored()).toEqual(['a 1 deleted', 'b 2'])
      expect((await undo(job)).outcome).toEqual([1, 0, 0, 0, 0])
      expect(await stored()).toEqual(['a 1', 'b 2'])
    })

    test('an updated record that was deleted since is kept, and a created one is reversed', async () => {
      const job = await imported('code,price\na,9\nc,3\n')
      await api.post('/items/bulk-delete/', [id, id + 2], ann)
      expect(await stored()).toEqual(['a 9 deleted', 'b 2', 'c 3 deleted'])
      expect((await undo(job)).outcome).toEqual([1, 0, 1, 0, 0])
      expect(await stored()).toEqual(['a 9 deleted', 'b 2', 'c 3 deleted'])
    })
  })
})
