import { eq } from 'drizzle-orm'
import { AllowAny, BaseModelSerializer, BulkImportableViewSet, currentDb, importModel, insertMany } from 'viewset'
import { beforeEach, expect, test } from 'vitest'
import type { JobData } from '../../src/viewset/jobs/job-data.ts'
import { useApi } from '../support/api.ts'
import { describeOneDialect } from '../support/dialects.ts'
import { type EditableRow, editedWorkbook } from '../support/edited-workbook.ts'
import { ManualQueue } from '../support/manual-queue.ts'
import { MemoryJobFiles } from '../support/memory-job-files.ts'
import { importForm } from '../support/multipart.ts'

type Stored = Readonly<Record<string, string | null>>

const WAYS = ['at once', 'in the background'] as const

describeOneDialect('the failed rows of an edited file, if the database counts', dialect => {
  const c = dialect.kit
  const goods = c.table('goods', {
    id: c.integer().primaryKey(),
    name: c.text(20).notNull().unique(),
    price: c.decimal(8, 2),
    size: c.integer(),
    place: c.text(20),
  })
  const { jobs, jobErrors } = c.JobTables()
  const queue = new ManualQueue()
  const api = useApi(dialect, {
    tables: { goods, jobs, jobErrors },
    users: { ann: { id: 'ann' } },
    jobs: { tables: { jobs, jobErrors }, queue, files: new MemoryJobFiles() },
    resources: {
      goods: BulkImportableViewSet({
        model: goods,
        serializer: BaseModelSerializer(goods, { fields: ['id', 'name', 'price', 'size', 'place'] }),
        permissionClasses: [AllowAny],
        ordering: 'id',
        exportFieldConfig: { name: 'name', price: 'price', size: 'size', place: 'place' },
        importFileConfig: {
          fileFormat: 'xlsx',
          order: ['goods'],
          models: { goods: importModel({ model: goods, fields: ['name', 'price', 'size'], uniqueFields: ['name'] }) },
        },
      }),
    },
  })
  beforeEach(() =>
    api.database.transaction(() =>
      insertMany(
        goods,
        ['A', 'B', 'C'].map(name => ({ name, price: '1.00', size: 1, place: 'here' })),
      ),
    ),
  )
  const theirs = { on_conflict: 'theirs', delete_marked: 'true', failed_rows: 'true' }
  const exported = async () =>
    (await api.post('/goods/export/', { file_type: 'xlsx', for_editing: true }, { as: 'ann' })).bytes
  const changed = (name: string, values: object) =>
    api.database.transaction(() => currentDb().update(goods).set(values).where(eq(goods.name, name)))
  const stored = async () =>
    Object.fromEntries(
      (await api.get('/goods/')).data<Stored[]>().map(({ name, price, size }) => [name, [price, size]]),
    )

  /** Sends a file, and returns that of its failed rows. */
  const failedOf = async (way: (typeof WAYS)[number], file: Uint8Array, more: Record<string, string>) => {
    const inBackground = way === 'in the background'
    const { failed_rows, ...fields } = more
    const options = { filename: 'a.xlsx', more: inBackground ? { ...fields, background: 'true' } : more }
    const answer = await api.post('/goods/import-from-file/', undefined, { as: 'ann', ...importForm(file, options) })
    if (!inBackground) return answer.bytes
    const { id } = answer.data<JobData>()
    await queue.run(id)
    return (await api.get(`/jobs/${id}/file/`, { as: 'ann' })).bytes
  }
  const edit = (file: Uint8Array, edits: Readonly<Record<string, EditableRow>>) =>
    editedWorkbook(file, rows => rows.map(row => ({ ...row, ...edits[String(row.name)] })))

  test.each(WAYS)('keep the value of the database in a row that others have undone: %s', async way => {
    const file = await edit(await exported(), { A: { price: 'x' }, B: { price: 4, size: 7 } })
    await changed('B', { price: '3.30' })
    const more = { ...theirs, all_or_nothing: 'true' }
    const failed = await failedOf(way, file, more)
    expect(await stored()).toEqual({ A: ['1.00', 1], B: ['3.30', 1], C: ['1.00', 1] })
    await failedOf(way, await edit(failed, { A: { price: 2 } }), more)
    expect(await stored()).toEqual({ A: ['2.00', 1], B: ['3.30', 7], C: ['1.00', 1] })
  })

  test.each(WAYS)('keep it in a row that fails by another cell: %s', async way => {
    const file = await edit(await exported(), { B: { price: 4, size: 'x' } })
    await changed('B', { price: '3.30' })
    const failed = await failedOf(way, file, theirs)
    await failedOf(way, await edit(failed, { B: { size: 7 } }), theirs)
    expect(await stored()).toMatchObject({ B: ['3.30', 7] })
  })

  test.each(WAYS)('do not delete a record that has changed: %s', async way => {
    for (const [name, values] of [
      ['B', { price: '3.30' }],
      ['C', { place: 'there' }],
    ] as const) {
      const file = await edit(await exported(), { A: { price: 'x' }, [name]: { 'Delete?': 'yes' } })
      await changed(name, values)
      const more = { ...theirs, all_or_nothing: 'true' }
      const failed = await failedOf(way, file, more)
      await failedOf(way, await edit(failed, { A: { price: 1 } }), more)
      expect(Object.keys(await stored())).toEqual(['A', 'B', 'C'])
    }
  })

  test('a value that cannot be read is no error if the database counts', async () => {
    const file = await edit(await exported(), { B: { price: 'x', size: 7 } })
    await changed('B', { price: '3.30' })
    const more = { on_conflict: 'theirs' }
    const answer = await api.post('/goods/import-from-file/', undefined, importForm(file, { filename: 'a.xlsx', more }))
    expect(answer.data()).toMatchObject({ failed: 0, updated: 1 })
    expect(await stored()).toMatchObject({ B: ['3.30', 7] })
  })

  test.each(['fail', 'yours'])('the edited values count otherwise: %s', async onConflict => {
    const file = await edit(await exported(), { A: { price: 'x' }, B: { price: 4 } })
    await changed('B', { price: '3.30' })
    const more = { on_conflict: onConflict, all_or_nothing: 'true', failed_rows: 'true' }
    const failed = await failedOf('at once', file, more)
    await failedOf('at once', await edit(failed, { A: { price: 2 } }), more)
    expect(await stored()).toEqual({ A: ['2.00', 1], B: ['4.00', 1], C: ['1.00', 1] })
  })
})
