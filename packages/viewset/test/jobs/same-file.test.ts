import {
  AllowAny,
  BaseModelSerializer,
  BulkImportableViewSet,
  currentDb,
  ImportableViewSet,
  type ImportCells,
  IsAdminUser,
  importModel,
  type RowContext,
} from 'viewset'
import { describe, expect, test } from 'vitest'
import type { JobData } from '../../src/viewset/jobs/job-data.ts'
import { useApi } from '../support/api.ts'
import { describeDialects } from '../support/dialects.ts'
import { ManualQueue } from '../support/manual-queue.ts'
import { MemoryJobFiles } from '../support/memory-job-files.ts'
import { form } from '../support/multipart.ts'

interface Warning {
  readonly row: number | null
  readonly field: string
  readonly message: string
  readonly code?: string
  readonly model: string | null
  readonly job?: string
}
interface Result {
  readonly job?: string
  readonly created: number
  readonly failed: number
  readonly warned?: number
  readonly warnings?: readonly Warning[]
}

const users = {
  ann: { id: 'ann', firm: 'a', roles: [] },
  ben: { id: 'ben', firm: 'a', roles: [] },
  chief: { id: 'chief', firm: 'a', roles: ['admin'] },
  moved: { id: 'ann', firm: 'b', roles: [] },
  blind: { id: 'ann', firm: 'a', roles: ['noJobs'] },
}

