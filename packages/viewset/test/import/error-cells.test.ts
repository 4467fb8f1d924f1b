import {
  type ImportCells,
  type ImportFileConfig,
  ImportService,
  type ImportServiceOptions,
  importModel,
  type PrepareRow,
} from 'viewset'
import { expect, test } from 'vitest'
import { describeOneDialect } from '../support/dialects.ts'
import { geography } from '../support/import-models.ts'
import { importOnce, useDatabase } from '../support/imports.ts'
import { workbook } from '../tabular/workbook-xml.ts'

const text = (value: string) => `<c t="str"><v>${value}</v></c>`
const error = (value: string) => `<c t="e"><f>A1</f><v>${value}</v></c>`
const file = (...rows: readonly (readonly string[])[]) =>
  workbook(rows.map(cells => `<row>${cells.join('')}</row>`).join(''))

describeOneDialect('error cells of a workbook', dialect => {
  const tables = geography(dialect.kit)
  const db = useDatabase(dialect, tables)
  const configWith = (more: object = {}, prepareRow?: PrepareRow): ImportFileConfig => ({
    fileFormat: 'xlsx',
    order: ['samples'],
    models: {
      samples: importModel({
        model: tables.samples,
        fields: ['code', 'text', 'number'],
        uniqueFields: ['code'],
        ...more,
      }),
    },
    ...(prepareRow && { prepareRow }),
  })
  const run = (config: ImportFileConfig, source: Buffer, options: ImportServiceOptions & { dryRun?: boolean } = {}) =>
    importOnce(config, source, { database: db.database, ...options })
  const errorOf = (row: number, field: string, name: string) => ({
    row,
    field,
    column: field,
    message: `The cell has the error ${name}. Enter a value instead.`,
    model: 'samples',
  })
  const header = ['code', 'text', 'number', 'note'].map(text)

  const broken = file(
    header,
    [text('a'), error('#N/A'), text('1')],
    [error('#REF!'), text('x'), error('#DIV/0!')],
    [text('c'), text('#N/A'), text('3'), error('#NAME?')],
  )

  test('an error of a cell that is read is an error of its row, of which nothing is stored', async () => {
    const errors = [errorOf(2, 'text', '#N/A'), errorOf(3, 'code', '#REF!'), errorOf(3, 'number', '#DIV/0!')]
    const config = configWith()
    const expected = { processed: 3, failed: 2, created: 1, errors }
    const { sheets } = await new ImportService(config, { database: db.database }).preview(broken)
    const [sheet] = sheets
    expect(sheet!.rows.flatMap(({ problems }) => problems)).toEqual(errors)
    expect(sheet!.rows[1]).toMatchObject({ cells: ['#REF!', 'x', '#DIV/0!', null], values: { text: 'x' } })
    expect(await run(config, broken, { dryRun: true })).toMatchObject(expected)
    expect(await db.rows('samples', 'code')).toEqual([])
    expect(await run(config, broken)).toMatchObject(expected)
    // Text that only looks like an error is text, and a column that is not read may have what it likes.
    expect(await db.rows('samples', 'code', 'text')).toEqual([['c', '#N/A']])
  })

  test('a transform does not see it', async () => {
    const transforms = { text: (cell: unknown) => String(cell), number: () => 5 }
    const result = await run(configWith(), broken, { transforms })
    expect(result).toMatchObject({ failed: 2, created: 1 })
    expect(result.errors[0]).toEqual(errorOf(2, 'text', '#N/A'))
  })

  test('prepareRow sees its name and may replace it', async () => {
    const seen: unknown[] = []
    const result = await run(
      configWith({}, row => {
        seen.push(row.text)
        return row.text === '#N/A' && row.code === 'a' ? { ...row, text: 'unknown' } : row
      }),
      broken,
    )
    expect(seen).toEqual(['#N/A', 'x', '#N/A'])
    expect(result.errors).toEqual([errorOf(3, 'code', '#REF!'), errorOf(3, 'number', '#DIV/0!')])
    expect(await db.rows('samples', 'code', 'text')).toEqual([
      ['a', 'unknown'],
      ['c', '#N/A'],
    ])
  })

  test.each([
    ['as the file has it', undefined],
    ['behind prepareRow', (row => ({ ...row, seen: true })) satisfies PrepareRow],
  ])('a field that is computed from it is an error of the row, %s', async (_, prepareRow) => {
    const config = configWith(
      { fields: ['code'], computedFields: { text: (row: ImportCells) => `${row.note ?? 'none'}` } },
      prepareRow,
    )
    const source = file(header, [text('a'), text('x'), text('1'), error('#N/A')], [text('b'), error('#N/A')])
    const message = 'The cell of "note" has the error #N/A. Enter a value instead.'
    expect((await run(config, source)).errors).toEqual([{ row: 2, field: 'text', message, model: 'samples' }])
    expect(await db.rows('samples', 'code', 'text')).toEqual([['b', 'none']])
  })

  test('a long error is shortened', async () => {
    const { errors } = await run(configWith(), file(header, [text('a'), error('x'.repeat(500))]))
    expect(errors[0]?.message).toBe(`The cell has the error ${'x'.repeat(30)}. Enter a value instead.`)
  })
})
