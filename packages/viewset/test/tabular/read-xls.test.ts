import { open } from 'node:fs/promises'
import { openTabular } from 'viewset/files'
import { expect, test, vi } from 'vitest'
import { OleFile } from '../../src/tabular/read/xls/ole.ts'
import { readAll, readPath, withFile } from './read-support.ts'
import { oleFile, sharedText, type XlsSheet, xls, xlsFile, xlsStream } from './xls-bytes.ts'

const fixture = (name: string) => readPath(`${import.meta.dirname}/../fixtures/workbooks/${name}`)

test('reads text, numbers, booleans and dates', async () => {
  const sheets = await fixture('issues.xls')
  expect(sheets.map(({ name }) => name)).toEqual(['datatypes', 'Sheet1', 'issue2', 'issue5', 'issue6'])
  expect(sheets[0]).toEqual({
    name: 'datatypes',
    header: ['1'],
    rows: [
      [2, 1.5],
      [3, 'ab'],
      [4, false],
      [5, 'test'],
      [6, '@2016-10-20'],
    ],
  })
})

test.each(['date.xls', 'date_1904.xls'])('counts days as %s does', async name => {
  const [sheet] = await fixture(name)
  expect(sheet).toMatchObject({ header: ['2021-01-01', '15'], rows: [[2, '@2021-01-02', 16], expect.anything()] })
})

test.each([
  ['issue_385.xls', 'encrypted', 'protected by a password'],
  ['pass_protected.xlsx', 'encrypted', 'protected by a password'],
])('%s is %s', async (name, code, message) => {
  await expect(fixture(name)).rejects.toMatchObject({ code, message: expect.stringContaining(message) })
})

const header = [xls.text(0, 0, 'a'), xls.text(0, 1, 'b')]

test('tells which sheets are hidden', async () => {
  const sheets = ([0, 1, 2] as const).map((state): XlsSheet => ({ name: `S${state}`, state, records: header }))
  await withFile(xlsFile(sheets), async path => {
    const file = await openTabular(path, { formats: ['xls'] })
    await file.close()
    expect(file.sheets.map(({ name, isHidden }) => [name, isHidden])).toEqual([
      ['S0', false],
      ['S1', true],
      ['S2', true],
    ])
  })
})

/** What a sheet with these records below a header is read as, however its file is stored. */
async function rowsOf(...records: readonly Buffer[]) {
  const sheets: XlsSheet[] = [{ name: 'A', records: [...header, ...records] }]
  const [stored, small] = [await readAll(xlsFile(sheets)), await readAll(xlsFile(sheets, { isSmall: true }))]
  expect(small).toEqual(stored)
  return stored[0]!.rows
}

test.each([
  ['one that was filled down', [xls.sharedFormula]],
  ['one of an array', [xls.array]],
  ['one of a data table', [xls.table]],
  ['any other one', []],
])('the text of a formula is read: %s', async (_, between) => {
  const first = xls.formulaText(1, 0, 'first €', ...between)
  const rows = await rowsOf(first, xls.number(1, 1, 5), xls.formulaText(2, 0, 'second'), xls.emptyFormula(3, 0))
  expect(rows).toEqual([
    [2, 'first €', 5],
    [3, 'second'],
  ])
})

test('what a chart on a sheet shows is in no cell', async () => {
  const kept = [xls.number(1, 0, 99), xls.text(1, 1, 'x'), xls.formulaText(2, 0, 'x'), xls.error(5, 5, 42)]
  const chart = xls.chart(...kept, xls.chart(...kept), ...kept)
  const rows = await rowsOf(xls.number(1, 0, 1), chart, xls.number(2, 0, 2), chart)
  expect(rows).toEqual([
    [2, 1],
    [3, 2],
  ])
})

