import { eq, ne } from 'drizzle-orm'
import {
  AllowAny,
  BaseModelSerializer,
  BulkImportableViewSet,
  BulkUpsertModelMixin,
  importForeignKey,
  importModel,
  type ModelRecord,
  type SerializerInput,
} from 'viewset'
import { beforeEach, describe, expect, test } from 'vitest'
import { useApi } from '../support/api.ts'
import { describeDialects } from '../support/dialects.ts'
import { csv } from '../support/imports.ts'
import { ManualQueue } from '../support/manual-queue.ts'
import { MemoryJobFiles } from '../support/memory-job-files.ts'
import { type ImportFormOptions, importForm } from '../support/multipart.ts'
import { seedStock, stockTables } from '../support/stock.ts'

interface Result {
  readonly errors: readonly { readonly row: number; readonly field: string; readonly message: string }[]
  readonly [count: string]: unknown
}

const HEADER = ['house', 'code', 'amount', 'mark']
const SEEDED = ['1 a 1', '1 b 2', '2 a 3', '2 x,y~z 4']

describeDialects('a table with a key of several columns', dialect => {
  const tables = stockTables(dialect.kit)
  const { houses, stock } = tables
  const serializer = BaseModelSerializer(stock, { fields: ['house', 'code', 'amount', 'mark'] })
  const keyed = importModel({
    model: stock,
    fields: ['house', 'code', 'amount', 'mark'],
    uniqueFields: ['house', 'code'],
  })
  const imported = (more: object = {}) =>
    ({ fileFormat: ['csv', 'xlsx'], order: ['stock'], models: { stock: { ...keyed, ...more } } }) as const
  const config = {
    model: stock,
    serializer,
    permissionClasses: [AllowAny],
    ordering: ['house', 'code'],
    exportFieldConfig: { house: 'house', code: 'code', amount: 'amount', mark: 'mark' },
    importFileConfig: imported(),
  } as const
  const NotKept = {
    hasPermission: () => true,
    hasObjectPermission: (_: object, item: ModelRecord<typeof stock>) => item.mark !== 'kept',
  }
  const { jobs, jobErrors } = dialect.kit.JobTables()
  const queue = new ManualQueue()
  const heard: string[] = []

  class Overridden extends BulkImportableViewSet(config) {
    override async performCreate(values: SerializerInput<typeof serializer>) {
      heard.push(`create ${values.house} ${values.code}`)
      return super.performCreate(values)
    }
    override async performUpdate(item: ModelRecord<typeof stock>, values: Partial<SerializerInput<typeof serializer>>) {
      heard.push(`update ${item.house} ${item.code}`)
      return super.performUpdate(item, values)
    }
    override async performDestroy(item: ModelRecord<typeof stock>) {
      heard.push(`destroy ${item.house} ${item.code}`)
      await super.performDestroy(item)
    }
  }

  const api = useApi(dialect, {
    tables: { ...tables, jobs, jobErrors },
    users: { ann: { id: '1' } },
    jobs: { tables: { jobs, jobErrors }, queue, files: new MemoryJobFiles() },
    resources: {
      stock: BulkImportableViewSet(config),
      overridden: Overridden,
      unchanged: BulkImportableViewSet({ ...config, importFileConfig: imported({ skipUnchanged: true }) }),
      kept: BulkImportableViewSet({ ...config, permissionClasses: [NotKept] }),
      scoped: BulkImportableViewSet({ ...config, queryset: () => eq(stock.house, 1) }),
      deleting: BulkImportableViewSet({
        ...config,
        importFileConfig: imported({ deleteWhen: { sourceField: 'gone', equals: ['x'] } }),
      }),
      guarded: BulkImportableViewSet({
        ...config,
        serializer: BaseModelSerializer(stock, {
          name: 'Guarded',
          fields: ['house', 'code', 'amount', 'mark', 'version'],
        }),
        version: 'version',
        importFileConfig: imported({ version: 'version' }),
      }),
      named: BulkImportableViewSet({
        ...config,
        importFileConfig: imported({
          fields: ['code', 'amount'],
          foreignKeys: { house: importForeignKey({ model: houses, lookupField: 'name', sourceField: 'house_name' }) },
        }),
      }),
      upserted: BulkImportableViewSet.add(BulkUpsertModelMixin)({ ...config, upsertFields: ['house', 'code'] }),
      others: BulkImportableViewSet.add(BulkUpsertModelMixin)({
        ...config,
        queryset: () => ne(stock.code, 'b'),
        upsertFields: ['code', 'house'],
      }),
    },
  })
  const rows = async () => (await api.rows('stock')).map(row => row.slice(0, 3).join(' ')).toSorted()
  const send = async (resource: string, content: Buffer, options: ImportFormOptions = {}) => {
    const answer = await api.post(`/${resource}/import-from-file/`, undefined, {
      as: 'ann',
      ...importForm(content, options),
    })
    expect(answer.status, answer.text).toBeLessThan(300)
    return answer.data<Result>()
  }
  const FILE = csv(HEADER, [1, 'a', 10, ''], [1, 'x,y~z', 11, ''], [2, 'x,y~z', 12, ''], [1, 'b', 2, ''])

  beforeEach(async () => {
    await seedStock(api.database, tables)
    heard.length = 0
  })

  describe('an import', () => {
    test.each(['stock', 'overridden', 'unchanged', 'kept', 'deleting'])(
      'finds records by the whole key: %s',
      async name => {
        const result = await send(name, FILE)
        const unchanged = name === 'unchanged' ? 1 : 0
        expect(result).toMatchObject({ success: true, processed: 4, created: 1, updated: 3 - unchanged })
        expect(await rows()).toEqual(['1 a 10', '1 b 2', '1 x,y~z 11', '2 a 3', '2 x,y~z 12'])
        if (name === 'overridden') {
          expect(heard.toSorted()).toEqual(['create 1 x,y~z', 'update 1 a', 'update 1 b', 'update 2 x,y~z'])
        }
        const again = await send(name, FILE)
        expect(again).toMatchObject({ success: true, created: 0, updated: name === 'unchanged' ? 0 : 4 })
      },
    )

    test('refuses records of others, with their rows', async () => {
      const file = csv(HEADER, [2, 'a', 9, ''], [1, 'a', 9, ''])
      expect(await send('kept', file)).toMatchObject({ failed: 1, updated: 1, errors: [{ row: 2 }] })
      const outside = await send('scoped', file)
      expect(outside).toMatchObject({ failed: 1, updated: 1, errors: [{ row: 2, field: 'non_field_errors' }] })
      expect(await rows()).toEqual(['1 a 9', '1 b 2', '2 a 3', '2 x,y~z 4'])
    })

    test('passes a unique value on from one record to another', async () => {
      const file = csv(HEADER, [2, 'a', 3, ''], [1, 'a', 1, 'kept'], [1, 'b', 2, 'secret'], [2, 'x,y~z', 4, 'm'])
      const result = await send('stock', file)
      expect(result).toMatchObject({ updated: 3, failed: 1, errors: [{ row: 4, field: 'mark' }] })
      const marks = (await api.rows('stock')).map(([house, code, , mark]) => `${house} ${code} ${mark}`)
      expect(marks.toSorted()).toEqual(['1 a kept', '1 b null', '2 a null', '2 x,y~z m'])
    })

    test('shows what it would do', async () => {
      const preview = await send('stock', FILE, { dryRun: true, more: { diff: 'true' } })
      expect(preview).toMatchObject({
        created: 1,
        diff: {
          totals: { create: 1, update: 2, unchanged: 1, delete: 0 },
          rows: [
            { row: 2, action: 'update', changes: { amount: [1, 10] } },
            { row: 3, action: 'create', changes: { house: [null, 1], code: [null, 'x,y~z'], amount: [null, 11] } },
            { row: 4, action: 'update' },
          ],
        },
      })
      expect(await rows()).toEqual(SEEDED)
    })

    test.each(['stock', 'overridden', 'scoped'])('replaces the records of the list: %s', async name => {
      const file = csv(HEADER, [1, 'a', 7, ''], [1, 'n', 8, ''])
      const preview = await send(name, file, { append: false, dryRun: true, more: { diff: 'true' } })
      const deleted = name === 'scoped' ? 2 : 4
      expect(preview).toMatchObject({ deleted, diff: { replaced: { deleted } } })
      const { replaced } = preview.diff as { replaced: { records: object[] } }
      expect(replaced.records.slice(0, 2)).toEqual([
        { house: 1, code: 'a' },
        { house: 1, code: 'b' },
      ])
      expect(await send(name, file, { append: false })).toMatchObject({ deleted, created: 2 })
      const others = name === 'scoped' ? ['2 a 3', '2 x,y~z 4'] : []
      expect(await rows()).toEqual(['1 a 7', '1 n 8', ...others])
      if (name === 'overridden')
        expect(heard.slice(0, 4).toSorted()).toEqual(SEEDED.map(row => `destroy ${row.slice(0, -2)}`))
    })

    test('deletes by the whole key', async () => {
      const file = csv([...HEADER, 'gone'], [2, 'a', '', '', 'x'], [1, 'b', 5, '', ''])
      expect(await send('deleting', file)).toMatchObject({ deleted: 1, updated: 1 })
      expect(await rows()).toEqual(['1 a 1', '1 b 5', '2 x,y~z 4'])
    })

    test('refuses a row of another version', async () => {
      const versions = new Map(
        (await api.get('/guarded/'))
          .data<Record<string, unknown>[]>()
          .map(item => [`${item.house} ${item.code}`, Number(item.version)]),
      )
      const file = csv(
        [...HEADER, 'version'],
        [1, 'a', 5, '', versions.get('1 a') ?? 0],
        [2, 'a', 5, '', (versions.get('2 a') ?? 0) - 1],
      )
      const result = await send('guarded', file)
      expect(result).toMatchObject({ updated: 1, failed: 1, errors: [{ row: 3, field: 'version' }] })
      expect(await rows()).toEqual(['1 a 5', '1 b 2', '2 a 3', '2 x,y~z 4'])
    })

    test('finds a part of the key by a name', async () => {
      const result = await send(
        'named',
        csv(['house_name', 'code', 'amount'], ['two', 'a', 5], ['one', 'a', 6], ['six', 'a', 7]),
      )
      expect(result).toMatchObject({ updated: 2, failed: 1, errors: [{ row: 4, field: 'house_name' }] })
      expect(await rows()).toEqual(['1 a 6', '1 b 2', '2 a 5', '2 x,y~z 4'])
    })

    test('runs in the background, and its failed rows can be sent again', async () => {
      const file = csv(HEADER, [1, 'a', 'x', ''], [2, 'a', 8, ''])
      const { id } = await send('stock', file, { more: { background: 'true' } })
      await queue.run(String(id))
      const job = await api.get(`/jobs/${id}/`, { as: 'ann' })
      expect(job.data()).toMatchObject({ result: { failed: 1, updated: 1 } })
      const failed = await api.get(`/jobs/${id}/file/`, { as: 'ann' })
      expect(failed.text).toContain('1,a,x,')
      const mended = Buffer.from(failed.text.replace('1,a,x,', '1,a,4,'))
      expect(await send('stock', mended)).toMatchObject({ success: true, updated: 1 })
      expect(await rows()).toEqual(['1 a 4', '1 b 2', '2 a 8', '2 x,y~z 4'])
    })

    test('takes the file of its export and its template', async () => {
      const file = await api.post('/stock/export/', { file_type: 'csv' })
      expect(await send('unchanged', Buffer.from(file.text))).toMatchObject({ unchanged: 4, updated: 0, created: 0 })
      const template = await api.get('/stock/import-template/')
      expect(template.status).toBe(200)
    })

    test('has no files for editing', async () => {
      const answer = await api.post('/stock/export/', { file_type: 'xlsx', for_editing: true })
      expect(answer.status).toBe(400)
      expect(Object.keys(answer.envelope().errors ?? {})).toEqual(['for_editing'])
    })
  })

  test.each([
    [
      'that an update would change',
      { fields: ['house', 'code', 'mark'], uniqueFields: ['mark'] },
      /"house" is a part of the primary key, which an update cannot change/,
    ],
    [
      'that a new record needs',
      { fields: ['amount', 'code'], uniqueFields: ['code'] },
      /misses "house", which is required/,
    ],
  ])('a configuration is refused for a part of the key %s', (_, more, problem) => {
    expect(() => BulkImportableViewSet({ ...config, importFileConfig: imported(more) })).toThrow(problem)
  })

  describe('a bulk upsert', () => {
    test.each(['upserted', 'others'])('finds records by the whole key: %s', async name => {
      const items = [
        { house: 2, code: 'a', amount: 8 },
        { house: 1, code: 'x,y~z', amount: 9 },
        { house: 1, code: 'a', amount: 7 },
      ]
      const answer = await api.post(`/${name}/bulk-upsert/`, items)
      expect(answer.data()).toEqual({ created: 1, updated: 2 })
      expect(await rows()).toEqual(['1 a 7', '1 b 2', '1 x,y~z 9', '2 a 8', '2 x,y~z 4'])
    })

    test('refuses a record twice, one of others, and a part that is missing', async () => {
      const twice = await api.post('/upserted/bulk-upsert/', [
        { house: 1, code: 'a', amount: 8 },
        { house: 1, code: 'a', amount: 9 },
      ])
      expect([twice.status, Object.keys(twice.envelope().errors ?? {})]).toEqual([400, ['1.non_field_errors']])
      const hidden = await api.post('/others/bulk-upsert/', [{ house: 1, code: 'b', amount: 8 }])
      expect(hidden.status).toBe(400)
      const partial = await api.post('/upserted/bulk-upsert/', [{ house: 1, amount: 8 }])
      expect([partial.status, Object.keys(partial.envelope().errors ?? {})]).toEqual([400, ['0.code']])
      expect(await rows()).toEqual(SEEDED)
    })
  })
})
