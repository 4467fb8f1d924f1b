import { eq } from 'drizzle-orm'
import {
  AllowAny,
  BaseModelSerializer,
  BulkImportableViewSet,
  currentDb,
  HistoryModelMixin,
  IsAuthenticated,
  importForeignKey,
  importModel,
  insertMany,
  type ModelRecord,
  PermissionDenied,
  skipRow,
  type User,
  ValidationError,
} from 'viewset'
import { beforeEach, describe, expect, test } from 'vitest'
import type { JobData } from '../../src/viewset/jobs/job-data.ts'
import { type RequestOptions, useApi } from '../support/api.ts'
import { describeDialects, describeOneDialect, type TestDialect } from '../support/dialects.ts'
import { type EditableRow, editedWorkbook } from '../support/edited-workbook.ts'
import { ManualQueue } from '../support/manual-queue.ts'
import { MemoryJobFiles } from '../support/memory-job-files.ts'
import { form } from '../support/multipart.ts'

const ID = 'ID (do not change)'

/** An API over people of two firms, and its files for editing. */
function useStaff(dialect: TestDialect) {
  const { kit } = dialect
  const teams = kit.table('teams', { id: kit.integer().primaryKey(), name: kit.text(20).notNull().unique() })
  const staff = kit.table('staff', {
    id: kit.integer().primaryKey(),
    firm: kit.text(10).notNull(),
    name: kit.text(20).notNull().unique(),
    slug: kit.text(20).notNull(),
    salary: kit.decimal(10, 2),
    pin: kit.text(10),
    starts: kit.date(),
    ends: kit.date(),
    team: kit.foreignKey(teams),
  })
  const history = kit.HistoryTable(staff)
  const jobTables = kit.JobTables()
  const fields = ['id', 'name', 'slug', 'salary', 'pin', 'starts', 'ends', 'team'] as const
  const Full = BaseModelSerializer(staff, { name: 'Full', fields, writeOnly: ['pin'] })
  const Public = BaseModelSerializer(staff, { name: 'Public', fields: ['id', 'name', 'slug', 'team'] })
  const firmOf = (user: User | null) => user?.roles?.[0] ?? 'visitors'
  const isChief = (user: User | null) => user?.roles?.includes('chief') === true

  class StaffViewSet extends BulkImportableViewSet.add(HistoryModelMixin)({
    model: staff,
    serializer: Full,
    serializers: [Full, Public],
    permissionClasses: [AllowAny],
    historyPermissionClasses: [AllowAny],
    importPermissionClasses: [IsAuthenticated],
    tenant: { column: 'firm', of: ({ user }) => firmOf(user) },
    ordering: 'id',
    importTransforms: { salary: value => (value === 'none' ? null : value) },
    importFileConfig: {
      fileFormat: ['csv', 'xlsx'],
      order: ['staff'],
      locale: 'de',
      prepareRow(row) {
        if (row.name === 'skip') return skipRow
        if (row.starts && row.ends && String(row.ends) < String(row.starts)) {
          throw new ValidationError({ ends: ['It ends before it starts.'] })
        }
        return row
      },
      models: {
        staff: importModel({
          model: staff,
          fields: ['name', 'salary', 'pin', 'starts', 'ends'],
          uniqueFields: ['name'],
          computedFields: { slug: row => String(row.name).toLowerCase() },
          foreignKeys: { team: importForeignKey({ model: teams, lookupField: 'name', sourceField: 'team' }) },
        }),
      },
    },
  }) {
    override getSerializer() {
      return isChief(this.user) ? Full : Public
    }

    override async checkObjectPermissions(record: ModelRecord<typeof staff>) {
      if (record.name === 'Locked') throw new PermissionDenied('This person is locked.')
    }
  }
  /** Everyone may export, and only a chief may change records. */
  const ReadersViewSet = BulkImportableViewSet({
    model: staff,
    serializer: Public,
    permissionClasses: [({ action, user }) => action === 'export' || isChief(user)],
    tenant: { column: 'firm', of: ({ user }) => firmOf(user) },
    importFileConfig: {
      fileFormat: ['csv', 'xlsx'],
      order: ['staff'],
      models: { staff: importModel({ model: staff, fields: ['name', 'slug'], uniqueFields: ['name'] }) },
    },
  })
  const queue = new ManualQueue()
  const api = useApi(dialect, {
    tables: { teams, staff, ...history, ...jobTables },
    users: {
      chief: { id: 'c', roles: ['north', 'chief'] },
      clerk: { id: 'k', roles: ['north'] },
      other: { id: 'o', roles: ['south', 'chief'] },
    },
    jobs: { tables: jobTables, queue, files: new MemoryJobFiles() },
    resources: { staff: StaffViewSet, readers: ReadersViewSet },
  })
  const chief = { as: 'chief' } as const
  beforeEach(() =>
    api.database.transaction(async () => {
      await insertMany(teams, [
        { id: 1, name: 'Red' },
        { id: 2, name: 'Blue' },
      ])
      await insertMany(staff, [
        { id: 101, firm: 'north', name: 'Ada', slug: 'ada', salary: '1000.50', pin: '1', team: 1 },
        { id: 102, firm: 'north', name: 'Locked', slug: 'locked', salary: '2000.00', starts: '2026-01-01' },
        { id: 103, firm: 'south', name: 'Bob', slug: 'bob', salary: '3000.00' },
      ])
    }),
  )

  const exported = async (options: RequestOptions = chief) => {
    const answer = await api.post('/staff/export/', { file_type: 'xlsx', for_editing: true }, options)
    expect(answer.status).toBe(200)
    return answer.bytes
  }
  const send = (content: Buffer, options: RequestOptions = chief, parts: Readonly<Record<string, string>> = {}) => {
    const named = Object.entries({ append_data: 'true', ...parts }).map(([name, value]) => ({ name, value }))
    const sent = form({ name: 'file', filename: 'staff.xlsx', content }, ...named)
    return api.post('/staff/import-from-file/', undefined, { ...options, ...sent })
  }
  const edited = async (change: (row: EditableRow) => void, bytes?: Buffer) =>
    editedWorkbook(bytes ?? (await exported()), rows => {
      for (const row of rows) change(row)
      return rows
    })
  const ofAda = (values: EditableRow) => (row: EditableRow) => {
    if (row.name === 'Ada') Object.assign(row, values)
  }
  const stored = async (id: number) => {
    const [row] = await api.database.use(() => currentDb().select().from(staff).where(eq(staff.id, id)))
    return row
  }

  return { api, staff, queue, chief, exported, send, edited, ofAda, stored }
}

