import { openTabular } from 'viewset/files'
import { expect, test } from 'vitest'
import { readAll, readPath, withFile } from './read-support.ts'
import { type XlsSheet, xls, xlsFile } from './xls-bytes.ts'

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
  ['biff5_write.xls', 'unreadable', 'older than Excel 97'],
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
  const [stored, small] = [await readAll(xlsFile(sheets)), await readAll(xlsFile(sheets, true))]
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

test('a sheet that is a chart has no rows, and the next one has its own', async () => {
  const sheets: XlsSheet[] = [
    {
      name: 'Chart',
      isChart: true,
      records: [xls.number(0, 0, 1), xls.chart(xls.number(1, 0, 2)), xls.number(2, 0, 3)],
    },
    { name: 'Data', records: [...header, xls.number(1, 0, 4), xls.error(1, 1, 42)] },
  ]
  expect(await readAll(xlsFile(sheets))).toEqual([
    { name: 'Chart', header: [], rows: [] },
    { name: 'Data', header: ['a', 'b'], rows: [[2, 4, '!#N/A']] },
  ])
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

test('a file that is cut anywhere is read or refused', async () => {
  const file = xlsFile([{ name: 'A', records: [...header, xls.formulaText(1, 0, 'x', xls.sharedFormula)] }])
  for (let length = 600; length < file.length; length += 397) {
    const read = await readAll(file.subarray(0, length)).catch(error => error)
    if (!Array.isArray(read)) expect(read).toMatchObject({ name: 'TabularError' })
  }
})
