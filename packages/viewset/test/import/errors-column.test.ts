import { parse } from 'csv-parse/sync'
import { readXlsx, writeXlsx } from 'hucre/xlsx'
import { AllowAny, BaseModelSerializer, BulkImportableViewSet, importModel } from 'viewset'
import { describe, expect, test } from 'vitest'
import { useApi } from '../support/api.ts'
import { describeOneDialect } from '../support/dialects.ts'
import { type EditableRow, editedWorkbook } from '../support/edited-workbook.ts'
import { form } from '../support/multipart.ts'

type Rows = readonly (readonly (string | number | null)[])[]
type Parts = Readonly<Record<string, unknown>>

interface FileForm {
  readonly filename: string
  write(rows: Rows): Promise<Buffer>
  read(bytes: Buffer): Promise<Rows>
}

const quoted = (cell: string | number | null) => `"${String(cell ?? '').replaceAll('"', '""')}"`

const CSV: FileForm = {
  filename: 'goods.csv',
  write: async rows => Buffer.from(rows.map(row => row.map(quoted).join(',')).join('\n')),
  read: async bytes => parse(bytes).map((row: readonly string[]) => row.map(cell => (cell === '' ? null : cell))),
}
const XLSX: FileForm = {
  filename: 'goods.xlsx',
  write: async rows => Buffer.from(await writeXlsx({ sheets: [{ name: 'June', rows: rows.map(row => [...row]) }] })),
  read: async bytes => {
    const { rows = [] } = (await readXlsx(new Uint8Array(bytes))).sheets[0] ?? {}
    return rows.map(row => row.map(cell => (cell === '' ? null : cell))) as Rows
  },
}