describeDialects('the import of an edited file', dialect => {
  const { api, staff, queue, chief, exported, send, edited, ofAda, stored } = useStaff(dialect)

  test('leads to no record of another tenant, also by its key', async () => {
    const file = await edited(() => {})
    const answer = await send(await edited(ofAda({ salary: 1 })), { as: 'other' })
    expect(answer.data()).toMatchObject({ failed: 1, updated: 0 })
    expect(answer.text).toContain('There is no such record any longer, or you may not see it.')
    expect((await send(file, { as: 'other' })).data()).toMatchObject({ failed: 0, unchanged: 2 })
    const forged = await editedWorkbook(file, rows => rows.map(row => ({ ...row, [ID]: 103, name: 'x' })))
    expect((await send(forged)).data()).toMatchObject({ failed: 2 })
    expect(await stored(101)).toMatchObject({ salary: '1000.50' })
    expect(await stored(103)).toMatchObject({ name: 'Bob' })
  })

  test('can exchange unique values, and gives a released one to a new record', async () => {
    const file = await editedWorkbook(await exported(), rows => [
      ...rows.map(row => (row.name === 'Ada' ? { ...row, name: 'Eve' } : row)),
      { name: 'Ada' },
    ])
    expect((await send(file)).data()).toMatchObject({ created: 1, updated: 1, failed: 0 })
  })

  test('has a history, and can be undone', async () => {
    const answer = await send(await edited(ofAda({ salary: 1 })))
    const { job } = answer.data<{ job: string }>()
    const entries = (await api.get('/staff/101/history/', chief)).data<{ source: string; before: object }[]>()
    expect(entries[0]).toMatchObject({ source: 'import', before: { salary: '1000.50' } })
    const undo = await api.post(`/jobs/${job}/undo/`, {}, chief)
    expect(undo.status).toBe(202)
    await queue.run(undo.data<JobData>().id)
    expect(await stored(101)).toMatchObject({ salary: '1000.50' })
  })

  test('runs in the background, with its failed rows and its choice for conflicts', async () => {
    const file = await edited(row => Object.assign(row, { salary: 9 }))
    await api.database.transaction(() => currentDb().update(staff).set({ salary: '8.00' }).where(eq(staff.id, 101)))
    const run = async (parts: Readonly<Record<string, string>>) => {
      const answer = await send(file, chief, { background: 'true', ...parts })
      expect(answer.status).toBe(202)
      const { id } = answer.data<JobData>()
      await queue.run(id)
      return [id, (await api.get(`/jobs/${id}/`, chief)).data<JobData>()] as const
    }
    const [id, job] = await run({})
    expect(job).toMatchObject({ state: 'succeeded', result: { failed: 2, updated: 0 } })
    const failed = await api.get(`/jobs/${id}/file/`, chief)
    await editedWorkbook(failed.bytes, rows => {
      expect(rows.map(row => [row[ID], row.salary])).toEqual([
        ['101', 9],
        ['102', 9],
      ])
      return rows
    })
    expect((await run({ on_conflict: 'yours' }))[1]).toMatchObject({ result: { failed: 1, updated: 1 } })
    expect(await stored(101)).toMatchObject({ salary: '9.00' })
  })
})

