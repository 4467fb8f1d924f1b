import { eq, ne } from 'drizzle-orm'
import { readXlsx } from 'hucre/xlsx'
import {
  AllowAny,
  BaseModelSerializer,
  BulkImportableViewSet,
  CreateModelMixin,
  compose,
  currentDb,
  FileExportMixin,
  FileImportMixin,
  HistoryModelMixin,
  importForeignKey,
  importModel,
  insertMany,
  ListModelMixin,
  type ModelRecord,
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
const MARK = 'Delete?'
const DELETE = { delete_marked: 'true' } as const

const idOf = (code: string) => `00000000-0000-4000-8000-00000000000${code}`

/** An API over groups and folders, and what people do with its files. */
function useGroups(dialect: TestDialect) {
  const { kit } = dialect
  const groups = kit.table('groups', {
    ...kit.BaseModelMixin(),
    name: kit.text(20).notNull(),
    code: kit.text(10).unique(),
    amount: kit.integer(),
    parent: kit.foreignKey('self'),
  })
  const uses = kit.table('uses', { id: kit.integer().primaryKey(), group: kit.foreignKey(groups).notNull() })
  const folders = kit.table('folders', {
    ...kit.BaseModelMixin(),
    name: kit.text(20).notNull().unique(),
    parent: kit.foreignKey('self', { onDelete: 'cascade' }),
  })
  const history = kit.HistoryTable(groups)
  const jobTables = kit.JobTables()
  const config = {
    model: groups,
    serializer: BaseModelSerializer(groups, { fields: ['id', 'name', 'code', 'amount', 'parent'] }),
    permissionClasses: [AllowAny],
    ordering: 'code',
    exportFieldConfig: { amount: 'Amount (EUR)' },
    importFileConfig: {
      fileFormat: ['csv', 'xlsx'],
      order: ['groups'],
      models: {
        groups: importModel({
          model: groups,
          fields: ['name', 'code', 'amount'],
          uniqueFields: ['code'],
          foreignKeys: { parent: importForeignKey({ model: groups, lookupField: 'code', sourceField: 'parent' }) },
        }),
      },
    },
  } as const
  const Groups = BulkImportableViewSet.add(HistoryModelMixin)({ ...config, historyPermissionClasses: [AllowAny] })
  const Soft = BulkImportableViewSet({ ...config, softDelete: true })
  const Undeletable = compose(ListModelMixin, CreateModelMixin, FileExportMixin, FileImportMixin)(config)
  const ChiefsDelete = BulkImportableViewSet({
    ...config,
    permissionClasses: [view => view.method !== 'DELETE' || view.user?.id === 'chief'],
  })
  const Guarded = BulkImportableViewSet({
    ...config,
    permissionClasses: [
      {
        hasPermission: () => true,
        hasObjectPermission: (view: { action: string }, { code }: ModelRecord<typeof groups>) =>
          view.action !== 'destroy' || code !== 'b',
      },
    ],
  })
  class Scoped extends BulkImportableViewSet(config) {
    override async getQueryset() {
      const all = await super.getQueryset()
      return this.action === 'destroy' ? all.filter(ne(groups.code, 'b')) : all
    }
  }
  const queue = new ManualQueue()
  const api = useApi(dialect, {
    tables: { groups, uses, folders, ...history, ...jobTables },
    users: { chief: { id: 'chief' }, clerk: { id: 'clerk' } },
    jobs: { tables: jobTables, queue, files: new MemoryJobFiles() },
    resources: {
      groups: Groups,
      folders: BulkImportableViewSet({
        model: folders,
        serializer: BaseModelSerializer(folders, { fields: ['id', 'name', 'parent'] }),
        permissionClasses: [AllowAny],
        ordering: 'name',
        importFileConfig: {
          fileFormat: 'xlsx',
          order: ['folders'],
          models: { folders: importModel({ model: folders, fields: ['name'], uniqueFields: ['name'] }) },
        },
      }),
      soft: Soft,
      undeletable: Undeletable,
      'of-chiefs': ChiefsDelete,
      guarded: Guarded,
      scoped: Scoped,
    },
  })
  beforeEach(() =>
    api.database.transaction(async () => {
      await insertMany(
        groups,
        ['a', 'b', 'c', 'd'].map((code, at) => ({ id: idOf(code), name: `Group ${code}`, code, amount: at })),
      )
    }),
  )
  const exported = async (resource = 'groups', options: RequestOptions = {}) => {
    const answer = await api.post(`/${resource}/export/`, { file_type: 'xlsx', for_editing: true }, options)
    expect(answer.status).toBe(200)
    return answer.bytes
  }
  type Parts = Readonly<Record<string, string>>
  const send = (content: Buffer, parts: Parts = DELETE, resource = 'groups', options: RequestOptions = {}) => {
    const named = Object.entries({ append_data: 'true', ...parts }).map(([name, value]) => ({ name, value }))
    const sent = form({ name: 'file', filename: 'groups.xlsx', content }, ...named)
    return api.post(`/${resource}/import-from-file/`, undefined, { ...options, ...sent })
  }
  /** The file with changes of its rows, by code. */
  const edited = async (changes: Readonly<Record<string, EditableRow>>, bytes?: Buffer, more: EditableRow[] = []) =>
    editedWorkbook(bytes ?? (await exported()), rows => [
      ...rows.map(row => ({ ...row, ...changes[String(row.code)] })),
      ...more,
    ])
  const codes = async () =>
    (await api.database.use(() => currentDb().select().from(groups)))
      .filter(({ isActive }) => isActive)
      .map(({ code }) => code)
      .toSorted()
  const update = (code: string, values: Partial<typeof groups.$inferInsert>) =>
    api.database.transaction(() => currentDb().update(groups).set(values).where(eq(groups.code, code)))
  const rowsOf = async (bytes: Buffer) => {
    const [sheet] = (await readXlsx(new Uint8Array(bytes))).sheets
    return sheet?.rows ?? []
  }

  return { api, groups, uses, folders, queue, exported, send, edited, codes, update, rowsOf }
}

describeDialects('rows of an edited file that are marked for deletion', dialect => {
  const { api, groups, uses, folders, queue, exported, send, edited, codes, update, rowsOf } = useGroups(dialect)

  test('delete their records', async () => {
    const answer = await send(await edited({ a: { [MARK]: ' JA ' }, b: { name: 'B', [MARK]: 'no' } }))
    expect([answer.status, answer.data()]).toMatchObject([
      201,
      { processed: 4, deleted: 1, updated: 1, unchanged: 2, created: 0, failed: 0, missing: 0 },
    ])
    expect(await codes()).toEqual(['b', 'c', 'd'])
    expect((await send(await exported())).data()).toMatchObject({ deleted: 0, unchanged: 3 })
  })

  test('delete as the resource does: softly', async () => {
    const file = await edited({ a: { [MARK]: 'x' } }, await exported('soft'))
    expect((await send(file, DELETE, 'soft')).data()).toMatchObject({ deleted: 1 })
    expect(await codes()).toEqual(['b', 'c', 'd'])
    expect(await api.rows('groups')).toHaveLength(4)
    expect((await send(file, DELETE, 'soft')).data()).toMatchObject({ deleted: 0, failed: 1 })
  })

  describe('whose record has changed since the export', () => {
    const conflicting = async () => {
      const file = await edited({ a: { [MARK]: 'x' }, b: { [MARK]: 'x' } })
      await update('a', { amount: 99, name: 'New' })
      return file
    }

    test('are conflicts', async () => {
      const answer = await send(await conflicting())
      expect(answer.data()).toMatchObject({
        deleted: 1,
        failed: 1,
        errors: [
          {
            row: 2,
            field: 'non_field_errors',
            column: MARK,
            message:
              'This row is marked for deletion, but its record has changed since the export: "name" and "Amount (EUR)".',
          },
        ],
      })
      expect(await codes()).toEqual(['a', 'c', 'd'])
    })

    test('unless on_conflict says which counts', async () => {
      const file = await conflicting()
      const theirs = await send(file, { ...DELETE, on_conflict: 'theirs' })
      expect(theirs.data()).toMatchObject({ deleted: 1, unchanged: 3, failed: 0 })
      expect(await codes()).toEqual(['a', 'c', 'd'])
      const yours = await send(file, { ...DELETE, on_conflict: 'yours' })
      expect(yours.data()).toMatchObject({ deleted: 1, failed: 1 })
      expect(await codes()).toEqual(['c', 'd'])
    })

    test('are in the file of failed rows, which deletes when it is sent again', async () => {
      const failed = await send(await conflicting(), { ...DELETE, failed_rows: 'true' })
      const [header, row, ...others] = await rowsOf(failed.bytes)
      expect(header?.slice(0, 3)).toEqual(['Errors', ID, MARK])
      expect([row?.slice(1), others]).toEqual([[idOf('a'), 'x', 'New', 'a', 99, null], []])
      expect((await send(failed.bytes)).data()).toMatchObject({ deleted: 1, failed: 0, ignored_columns: [] })
    })
  })

  test('fail if another row has their key, if the file did not have it, or if the record is gone', async () => {
    const bytes = await exported()
    const twice = await editedWorkbook(bytes, ([first, ...rows]) => [
      { ...first, [MARK]: 'x' },
      { ...first, [MARK]: 'x' },
      { ...rows[0], [ID]: idOf('e'), [MARK]: 'x' },
      ...rows,
    ])
    const answer = await send(twice)
    expect(answer.data()).toMatchObject({ deleted: 0, failed: 3, unchanged: 3 })
    const file = await edited({ a: { [MARK]: 'x' } }, bytes)
    expect((await send(file)).data()).toMatchObject({ deleted: 1 })
    expect((await send(file)).data()).toMatchObject({ deleted: 0, failed: 1 })
  })

  test('that other records refer to are row errors, and all others are deleted', async () => {
    await api.database.transaction(() => insertMany(uses, [{ id: 1, group: idOf('b') }]))
    const marked = { [MARK]: 'x' }
    const answer = await send(await edited({ a: marked, b: marked, c: marked, d: { name: 'D' } }))
    expect(answer.data()).toMatchObject({ deleted: 2, updated: 1, failed: 1, errors: [{ row: 3 }] })
    expect(await codes()).toEqual(['b', 'd'])
  })

  test('delete a record and those that refer to it, also if the database deletes these with it', async () => {
    await update('b', { parent: idOf('a') })
    await update('c', { parent: idOf('b') })
    const mark = (row: EditableRow) => ({ ...row, [MARK]: row.code === 'd' ? null : 'x' })
    const all = await editedWorkbook(await exported(), rows => rows.map(mark))
    expect((await send(all)).data()).toMatchObject({ deleted: 3, unchanged: 1, failed: 0 })
    await api.database.transaction(() =>
      insertMany(folders, [
        { id: idOf('a'), name: 'a' },
        { id: idOf('b'), name: 'b', parent: idOf('a') },
        { id: idOf('c'), name: 'c', parent: idOf('b') },
      ]),
    )
    const tree = await editedWorkbook(await exported('folders'), rows => rows.map(mark))
    expect((await send(tree, DELETE, 'folders')).data()).toMatchObject({ deleted: 3, failed: 0 })
    expect(await api.rows('folders')).toEqual([])
  })

  test('release their unique values and records: other rows may take these in the same file', async () => {
    await update('b', { parent: idOf('a') })
    const file = await edited({
      a: { [MARK]: 'x' },
      b: { parent: 'c' },
      c: { [MARK]: null, code: 'd', name: 'Was c' },
      d: { [MARK]: 'x' },
    })
    const answer = await send(file)
    // The reference to "c" is looked up before "c" becomes "d".
    expect(answer.data()).toMatchObject({ deleted: 2, updated: 2, failed: 0 })
    const left = await api.database.use(() => currentDb().select().from(groups))
    expect(left.map(({ code, name }) => [code, name]).toSorted()).toEqual([
      ['b', 'Group b'],
      ['d', 'Was c'],
    ])
  })

  test('are tried by a dry run with a diff, and undone with the rest of the file', async () => {
    const file = await edited({ a: { [MARK]: 'x' }, b: { 'Amount (EUR)': 'many' } })
    const tried = await send(file, { ...DELETE, dry_run: 'true', diff: 'true' })
    expect(tried.data()).toMatchObject({
      deleted: 1,
      failed: 1,
      diff: { rows: [{ row: 2, action: 'delete', changes: { code: ['a', null] } }], totals: { delete: 1 } },
    })
    const none = await send(file, { ...DELETE, all_or_nothing: 'true' })
    expect(none.data()).toMatchObject({ deleted: 0, failed: 1, rolled_back: true })
    expect(await codes()).toHaveLength(4)
  })

  test('have a history, and an undo brings their records back', async () => {
    const before = await api.rows('groups')
    const answer = await send(await edited({ a: { [MARK]: 'x' }, b: { name: 'B' } }))
    const { job } = answer.data<{ job: string }>()
    expect(await codes()).toEqual(['b', 'c', 'd'])
    const undo = await api.post(`/jobs/${job}/undo/`, {})
    expect(undo.status).toBe(202)
    await queue.run(undo.data<JobData>().id)
    expect(await codes()).toEqual(['a', 'b', 'c', 'd'])
    const named = (rows: readonly object[]) => rows.map(row => Reflect.get(row, 'name')).toSorted()
    expect(named(await api.rows('groups'))).toEqual(named(before))
  })
})

describeOneDialect('the marks of an edited file', dialect => {
  const { api, groups, queue, exported, send, edited, codes, rowsOf } = useGroups(dialect)

  test('are marked in a column after the key, with a list of yes and no', async () => {
    const { sheets } = await readXlsx(new Uint8Array(await exported()))
    expect(sheets[0]?.rows[0]).toEqual([ID, MARK, 'name', 'code', 'Amount (EUR)', 'parent'])
    expect(sheets[0]?.dataValidations?.[0]).toMatchObject({ type: 'list', range: 'B2:B1048576' })
    const german = { headers: { 'accept-language': 'de' } }
    expect((await rowsOf(await exported('groups', german)))[0]?.[1]).toBe('Löschen?')
  })

  test('fail if their mark is unclear', async () => {
    const answer = await send(await edited({ a: { [MARK]: 'perhaps', name: 'A' }, b: { [MARK]: 'x' } }))
    expect(answer.data()).toMatchObject({
      deleted: 1,
      failed: 1,
      errors: [{ row: 2, column: MARK, message: 'Write "Yes" to delete this record, or empty the cell.' }],
    })
    expect(await codes()).toEqual(['a', 'c', 'd'])
  })

  describe('make the file a 400', () => {
    const message =
      '2 rows are marked for deletion. Send delete_marked=true to delete the records, or empty the column "Delete?".'

    test.each([{}, { dry_run: 'true' }, { background: 'true' }])('if delete_marked is missing: %j', async parts => {
      const file = await edited({ a: { [MARK]: 'x' }, b: { [MARK]: 'x' }, c: { name: 'C' } })
      const answer = await send(file, parts)
      expect([answer.status, answer.envelope().errors]).toEqual([400, { delete_marked: [message] }])
      expect((await send(file, { ...parts, delete_marked: 'false' })).status).toBe(400)
      const stored = await api.database.use(() => currentDb().select().from(groups))
      expect(stored.map(({ name }) => name)).not.toContain('C')
    })

    test('if the resource deletes no records; its own files have no such column', async () => {
      expect((await rowsOf(await exported('undeletable')))[0]).toEqual([ID, 'name', 'code', 'Amount (EUR)', 'parent'])
      const answer = await send(await edited({ a: { [MARK]: 'x' } }), DELETE, 'undeletable')
      expect([answer.status, answer.text]).toEqual([400, expect.stringContaining('This resource deletes no records.')])
      expect((await send(await exported('undeletable'), {}, 'undeletable')).data()).not.toHaveProperty('deleted')
    })
  })

  test('need the permission to delete', async () => {
    const [chief, clerk] = [{ as: 'chief' }, { as: 'clerk' }] as const
    expect((await rowsOf(await exported('of-chiefs', chief)))[0]).toContain(MARK)
    expect((await rowsOf(await exported('of-chiefs', clerk)))[0]).not.toContain(MARK)
    const file = await edited({ a: { [MARK]: 'x' }, b: { name: 'B' } })
    expect((await send(file, DELETE, 'of-chiefs', clerk)).status).toBe(403)
    expect((await send(file, { ...DELETE, background: 'true' }, 'of-chiefs', clerk)).status).toBe(403)
    expect(await codes()).toHaveLength(4)
    const unmarked = await edited({ b: { name: 'B' } })
    expect((await send(unmarked, DELETE, 'of-chiefs', clerk)).data()).toMatchObject({ updated: 1 })
    expect((await send(file, DELETE, 'of-chiefs', chief)).data()).toMatchObject({ deleted: 1 })
  })

  test('need the permission to delete their record, and a record that the delete finds', async () => {
    const file = await edited({ a: { [MARK]: 'x' }, b: { [MARK]: 'x' } })
    const guarded = await send(file, DELETE, 'guarded')
    expect(guarded.data()).toMatchObject({ deleted: 1, failed: 1, errors: [{ row: 3 }] })
    const scoped = await send(await edited({ b: { [MARK]: 'x' }, c: { [MARK]: 'x' } }), DELETE, 'scoped')
    expect(scoped.data()).toMatchObject({ deleted: 1, failed: 1, errors: [{ row: 2 }] })
    expect(scoped.text).toContain('There is no such record any longer, or you may not see it.')
    expect(await codes()).toEqual(['b', 'd'])
  })

  test('without a key create and delete nothing, with a warning', async () => {
    const file = await edited({}, undefined, [{ name: 'New', code: 'n', [MARK]: 'x' }])
    const answer = await send(file, {})
    expect([answer.status, answer.data()]).toMatchObject([
      201,
      { created: 0, deleted: 0, skipped: 1, unchanged: 4, warned: 1, warnings: [{ row: 6, column: MARK }] },
    ])
    const strict = await send(file, { fail_on_warnings: 'true' })
    expect(strict.data()).toMatchObject({ failed: 1, errors: [{ row: 6 }] })
    expect(await codes()).toHaveLength(4)
  })

  test('are deleted by a job', async () => {
    const chief = { as: 'chief' } as const
    const file = await edited({ a: { [MARK]: 'x' }, b: { name: 'B' } })
    const answer = await send(file, { ...DELETE, background: 'true' }, 'groups', chief)
    expect(answer.status).toBe(202)
    const { id } = answer.data<JobData>()
    await queue.run(id)
    const job = (await api.get(`/jobs/${id}/`, chief)).data<JobData>()
    expect(job).toMatchObject({ state: 'succeeded', progress: { deleted: 1, updated: 1, unchanged: 2, failed: 0 } })
    expect(await codes()).toEqual(['b', 'c', 'd'])
  })

  test('are not read from a file without the column', async () => {
    const bytes = await exported()
    const without = await editedWorkbook(
      bytes,
      rows => rows,
      headers => headers.filter(name => name !== MARK),
    )
    expect((await send(without, {})).data()).toMatchObject({ unchanged: 4, deleted: 0 })
  })
})