test('a sheet that is a chart is no sheet with rows', async () => {
  const sheets: XlsSheet[] = [
    {
      name: 'Chart',
      isChart: true,
      records: [xls.number(0, 0, 1), xls.chart(xls.number(1, 0, 2)), xls.number(2, 0, 3)],
    },
    { name: 'Data', records: [...header, xls.number(1, 0, 4), xls.error(1, 1, 42)] },
  ]
  expect(await readAll(xlsFile(sheets))).toEqual([{ name: 'Data', header: ['a', 'b'], rows: [[2, 4, '!#N/A']] }])
})

test('an error is no text', async () => {
  const rows = await rowsOf(
    xls.error(1, 0, 42),
    xls.text(1, 1, '#N/A'),
    xls.formulaError(2, 0, 23),
    xls.boolean(2, 1, true),
    xls.error(3, 1, 99),
  )
  expect(rows).toEqual([
    [2, '!#N/A', '#N/A'],
    [3, '!#REF!', true],
    [4, null, '!#ERR!'],
  ])
})

test('a file is read by the streams of its root, not by those of an embedded document', async () => {
  const sheets: XlsSheet[] = [{ name: 'A', records: [...header, xls.number(1, 0, 1)] }]
  const other: XlsSheet[] = [{ name: 'Embedded', records: [...header, xls.number(1, 0, 2)] }]
  for (const embedded of [
    { name: 'Workbook', content: xlsStream(other) },
    { name: 'WordDocument', content: Buffer.alloc(1) },
    { name: 'PowerPoint Document', content: Buffer.alloc(1) },
  ]) {
    expect(await readAll(xlsFile(sheets, { embedded }))).toEqual([{ name: 'A', header: ['a', 'b'], rows: [[2, 1]] }])
  }
})

test.each(['WORKBOOK', 'workbook', 'Book', 'BOOK'])('the stream of a workbook may be named %s', async stream => {
  const sheets: XlsSheet[] = [{ name: 'A', records: header }]
  expect(await readAll(xlsFile(sheets, { stream }))).toMatchObject([{ header: ['a', 'b'] }])
})

test('the last sector of a file need not be full', async () => {
  const sheets: XlsSheet[] = [{ name: 'A', records: header }]
  const embedded = { name: 'x', content: Buffer.alloc(4096) }
  expect(await readAll(xlsFile(sheets, { embedded, missing: 300 }))).toMatchObject([{ header: ['a', 'b'] }])
})

test.each([0x06, 0x206, 0x406])('the result of a formula in a record of type %i is read', async id => {
  expect(await rowsOf(xls.formulaNumber(1, 0, 12.5, id))).toEqual([[2, 12.5]])
})

test('the text of a formula may be longer than a record', async () => {
  const parts = ['é'.repeat(4_000), '漢'.repeat(4_000), 'x'.repeat(100)]
  const records = [...header, xls.formulaLongText(1, 0, parts), xls.number(1, 1, 1)]
  const [sheet] = await readAll(xlsFile([{ name: 'A', records }]))
  expect(sheet?.rows).toEqual([[2, parts.join(''), 1]])
})

test('a formula without its text is an error, not an empty cell', async () => {
  expect(await rowsOf(xls.formulaWithoutText(1, 0), xls.number(1, 1, 1))).toEqual([[2, '!#NO RESULT', 1]])
})

test('built-in date formats are dates, also those of East Asian Excel', async () => {
  for (const format of [14, 22, 27, 30, 36, 50, 57, 58]) {
    const sheets: XlsSheet[] = [{ name: 'A', records: [...header, xls.number(1, 0, 37_438, 0)] }]
    const [sheet] = await readAll(xlsFile(sheets, { formats: [format] }))
    expect(sheet?.rows, `format ${format}`).toEqual([[2, '@2002-07-01']])
  }
})

test('day 60 is the February 29 that Excel counts', async () => {
  const sheets: XlsSheet[] = [{ name: 'A', records: [...header, xls.number(1, 0, 60), xls.number(2, 0, 59)] }]
  const [sheet] = await readAll(xlsFile(sheets, { formats: [14] }))
  expect(sheet?.rows).toEqual([
    [2, '@1900-02-29'],
    [3, '@1900-02-28'],
  ])
})

