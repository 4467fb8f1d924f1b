import { AllowAny, BaseModelSerializer, BulkViewSet, insertMany, postWrite } from 'viewset'
import { expect, test } from 'vitest'
import { modelInfo } from '../../src/model/model-info.ts'
import { executeWrite } from '../../src/store/write/execute-write.ts'
import { useApi } from '../support/api.ts'
import { describeDialects } from '../support/dialects.ts'

describeDialects('rows of many come back in their order, by keys that are', dialect => {
  const c = dialect.kit
  const tables = {
    times: c.table('times', { id: c.timestamp().primaryKey(), text: c.text(5) }),
    decimals: c.table('decimals', { id: c.decimal(10, 2).primaryKey(), text: c.text(5) }),
    floats: c.table('floats', { id: c.float().primaryKey(), text: c.text(5) }),
    binaries: c.table('binaries', { id: c.binary().primaryKey(), text: c.text(5) }),
    uuids: c.table('uuids', { id: c.uuid().primaryKey(), text: c.text(5) }),
  }
  const permissionClasses = [AllowAny]
  const api = useApi(dialect, {
    tables,
    resources: {
      times: BulkViewSet({
        model: tables.times,
        serializer: BaseModelSerializer(tables.times, { fields: ['id', 'text'] }),
        permissionClasses,
      }),
      binaries: BulkViewSet({
        model: tables.binaries,
        serializer: BaseModelSerializer(tables.binaries, { fields: ['id', 'text'] }),
        permissionClasses,
      }),
    },
  })

  const keys: readonly (readonly [keyof typeof tables, readonly unknown[]])[] = [
    ['times', ['2026-01-02T00:00:00.000000Z', '2026-01-01T00:00:00.000000Z']],
    ['decimals', ['2.50', '1.00', '10.25']],
    ['floats', [1e21, 1e-7, 2]],
    ['binaries', [new Uint8Array([2, 255]), new Uint8Array([1])]],
  ]
  test.each(keys)('%s', async (name, ids) => {
    const model = modelInfo(tables[name])
    const heard: unknown[] = []
    const hear = ({ before, after }: { before?: readonly object[]; after: readonly object[] }) =>
      heard.push([before?.map(row => Reflect.get(row, 'text')), after.map(row => Reflect.get(row, 'text'))])
    const stop = postWrite(tables[name], event => hear(event as never), { before: true })
    const texts = ids.map((_, index) => `t${index}`)
    const rows = ids.map((id, index) => ({ id, text: texts[index] }))
    const inserted = await executeWrite(api.database, { kind: 'insert', model, rows, returning: 'rows' })
    const changes = ids.map(key => ({ key, values: { text: 'new' } }))
    const updated = await executeWrite(api.database, { kind: 'update', model, rows: changes, returning: 'rows' })
    const deleted = await executeWrite(api.database, { kind: 'delete', model, rows: ids.map(key => ({ key })) })
    stop()
    for (const { changes, keys } of [inserted, updated, deleted]) expect([changes, keys]).toEqual([ids.length, ids])
    const renamed = texts.map(() => 'new')
    expect(heard).toEqual([
      [[], texts],
      [texts, renamed],
      [renamed, []],
    ])
  })

  test('UUIDs in capitals', async () => {
    const heard: unknown[] = []
    const stop = postWrite(tables.uuids, ({ after }) => heard.push(after.map(({ text }) => text)))
    const rows = ['B', 'A'].map(text => ({ id: `${text}0000000-0000-4000-8000-000000000001`, text }))
    await api.database.use(() => insertMany(tables.uuids, rows))
    stop()
    expect(heard).toEqual([['B', 'A']])
  })

  test.each([
    ['times', ['2026-01-02T00:00:00.000000Z', '2026-01-01T00:00:00.000000Z']],
    ['binaries', ['Av8=', 'AQ==']],
  ])('%s, in bulk requests', async (name, ids) => {
    const items = (text: string) => ids.map(id => ({ id, text }))
    expect((await api.post(`/${name}/bulk-create/`, items('old'))).data()).toEqual(items('old'))
    expect((await api.patch(`/${name}/bulk-update/`, items('new'))).data()).toEqual(items('new'))
    const report = { requested_count: 2, count: 2, missing_ids: [] }
    expect((await api.post(`/${name}/bulk-delete/`, ids)).data()).toMatchObject(report)
  })
})