describeOneDialect('the import of an edited file', dialect => {
  const { api, staff, queue, chief, exported, send, edited, ofAda, stored } = useStaff(dialect)

  test('takes values as people write them: by locale, and by transforms', async () => {
    await send(await edited(ofAda({ salary: '1.234,5', team: 'Blue' })))
    expect(await stored(101)).toMatchObject({ salary: '1234.50', team: 2 })
    await send(await edited(ofAda({ salary: 'none' })))
    expect(await stored(101)).toMatchObject({ salary: null, team: 2 })
  })

  test('takes the locale of the form before that of the configuration', async () => {
    const file = await edited(ofAda({ salary: '1,234.5' }))
    expect((await send(file)).data()).toMatchObject({ failed: 1, errors: [{ field: 'salary' }] })
    expect((await send(file, chief, { locale: 'en-US' })).data()).toMatchObject({ failed: 0, updated: 1 })
    expect(await stored(101)).toMatchObject({ salary: '1234.50' })
  })

  test('has values of the application for reading only, and no secrets', async () => {
    await edited(row => {
      expect(Object.keys(row)).toEqual([ID, 'Delete?', 'name', 'salary', 'starts', 'ends', 'team', 'Slug'])
    })
    await send(await edited(ofAda({ name: 'Ada B' })))
    expect(await stored(101)).toMatchObject({ name: 'Ada B', slug: 'ada', pin: '1' })
    const more = await editedWorkbook(await exported(), rows => [...rows, { name: 'New' }])
    expect((await send(more)).data()).toMatchObject({ created: 1 })
    const [made] = await api.database.use(() => currentDb().select().from(staff).where(eq(staff.name, 'New')))
    expect(made).toMatchObject({ slug: 'new', firm: 'north' })
  })

  test('shows each row to prepareRow, if it was edited', async () => {
    const wrong = await send(await edited(ofAda({ starts: '2026-02-02', ends: '2026-01-01' })))
    expect(wrong.data()).toMatchObject({ failed: 1, errors: [{ field: 'ends', message: 'It ends before it starts.' }] })
    const left = await send(await edited(ofAda({ name: 'skip' })))
    expect(left.data()).toMatchObject({ skipped: 1, unchanged: 1, updated: 0 })
    expect(await stored(101)).toMatchObject({ name: 'Ada', starts: null })
  })

  test('keeps to the permissions of records, also for a user who may change no record', async () => {
    const answer = await send(await edited(row => Object.assign(row, { salary: 5 })))
    expect(answer.data()).toMatchObject({ updated: 1, failed: 1, errors: [{ message: 'This person is locked.' }] })
    const body = { file_type: 'xlsx', for_editing: true }
    expect((await api.post('/staff/export/', body)).status).toBe(401)
    expect((await send(await exported(), {})).status).toBe(401)
  })

  test('needs the permission of the resource to import, also in the background', async () => {
    for (const path of ['/readers/export/', '/readers/export/?background=true']) {
      const statusOf = async (body: object, options?: RequestOptions) =>
        (await api.post(path, { file_type: 'xlsx', ...body }, options)).status
      expect(await statusOf({ for_editing: true })).toBe(401)
      expect(await statusOf({ for_editing: true }, { as: 'clerk' })).toBe(403)
      expect(await statusOf({ for_editing: true }, chief)).toBeLessThan(300)
      expect(await statusOf({}, { as: 'clerk' })).toBeLessThan(300)
    }
    expect((await api.post('/readers/export/', { file_type: 'xlsx' })).status).toBe(200)
  })

  test('neither shows nor writes a hidden field', async () => {
    const clerk = { as: 'clerk' } as const
    await editedWorkbook(await exported(clerk), rows => {
      expect(Object.keys(rows[0] ?? {})).toEqual([ID, 'Delete?', 'name', 'team', 'Slug'])
      return rows
    })
    const ofChief = await edited(ofAda({ salary: 1, name: 'Ada B' }))
    await api.database.transaction(() => currentDb().update(staff).set({ salary: '76543.21' }).where(eq(staff.id, 101)))
    const answer = await send(ofChief, clerk)
    expect(answer.data()).toMatchObject({ updated: 1, failed: 0 })
    expect(answer.data()).toMatchObject({ warnings: [{ row: 2, field: 'salary', column: 'salary' }] })
    expect(answer.text).not.toContain('76543.21')
    expect(await stored(101)).toMatchObject({ name: 'Ada B', salary: '76543.21' })
  })

  test('is exported in the background, too', async () => {
    const body = { file_type: 'xlsx', for_editing: true }
    const answer = await api.post('/staff/export/?background=true', body, chief)
    const { id } = answer.data<JobData>()
    await queue.run(id)
    const { bytes } = await api.get(`/jobs/${id}/file/`, chief)
    expect((await send(await edited(ofAda({ salary: 4 }), bytes))).data()).toMatchObject({ updated: 1 })
  })

  describe('a preview', () => {
    const preview = async (content: Buffer) => {
      const sent = form({ name: 'file', filename: 'staff.xlsx', content })
      const answer = await api.post('/staff/import-preview/', undefined, { ...chief, ...sent })
      expect(answer.status).toBe(200)
      return answer.data()
    }

    test('shows the edited sheet, and the number of rows that would delete a record', async () => {
      const shown = await preview(await edited(ofAda({ 'Delete?': 'x' })))
      expect(shown).toMatchObject({ marked: 1, problems: [], sheets: [{ name: 'staff', problems: [] }] })
      expect(await preview(await edited(() => {}))).toMatchObject({ marked: 0 })
    })

    test('accepts a file without a required column, as its import does', async () => {
      const fewer = await editedWorkbook(
        await exported(),
        rows => rows,
        headers => headers.filter(name => name !== 'name'),
      )
      expect(await preview(fewer)).toMatchObject({ problems: [], sheets: [{ missing: [], problems: [] }] })
      expect((await send(fewer)).data()).toMatchObject({ unchanged: 2 })
    })

    test('has the reasons why an import would refuse the file', async () => {
      const renamed = await editedWorkbook(
        await exported(),
        rows => rows.map(row => ({ ...row, Person: row.name ?? null })),
        headers => headers.map(name => (name === 'name' ? 'Person' : name)),
      )
      const { problems } = (await preview(renamed)) as { problems: string[] }
      const refused = await send(renamed)
      expect([refused.status, refused.envelope().errors]).toEqual([400, { file: problems }])
      expect(problems).toEqual([expect.stringContaining('Give the columns their old headers.')])
    })
  })
})