test('short numbers keep their value', async () => {
  const rows = await rowsOf(
    xls.shortNumbers(1, 0, [7, -7]),
    xls.shortNumber(2, 0, 1435, true),
    xls.shortNumber(2, 1, 0.5),
  )
  expect(rows).toEqual([
    [2, 7, -7],
    [3, 14.35, 0.5],
  ])
})

test('shared texts are read without their formats', async () => {
  const records = [...header, xls.sharedText(1, 0, 0), xls.sharedText(1, 1, 1)]
  const sharedTexts = [sharedText('rich', 1), sharedText('Łódź')]
  const [sheet] = await readAll(xlsFile([{ name: 'A', records }], { sharedTexts }))
  expect(sheet?.rows).toEqual([[2, 'rich', 'Łódź']])
})

test('rows may be written in any order', async () => {
  expect(await rowsOf(xls.number(3, 0, 3), xls.number(1, 0, 1), xls.number(2, 0, 2))).toEqual([
    [2, 1],
    [3, 2],
    [4, 3],
  ])
})

test('a workbook of Excel 5 has the texts of its code page', async () => {
  const records = [
    ...header.map((_, i) => xls.oldText(0, i, Buffer.from('ab'[i]!))),
    xls.oldText(1, 0, Buffer.from([0xcc, 0xe8, 0xf0])),
  ]
  const [sheet] = await readAll(xlsFile([{ name: 'A', records }], { codePage: 1251, stream: 'Book' }))
  expect(sheet).toEqual({ name: 'A', header: ['a', 'b'], rows: [[2, 'Мир']] })
  expect(await fixture('biff5_write.xls')).not.toHaveLength(0)
})

test('an OLE file without a workbook is refused by its name', async () => {
  for (const [stream, name] of [
    ['WordDocument', 'a Word document'],
    ['PowerPoint Document', 'a presentation'],
  ] as const) {
    await expect(readAll(oleFile(Buffer.alloc(10), { stream }))).rejects.toMatchObject({
      code: 'wrong_format',
      message: `The file seems to be ${name}. Send CSV, XLS or XLSX.`,
    })
  }
  await expect(readAll(oleFile(Buffer.alloc(10), { stream: '__properties_version1.0' }))).rejects.toMatchObject({
    code: 'wrong_format',
    message: 'The file is neither text nor a workbook. Send CSV, XLS or XLSX.',
  })
})

test('a workbook that lacks its last sectors is refused', async () => {
  const sheets: XlsSheet[] = [{ name: 'A', records: header }]
  await expect(readAll(xlsFile(sheets, { missing: 600 }))).rejects.toMatchObject({ code: 'unreadable' })
})

test('a list of tables that leads to itself is not read once for each sector', async () => {
  const file = Buffer.concat([xlsFile([{ name: 'A', records: header }]), Buffer.alloc(3_000 * 512)])
  const last = file.length / 512 - 2
  file.writeUInt32LE(0xfffffff0, 44)
  file.writeUInt32LE(last, 68)
  file.writeUInt32LE(last, file.length - 4)
  await withFile(file, async path => {
    const handle = await open(path)
    const read = vi.spyOn(Object.getPrototypeOf(handle), 'read')
    expect(await OleFile.use(path, async ({ names }) => names)).toEqual(['Workbook'])
    expect(read.mock.calls.length).toBeLessThan(100)
    read.mockRestore()
    await handle.close()
  })
})

test('a file that is cut anywhere is read or refused', async () => {
  const file = xlsFile([{ name: 'A', records: [...header, xls.formulaText(1, 0, 'x', xls.sharedFormula)] }])
  for (let length = 600; length < file.length; length += 397) {
    const read = await readAll(file.subarray(0, length)).catch(error => error)
    if (!Array.isArray(read)) expect(read).toMatchObject({ name: 'TabularError' })
  }
})
