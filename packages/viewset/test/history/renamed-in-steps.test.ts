import { AllowAny, BaseModelSerializer, BulkViewSet, HistoryModelMixin } from 'viewset'
import { expect, test } from 'vitest'
import { TestApi } from '../support/api.ts'
import { describeDialects } from '../support/dialects.ts'
import { LaterApi } from '../support/later-api.ts'

const ViewSet = BulkViewSet.add(HistoryModelMixin)

interface Entry {
  readonly id: number
  readonly at: string
  readonly before: Readonly<Record<string, unknown>> | null
  readonly after: Readonly<Record<string, unknown>> | null
}

describeDialects('a column that is renamed in steps', dialect => {
  const c = dialect.kit
  const permissionClasses = [AllowAny]
  const before = c.table('prices', { id: c.integer().primaryKey(), price: c.decimal(8, 2) })
  const both = c.table('prices', { id: c.integer().primaryKey(), price: c.decimal(8, 2), amount: c.decimal(8, 2) })
  const after = c.table('prices', { id: c.integer().primaryKey(), amount: c.decimal(8, 2) })
  const first = {
    tables: { before, ...c.HistoryTable(before) },
    resources: {
      prices: ViewSet({
        model: before,
        serializer: BaseModelSerializer(before, { fields: ['id', 'price'] }),
        permissionClasses,
      }),
    },
  }
  c.HistoryTable(both)
  c.HistoryTable(after, { renamed: { price: 'amount' } })
  const second = {
    resources: {
      prices: ViewSet({
        model: both,
        serializer: BaseModelSerializer(both, { fields: ['id', 'price', 'amount'] }),
        permissionClasses,
      }),
    },
  }
  const last = {
    resources: {
      prices: ViewSet({
        model: after,
        serializer: BaseModelSerializer(after, { fields: ['id', 'amount'] }),
        permissionClasses,
      }),
    },
  }

  test('keeps the values that were stored while the new column was empty', async () => {
    const api = await TestApi.start(dialect, first)
    const run = (text: string) => api.database.driver.run({ text }, [])
    const { id } = (await api.post('/prices/', { price: '5.00' })).data<{ id: number }>()
    const path = `/prices/${id}/`
    await run(`alter table prices add column amount ${dialect.name === 'pg' ? 'numeric(8, 2)' : 'numeric'}`)
    const middle = new LaterApi(api.database, second)
    await middle.ready()
    // The release that writes both.
    expect((await middle.patch(path, { price: '6.00', amount: '6.00' })).status).toBe(200)
    await run('update prices set amount = price where amount is null')
    await run('alter table prices drop column price')
    const now = new LaterApi(api.database, last)
    await now.ready()
    const entries = (await now.get<Entry[]>(`${path}history/`)).data.toReversed()
    expect(entries.map(entry => [entry.before, entry.after])).toEqual([
      [null, expect.objectContaining({ amount: '5.00' })],
      [{ amount: '5.00' }, { amount: '6.00' }],
    ])
    const at = await now.get<{ amount: string }>(`${path}?at=${entries[0]?.at}`)
    expect(at.data.amount).toBe('5.00')
    expect((await now.post(`${path}revert/`, { entry: entries[0]?.id })).status).toBe(200)
    expect((await now.get<{ amount: string }>(path)).data.amount).toBe('5.00')
    await middle.close()
    await now.close()
    await api.close()
  })
})