describeOneDialect('the column of errors in a file of failed rows', dialect => {
  const { kit } = dialect
  const goods = kit.table('goods', {
    id: kit.integer().primaryKey(),
    code: kit.text(20).notNull().unique(),
    name: kit.text(20).notNull(),
    price: kit.integer(),
  })
  const { importMappings } = kit.ImportMappingTable()
  const api = useApi(dialect, {
    tables: { goods, importMappings },
    users: { ann: { id: 'ann' } },
    importMappings: { table: importMappings },
    resources: {
      goods: BulkImportableViewSet({
        model: goods,
        serializer: BaseModelSerializer(goods, { fields: ['id', 'code', 'name', 'price'] }),
        permissionClasses: [AllowAny],
        ordering: 'code',
        importFileConfig: {
          fileFormat: ['csv', 'xlsx'],
          order: ['goods'],
          models: { goods: importModel({ model: goods, fields: ['code', 'name', 'price'], uniqueFields: ['code'] }) },
        },
      }),
    },
  })

  describe.each([CSV, XLSX])('$filename', ({ filename, write, read }) => {
    const sendBytes = (content: Buffer, parts: Parts = {}, action = 'import-from-file') => {
      const all = Object.entries({ ...(action === 'import-from-file' && { append_data: true }), ...parts })
      const named = all.map(([name, value]) => ({
        name,
        value: typeof value === 'string' ? value : JSON.stringify(value),
      }))
      const sent = form({ name: 'file', filename, content }, ...named)
      return api.post(`/goods/${action}/`, undefined, { as: 'ann', ...sent })
    }
    const send = async (rows: Rows, parts?: Parts, action?: string) => sendBytes(await write(rows), parts, action)
    const failedRowsOf = async (rows: Rows, parts: Parts = {}) => {
      const answer = await send(rows, { ...parts, failed_rows: true })
      expect(answer.status).toBe(207)
      return [...(await read(answer.bytes))]
    }
    /** The file with a name for the last good, which had none. */
    const withName = (rows: Rows, at: number) =>
      rows.map((row, line) => (line === 0 ? row : row.toSpliced(at, 1, 'Bolt')))

    test('does not count in the place of a column without a header', async () => {
      const mapping = { '(column 1)': 'code' }
      const failed = await failedRowsOf(
        [
          [null, 'name', 'price'],
          ['a', 'Nut', 1],
          ['b', null, 2],
        ],
        { mapping },
      )
      expect(failed[0]).toEqual(['Errors', null, 'name', 'price'])
      const again = await send(withName(failed, 2), { mapping })
      expect(again.data()).toMatchObject({ created: 1, failed: 0 })
      const shown = await send(failed, { mapping }, 'import-preview')
      expect(shown.data()).toMatchObject({
        sheets: [{ headers: [{ header: 'Errors', field: null }, { header: '(column 1)', field: 'code' }, {}, {}] }],
      })
    })

    test('does not count in the place of a column whose header another one has, nor for values', async () => {
      const parts = { mapping: { '(column 3)': 'price' }, values: { '(column 3)': { many: '7' } } }
      const failed = await failedRowsOf(
        [
          ['code', 'price', 'price', 'name'],
          ['a', 1, 10, 'Nut'],
          ['b', 2, 'many', null],
        ],
        parts,
      )
      expect((await send(withName(failed, 4), parts)).data()).toMatchObject({ created: 1, failed: 0 })
      const prices = (await api.get('/goods/')).data<{ price: number }[]>().map(({ price }) => price)
      expect(prices).toEqual([10, 7])
    })

    test('does not count in places if the upload begins with a column of that name, which the import reads', async () => {
      const mapping = { Errors: 'price', '(column 1)': 'code' }
      const failed = await failedRowsOf(
        [
          ['Errors', null, 'name'],
          [1, 'a', null],
        ],
        { mapping },
      )
      expect(failed[0]).toEqual(['Import errors', 'Errors', null, 'name'])
      expect((await send(withName(failed, 3), { mapping })).data()).toMatchObject({ created: 1, failed: 0 })
    })

    test('does not count among the headers of a saved mapping, in the first place as in the last', async () => {
      const headers = [null, 'Titel', 'Preis']
      const mapping = { '(column 1)': 'code', Titel: 'name', Preis: 'price' }
      const saved = { name: 'ERP', headers: headers.map(header => header ?? ''), mapping }
      expect((await api.post('/goods/import-mappings/', saved, { as: 'ann' })).status).toBe(201)
      const failed = await failedRowsOf([headers, ['a', null, 1]], { mapping })
      const older = failed.map(([errors = null, ...cells]) => [...cells, errors])
      for (const rows of [failed, older]) {
        const shown = await send(rows, {}, 'import-preview')
        expect(shown.data()).toMatchObject({ saved_mappings: [{ name: 'ERP', mapping }] })
      }
    })

    test('is not that of a person, if this is neither the first nor the last', async () => {
      const rows = [
        ['code', 'Errors', 'name', 'price'],
        ['a', 'none', null, 1],
      ]
      const failed = await failedRowsOf(rows)
      expect(failed[0]).toEqual(['Import errors', 'code', 'Errors', 'name', 'price'])
      expect(failed[1]?.[2]).toBe('none')
      expect((await send(rows)).data()).toMatchObject({ failed: 1, ignored_columns: ['Errors'] })
      const again = await failedRowsOf(failed)
      expect(again[0]).toEqual(failed[0])
      const mended = await send(withName(again, 3))
      expect(mended.data()).toMatchObject({ created: 1, ignored_columns: ['Errors'] })
    })
  })

  test('is not that of a person in a file for editing either', async () => {
    await api.post('/goods/', { code: 'a', name: 'Nut', price: 1 })
    const { bytes } = await api.post('/goods/export/', { file_type: 'xlsx', for_editing: true })
    const edit = (rows: EditableRow[]) => rows.map(row => ({ ...row, price: 'many', Errors: 'mine' }))
    const file = await editedWorkbook(bytes, edit, headers => headers.toSpliced(2, 0, 'Errors'))
    const parts = [
      { name: 'append_data', value: 'true' },
      { name: 'failed_rows', value: 'true' },
    ]
    const sent = form({ name: 'file', filename: 'goods.xlsx', content: file }, ...parts)
    const answer = await api.post('/goods/import-from-file/', undefined, sent)
    const [header, row] = await XLSX.read(answer.bytes)
    expect(header).toEqual(['Import errors', 'ID (do not change)', 'Delete?', 'code', 'name', 'price', 'Errors'])
    expect(row?.at(-1)).toBe('mine')
  })
})
