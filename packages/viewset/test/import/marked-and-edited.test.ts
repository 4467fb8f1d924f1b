import { eq } from 'drizzle-orm'
import { readXlsx } from 'hucre/xlsx'
import {
  AllowAny,
  BaseModelSerializer,
  BulkImportableViewSet,
  currentDb,
  type ImportPreview,
  importModel,
  insertMany,
} from 'viewset'
import { beforeEach, describe, expect, test } from 'vitest'
import { useApi } from '../support/api.ts'
import { describeOneDialect } from '../support/dialects.ts'
import { type EditableRow, editedWorkbook } from '../support/edited-workbook.ts'
import { form } from '../support/multipart.ts'

const ID = 'ID (do not change)'
const MARK = 'Delete?'
const DELETE = { delete_marked: 'true' } as const

describeOneDialect('a row that is marked for deletion', dialect => {
  const { kit } = dialect
  const groups = kit.table('groups', {
    id: kit.integer().primaryKey(),
    name: kit.text(20).notNull(),
    code: kit.text(10).unique(),
    amount: kit.integer(),
    status: kit.text(20),
  })
  const tags = kit.table('tags', { id: kit.text(10).primaryKey(), name: kit.text(20).notNull() })
  const versioned = kit.table('versioned', {
    id: kit.integer().primaryKey(),
    name: kit.text(20).notNull(),
    hidden: kit.text(20),
    ...kit.VersionMixin(),
  })
  const api = useApi(dialect, {
    tables: { groups, tags, versioned },
    resources: {
      groups: BulkImportableViewSet({
        model: groups,
        serializer: BaseModelSerializer(groups, { fields: ['id', 'name', 'code', 'amount', 'status'] }),
        permissionClasses: [AllowAny],
        ordering: 'code',
        importFileConfig: {
          fileFormat: 'xlsx',
          order: ['groups'],
          models: {
            groups: importModel({ model: groups, fields: ['name', 'code', 'amount'], uniqueFields: ['code'] }),
          },
        },
      }),
      versioned: BulkImportableViewSet({
        model: versioned,
        serializer: BaseModelSerializer(versioned, { fields: ['id', 'name'] }),
        permissionClasses: [AllowAny],
        importFileConfig: {
          fileFormat: 'xlsx',
          order: ['versioned'],
          models: { versioned: importModel({ model: versioned, fields: ['id', 'name'], uniqueFields: ['id'] }) },
        },
      }),
      tags: BulkImportableViewSet({
        model: tags,
        serializer: BaseModelSerializer(tags, { fields: ['id', 'name'] }),
        permissionClasses: [AllowAny],
        ordering: 'id',
        importFileConfig: {
          fileFormat: 'xlsx',
          order: ['tags'],
          models: { tags: importModel({ model: tags, fields: ['id', 'name'], uniqueFields: ['id'] }) },
        },
      }),
    },
  })
  beforeEach(() =>
    api.database.transaction(async () => {
      const all = ['a', 'b', 'c', 'd'].map((code, at) => ({ id: at + 1, name: `Group ${code}`, code, amount: at }))
      await insertMany(
        groups,
        all.map(group => ({ ...group, status: `${group.code} is open` })),
      )
      await insertMany(
        tags,
        ['007', '7'].map(id => ({ id, name: `Tag ${id}` })),
      )
    }),
  )

  type Parts = Readonly<Record<string, string>>
  const exported = async (resource = 'groups') =>
    (await api.post(`/${resource}/export/`, { file_type: 'xlsx', for_editing: true })).bytes
  const send = (content: Buffer, parts: Parts = DELETE, resource = 'groups', action = 'import-from-file') => {
    const named = Object.entries({ ...(action === 'import-from-file' && { append_data: 'true' }), ...parts })
    const others = named.map(([name, value]) => ({ name, value }))
    return api.post(
      `/${resource}/${action}/`,
      undefined,
      form({ name: 'file', filename: 'f.xlsx', content }, ...others),
    )
  }
  const codes = async () =>
    (await api.database.use(() => currentDb().select().from(groups))).map(({ code }) => code).toSorted()
  /** The file with changes of its rows, by code. */
  const edited = async (changes: Readonly<Record<string, EditableRow>>) =>
    editedWorkbook(await exported(), rows => rows.map(row => ({ ...row, ...changes[String(row.code)] })))
  const rowsOf = async (bytes: Buffer) => (await readXlsx(new Uint8Array(bytes))).sheets[0]?.rows ?? []

  describe('deletes nothing if a cell was edited', () => {
    const failed = (row: number, what: string) => ({
      row,
      field: 'non_field_errors',
      column: MARK,
      message: `This row is marked for deletion, but ${what} edited. Undo the edit, or clear the mark.`,
    })

    test('by a sort of all columns but that of the keys', async () => {
      const file = await editedWorkbook(await exported(), rows => {
        const keys = rows.map(row => row[ID] ?? null)
        const sorted: EditableRow[] = rows.toReversed().map((row, at) => ({ ...row, [ID]: keys[at] ?? null }))
        return sorted.map(row => ({ ...row, [MARK]: row.code === 'd' ? 'Yes' : null }))
      })
      const answer = await send(file, { ...DELETE, dry_run: 'true' })
      expect(answer.data()).toMatchObject({ deleted: 0 })
      expect(answer.data<{ errors: unknown }>().errors).toContainEqual(
        expect.objectContaining(failed(2, '"name", "code", "amount" and "Status" were')),
      )
    })

    test('by cells that were pasted over its row', async () => {
      const file = await editedWorkbook(await exported(), rows =>
        rows.map(row => (row.code === 'b' ? { ...rows[3], [ID]: row[ID] ?? null, [MARK]: 'Yes' } : row)),
      )
      expect((await send(file)).data()).toMatchObject({ deleted: 0, failed: 1, unchanged: 3, errors: [{ row: 3 }] })
      expect(await codes()).toEqual(['a', 'b', 'c', 'd'])
    })

    test('in one column, which may be for reading only', async () => {
      const file = await edited({
        a: { [MARK]: 'x', name: 'A' },
        b: { [MARK]: 'x', Status: 'closed' },
        c: { [MARK]: 'x', amount: '2' },
      })
      const answer = await send(file)
      // The same value in another form is no edit.
      expect(answer.data()).toMatchObject({ deleted: 1, failed: 2, unchanged: 1 })
      expect(answer.data()).not.toHaveProperty('warned')
      expect(answer.data()).toMatchObject({ errors: [failed(2, '"name" was'), failed(3, '"Status" was')] })
      expect(await codes()).toEqual(['a', 'b', 'd'])
    })

    test('with each on_conflict, and without delete_marked', async () => {
      const file = await edited({ a: { [MARK]: 'x', name: 'A' } })
      for (const parts of [{ on_conflict: 'yours' }, { on_conflict: 'theirs' }]) {
        expect((await send(file, parts)).data()).toMatchObject({ deleted: 0, updated: 0, failed: 1, unchanged: 3 })
      }
    })

    test('and its row is in the file of failed rows, which fails again', async () => {
      const file = await edited({ a: { [MARK]: 'x', name: 'A' } })
      const answer = await send(file, { ...DELETE, failed_rows: 'true' })
      const [, row] = await rowsOf(answer.bytes)
      expect(row?.slice(1, 4)).toEqual(['1', 'x', 'A'])
      expect((await send(answer.bytes)).data()).toMatchObject({ deleted: 0, failed: 1 })
      const undone = await editedWorkbook(answer.bytes, rows => rows.map(cells => ({ ...cells, name: 'Group a' })))
      expect((await send(undone)).data()).toMatchObject({ deleted: 1, failed: 0 })
    })

    test('by a program that made another key of a text', async () => {
      const file = await editedWorkbook(await exported('tags'), rows =>
        rows.filter(row => row[ID] === '007').map(row => ({ ...row, [ID]: 7, [MARK]: 'x' })),
      )
      expect((await send(file, DELETE, 'tags')).data()).toMatchObject({ deleted: 0, failed: 1 })
      expect(await api.rows('tags')).toHaveLength(2)
    })
  })

  describe('is a conflict if its record has changed since the export', () => {
    const conflict = (what: string) => ({
      failed: 1,
      errors: [
        {
          row: 2,
          column: MARK,
          message: `This row is marked for deletion, but its record has changed since the export${what}.`,
        },
      ],
    })

    test('in a column for reading only', async () => {
      const file = await edited({ a: { [MARK]: 'x' }, b: { [MARK]: 'x' } })
      await api.database.transaction(() =>
        currentDb().update(groups).set({ status: 'paid' }).where(eq(groups.code, 'a')),
      )
      expect((await send(file)).data()).toMatchObject({ ...conflict(': "Status"'), deleted: 1 })
      expect(await codes()).toEqual(['a', 'c', 'd'])
      const theirs = await send(file, { ...DELETE, dry_run: 'true', on_conflict: 'theirs' })
      expect(theirs.data()).toMatchObject({ deleted: 0, failed: 1, unchanged: 3, errors: [{ row: 3 }] })
      const failed = await send(file, { ...DELETE, failed_rows: 'true' })
      // The file has the present value, so a person knows what the next try deletes.
      expect((await rowsOf(failed.bytes))[1]?.slice(1)).toEqual(['1', 'x', 'Group a', 'a', 0, 'paid'])
      expect((await send(failed.bytes)).data()).toMatchObject({ deleted: 1 })
    })

    test('and on_conflict=yours deletes it', async () => {
      const file = await edited({ a: { [MARK]: 'x' } })
      await api.database.transaction(() => currentDb().update(groups).set({ status: 'paid' }))
      expect((await send(file, { ...DELETE, on_conflict: 'yours' })).data()).toMatchObject({ deleted: 1, failed: 0 })
    })

    test('in its version, also if no column of the file shows the change', async () => {
      await api.database.transaction(() => insertMany(versioned, [{ id: 1, name: 'a', hidden: 'x' }]))
      const file = await editedWorkbook(await exported('versioned'), rows => rows.map(row => ({ ...row, [MARK]: 'x' })))
      const same = await send(file, { ...DELETE, dry_run: 'true' }, 'versioned')
      expect(same.data()).toMatchObject({ deleted: 1, failed: 0 })
      await api.database.transaction(() => currentDb().update(versioned).set({ hidden: 'y' }))
      const answer = await send(file, { ...DELETE, failed_rows: 'true' }, 'versioned')
      expect(answer.status).toBe(207)
      expect((await send(file, DELETE, 'versioned')).data()).toMatchObject({ ...conflict(''), deleted: 0 })
      expect((await send(answer.bytes, DELETE, 'versioned')).data()).toMatchObject({ deleted: 1 })
    })
  })

  test('has the messages of its import in a preview, which counts the rows that delete a record', async () => {
    const [a, b, c, d] = [
      { [MARK]: 'x' },
      { [MARK]: 'perhaps' },
      { [MARK]: 'x', name: 'C' },
      { [MARK]: 'x', code: 'd' },
    ]
    const file = await editedWorkbook(await edited({ a, b, c, d }), rows => [
      ...rows,
      rows[3] as EditableRow,
      { [ID]: '99', [MARK]: 'x' },
      { [ID]: '98', name: 'Q' },
      { [MARK]: 'x' },
      { [MARK]: 'No', name: 'New', code: 'n' },
    ])
    const shown = (await send(file, {}, 'groups', 'import-preview')).data<ImportPreview>()
    expect(shown).toMatchObject({ marked: 1, problems: [] })
    const rows = shown.sheets[0]?.rows ?? []
    type Problem = { readonly row: number; readonly message: string }
    const texts = (problems: readonly Problem[] = []) =>
      problems.map(({ row, message }) => `${row} ${message}`).toSorted()
    const answer = await send(file, { ...DELETE, dry_run: 'true' })
    const { errors, warnings } = answer.data<{ errors: Problem[]; warnings: Problem[] }>()
    expect(errors.map(({ row }) => row)).toEqual([3, 4, 5, 6, 7, 8])
    expect(texts(rows.flatMap(({ problems }) => problems))).toEqual(texts(errors))
    expect(warnings.map(({ row }) => row)).toEqual([9])
    expect(texts(rows.flatMap(row => row.warnings ?? []))).toEqual(texts(warnings))
    expect(answer.data()).toMatchObject({ deleted: shown.marked })
  })

  test('deletes its record if values of the client stand for its cells', async () => {
    const values = JSON.stringify({ name: { 'Group a': 'First' } })
    const answer = await send(await edited({ a: { [MARK]: 'x' } }), { ...DELETE, values })
    expect(answer.data()).toMatchObject({ deleted: 1, failed: 0 })
  })
})