describeDialects('a file that was imported before', dialect => {
  const { kit: c } = dialect
  const towns = c.table('towns', { id: c.integer().primaryKey(), name: c.text(30).notNull().unique() })
  const goods = c.table('goods', { id: c.integer().primaryKey(), name: c.text(30).notNull().unique() })
  const firms = c.table('firms', {
    id: c.integer().primaryKey(),
    name: c.text(30).notNull(),
    firm: c.text(5).notNull(),
  })
  const jobTables = c.JobTables()
  const { jobs } = jobTables
  const queue = new ManualQueue()
  const configOf = (model: typeof towns, skipUnchanged = false) => ({
    model,
    serializer: BaseModelSerializer(model, { fields: ['id', 'name'] }),
    permissionClasses: [AllowAny],
    tenant: false as const,
    importFileConfig: {
      fileFormat: 'csv' as const,
      order: ['rows'] as const,
      prepareRow: (row: ImportCells, { warn }: RowContext) => {
        if (row.name === 'Odd') warn('name', 'An odd name.')
        return row
      },
      models: { rows: importModel({ model, fields: ['name'], uniqueFields: ['name'], skipUnchanged }) },
    },
  })
  const api = useApi(dialect, {
    tables: { towns, goods, firms, ...c.HistoryTable(towns), ...jobTables },
    users,
    resources: {
      towns: BulkImportableViewSet(configOf(towns)),
      others: BulkImportableViewSet(configOf(towns, true)),
      // Without a history, an import is a job only in the background.
      goods: ImportableViewSet(configOf(goods as unknown as typeof towns)),
      firms: ImportableViewSet({
        model: firms,
        serializer: BaseModelSerializer(firms, { fields: ['id', 'name'] }),
        permissionClasses: [AllowAny],
        tenant: { column: 'firm', of: ({ user }) => Object(user).firm as string | undefined },
        importFileConfig: {
          fileFormat: 'csv',
          order: ['rows'],
          models: { rows: importModel({ model: firms, fields: ['name'], createOnly: true }) },
        },
      }),
    },
    jobs: {
      tables: jobTables,
      files: new MemoryJobFiles(),
      queue,
      permissionClasses: [({ user }) => !Object(user).roles?.includes('noJobs')],
      adminPermissionClasses: [IsAdminUser],
    },
    errorCodes: true,
  })

  const FILE = 'name\nOslo\nBergen\n'
  interface Sent {
    readonly as?: string
    readonly resource?: string
    readonly parts?: Readonly<Record<string, string>>
    readonly content?: string
    readonly headers?: Readonly<Record<string, string>>
  }
  const send = (action: string, { as = 'ann', resource = 'towns', parts = {}, content = FILE, headers }: Sent) => {
    const all = Object.entries(parts).map(([name, value]) => ({ name, value }))
    const sent = form({ name: 'file', filename: 'towns.csv', content }, ...all)
    const path = `/${resource}/${action}/`
    return api.request('POST', path, { ...sent, as, headers: { ...sent.headers, ...headers } })
  }
  const importing = async (sent: Sent = {}) =>
    (await send('import-from-file', { ...sent, parts: { append_data: 'true', ...sent.parts } })).data<Result>()
  const previewed = async (sent: Sent = {}) =>
    (await send('import-preview', sent)).data<{ warnings?: readonly Warning[] }>().warnings
  const inBackground = async (sent: Sent = {}) => {
    const parts = { append_data: 'true', background: 'true', ...sent.parts }
    const { id } = (await send('import-from-file', { ...sent, parts })).data<JobData>()
    await queue.run(id)
    return (await api.get(`/jobs/${id}/`, { as: sent.as ?? 'ann' })).data<JobData>()
  }
  const undo = async (job: string, as = 'ann') => {
    const { id } = (await api.post(`/jobs/${job}/undo/`, undefined, { as })).data<JobData>()
    await queue.run(id)
    return id
  }
  const today = () => new Date().toISOString().slice(0, 10)
  const started = today()
  /** A pattern for the day of an import, also if midnight is in the middle of a test. */
  const day = () => `(${started}|${today()})`
  const warningOf = (job: string | undefined) => ({
    row: null,
    field: 'file',
    message: expect.stringMatching(`^This file was imported on ${day()} already, by the job ${job}\\.$`),
    code: 'imported_before',
    model: null,
    job,
  })

  test('is a warning of its preview and of its next import, which name job and day', async () => {
    const { job, ...first } = await importing()
    expect(first).not.toHaveProperty('warnings')
    const warning = warningOf(job)
    expect(await previewed()).toEqual([warning])
    const again = await importing()
    expect(again).toMatchObject({ created: 0, failed: 0, warnings: [warning] })
    expect(again).not.toHaveProperty('warned')
    expect(again).not.toHaveProperty('warning_groups')
    const stored = (await api.get(`/jobs/${again.job}/`, { as: 'ann' })).data<JobData>()
    expect(stored.result).toMatchObject({ warnings: [warning] })
  })

  test('is a warning of a dry run too', async () => {
    const { job } = await importing()
    const { warnings } = await importing({ parts: { dry_run: 'true' } })
    expect(warnings).toEqual([warningOf(job)])
  })

  test('has its warning before those of rows', async () => {
    const content = 'name\nOslo\nOdd\n'
    const { job } = await importing({ content })
    const { warnings, warned } = await importing({ content })
    expect([warnings?.[0], warnings?.[1]?.row, warned]).toEqual([warningOf(job), 3, 1])
  })

  describe('with a file of failed rows', () => {
    const LONG = 'x'.repeat(31)
    const resultOf = async (sent: Sent) => {
      const { status, headers } = await send('import-from-file', {
        ...sent,
        parts: { append_data: 'true', failed_rows: 'true' },
      })
      expect(status).toBe(207)
      const text = String(headers['x-import-result'])
      return { text, ...(JSON.parse(text) as Result & { readonly warnings_truncated?: boolean }) }
    }

    test('is a warning in the header', async () => {
      const content = `name\nOslo\nOdd\n${LONG}\n`
      const { job, ...first } = await resultOf({ content })
      expect(first.warnings).toEqual([expect.objectContaining({ row: 3, message: 'An odd name.' })])
      const again = await resultOf({ content })
      expect(again).toMatchObject({ failed: 1, warned: 1, warnings: [warningOf(job), { row: 3 }] })
      expect(again).not.toHaveProperty('warnings_truncated')
    })

    test('can be undone by the job in the header', async () => {
      const content = `name\nOslo\n${LONG}\n`
      const { job = '' } = await resultOf({ content })
      await undo(job, 'chief')
      expect((await api.get('/towns/')).data()).toEqual([])
    })

    test('has the first warnings in the header, which stays small', async () => {
      const content = `name\n${LONG}\n${'Odd\n'.repeat(1_500)}`
      const { job } = await resultOf({ content })
      const { text, warned, warnings, ...others } = await resultOf({ content, headers: { 'accept-language': 'ja' } })
      expect(Buffer.byteLength(text)).toBeLessThan(3_500)
      expect(text).toMatch(/^[\x20-\x7e]+$/)
      expect([warned, others.warnings_truncated, warnings?.[0]?.job]).toEqual([1_500, true, job])
      expect(warnings?.length).toBeGreaterThan(2)
    })
  })

  test('is reported in the language of the client', async () => {
    const { job } = await importing()
    const german = await previewed({ headers: { 'accept-language': 'de' } })
    expect(german?.[0]?.message).toMatch(
      new RegExp(`^Diese Datei wurde schon am ${day()} importiert, vom Auftrag ${job}\\.$`),
    )
  })

  test('does not fail, also with fail_on_warnings', async () => {
    await importing()
    expect(await importing({ parts: { fail_on_warnings: 'true' } })).toMatchObject({ failed: 0 })
  })

  test('is a warning of a job, about a job', async () => {
    const first = await inBackground({ resource: 'goods' })
    expect(first.result).not.toHaveProperty('warnings')
    const warning = warningOf(first.id)
    expect((await importing({ resource: 'goods' })).warnings).toEqual([warning])
    expect((await inBackground({ resource: 'goods' })).result).toMatchObject({ warnings: [warning] })
  })

  test('is named by the last job that stored something', async () => {
    const resource = 'others'
    await importing({ resource })
    const ids = (await api.get('/towns/')).data<{ id: number }[]>().map(({ id }) => id)
    await api.delete('/towns/bulk-delete/', { body: ids })
    const { job } = await importing({ resource })
    // All rows are stored already.
    await importing({ resource })
    expect((await importing({ resource })).warnings).toEqual([warningOf(job)])
  })

  describe('gives no warning', () => {
    test.each([
      ['other bytes', { content: 'name\nOslo\nBergen \n' }],
      ['another resource', { resource: 'others' }],
      ['another user', { as: 'ben' }],
      ['a user who may not see jobs', { as: 'blind' }],
    ])('for %s', async (_, sent) => {
      await importing()
      expect(await previewed(sent)).toBeUndefined()
    })

    test('without a user', async () => {
      const sent = form({ name: 'file', filename: 'towns.csv', content: FILE }, { name: 'append_data', value: 'true' })
      await api.request('POST', '/towns/import-from-file/', sent)
      const again = await api.request('POST', '/towns/import-from-file/', sent)
      expect(again.data()).not.toHaveProperty('warnings')
    })

    test('after a dry run', async () => {
      await importing({ parts: { dry_run: 'true' } })
      await inBackground({ parts: { dry_run: 'true' } })
      expect(await previewed()).toBeUndefined()
    })

    test('after an import that stored nothing', async () => {
      const content = `name\n${'x'.repeat(31)}\n`
      await importing({ content })
      await inBackground({ content })
      await importing({ content: `${FILE}${'x'.repeat(31)}\n`, parts: { all_or_nothing: 'true' } })
      expect(await previewed({ content })).toBeUndefined()
      expect(await previewed({ content: `${FILE}${'x'.repeat(31)}\n` })).toBeUndefined()
    })

    test('before a job has begun', async () => {
      await send('import-from-file', { parts: { append_data: 'true', background: 'true' } })
      expect(await previewed()).toBeUndefined()
    })

    test('after an undo, and gives it again after the undo of the undo', async () => {
      const { job = '' } = await importing()
      await api.post(`/jobs/${job}/undo/?dry_run=true`, undefined, { as: 'ann' })
      expect(await previewed()).toEqual([warningOf(job)])
      const undone = await undo(job, 'chief')
      expect(await previewed()).toBeUndefined()
      await undo(undone, 'chief')
      expect(await previewed()).toEqual([warningOf(job)])
    })

    test('in another tenant', async () => {
      const first = await inBackground({ resource: 'firms' })
      expect(await previewed({ resource: 'firms', as: 'moved' })).toBeUndefined()
      expect(await previewed({ resource: 'firms' })).toEqual([warningOf(first.id)])
    })
  })

  test('is a warning for an admin of jobs, also if another user imported it', async () => {
    const { job } = await importing()
    expect(await previewed({ as: 'chief' })).toEqual([warningOf(job)])
  })

  test('costs one statement, which uses an index', async () => {
    await importing()
    const statements = await api.statementsOf(() => previewed())
    const looking = statements.filter(text => text.includes('viewset_jobs'))
    if (dialect.name === 'pg') return expect(looking).toEqual([])
    expect(looking).toHaveLength(1)
    const connection = await api.database.driver.begin()
    const values = Array.from(looking[0]?.matchAll(/[?]/g) ?? [], () => 1n)
    const { rows } = await connection.run({ text: `explain query plan ${looking[0]}` }, values)
    await connection.rollback()
    expect(rows.map(row => row.at(-1)).join()).toMatch(/USING INDEX \S*fingerprint/)
  })

  test('is not known to a job of an earlier release', async () => {
    await importing()
    await api.database.use(() => currentDb().update(jobs).set({ fingerprint: null }))
    expect(await previewed()).toBeUndefined()
  })
})
