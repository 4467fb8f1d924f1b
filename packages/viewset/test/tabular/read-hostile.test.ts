import { readFile } from 'node:fs/promises'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { TabularError } from '../../src/tabular/errors.ts'
import { xlsxWriter } from '../../src/tabular/xlsx/write.ts'
import { cases } from '../support/cases.ts'
import { farWorkbooks, REFUSED, shared, wideSheet } from './hostile-workbooks.ts'
import { readAll } from './read-support.ts'
import { bytesOf, columnsOf } from './support.ts'
import { workbook } from './workbook-xml.ts'

// What the files may cost is measured in test/long/hostile-workbooks.test.ts.
test.each(REFUSED)('%s is %s', async (_, code, make) => {
  await expect(readAll(make())).rejects.toMatchObject({ code })
})

/** How many rows of values a file has. */
const countRows = async (content: Uint8Array) =>
  (await readAll(content)).reduce((sum, { rows }) => sum + rows.length, 0)

test('a sheet that says it reaches XFD1048576 is what its cells are', async () => {
  expect(await countRows(wideSheet())).toBe(1)
})

test.each(farWorkbooks(2_000))('rows with %s behind 999 empty cells: %i rows are read', async (_, rows, make) => {
  expect(await countRows(make())).toBe(rows)
})

test.each([
  ['rows without end', '<row r="1"/>'.repeat(101), 'A sheet has more than 100 rows.'],
  ['a tag without end', `<a b="${'x'.repeat(100_000)}`, 'The workbook has a text of more than 200 characters.'],
  ['a text without end', `<row><c><v>${'x'.repeat(100_000)}`, 'The workbook has a text of more than 200 characters.'],
  ['a long text', `<row><c><v>${'x'.repeat(101)}</v></c></row>`, 'Row 1 has a cell of more than 100 characters.'],
  ['many columns', `<row>${'<c><v>1</v></c>'.repeat(101)}</row>`, 'Row 1 has more than 100 columns.'],
])('%s is refused where the limit is', async (_, sheetData, message) => {
  const reading = readAll(workbook(sheetData), { limits: { maxRows: 100, maxCellLength: 100, maxColumns: 100 } })
  await expect(reading).rejects.toMatchObject({ code: 'too_large', message })
})

test('a text counts for each of the cells that show it', async () => {
  const row = `<row>${'<c t="s"><v>0</v></c>'.repeat(100)}</row>`
  const reading = readAll(workbook(row.repeat(200), shared('x'.repeat(100))), {
    limits: { maxInflatedBytes: 1_000_000 },
  })
  const message = 'Up to row 101, the text has more than 1000000 characters in all. Split the file.'
  await expect(reading).rejects.toMatchObject({ code: 'too_large', message })
})

async function samples(): Promise<[string, Uint8Array][]> {
  const rows = Array.from({ length: 300 }, (_, index) => [index, `City ${index}`])
  const xls = await readFile(`${import.meta.dirname}/../fixtures/workbooks/issues.xls`)
  return [
    ['XLSX', await bytesOf(xlsxWriter().write(columnsOf('integer', 'text'), [rows]))],
    ['XLS', new Uint8Array(xls)],
  ]
}

/** Reads what may be anything: it ends, in rows or in an error for whoever sent it. */
async function readSafely(content: Uint8Array): Promise<void> {
  const error = await readAll(content, { limits: { timeLimit: 60_000 } }).then(
    () => undefined,
    (cause: unknown) => cause,
  )
  if (error !== undefined) expect(error).toBeInstanceOf(TabularError)
  expect(error).not.toMatchObject({ code: 'out_of_time' })
}

test('a file that is cut off at any tenth is unreadable', async () => {
  for (const [, bytes] of await samples()) {
    for (let tenth = 1; tenth < 10; tenth++) {
      const reading = readAll(bytes.subarray(0, (bytes.length * tenth) / 10))
      await expect(reading).rejects.toMatchObject({ code: 'unreadable' })
    }
  }
})

test('random bytes never hang or crash', async () => {
  const starts = fc.constantFrom([], [0x50, 0x4b, 3, 4], [0xd0, 0xcf, 0x11, 0xe0, 0xa1, 0xb1, 0x1a, 0xe1], [0xff, 0xfe])
  const bytes = fc
    .tuple(starts, fc.uint8Array({ maxLength: 3000 }))
    .map(([start, rest]) => Buffer.from([...start, ...rest]))
  await fc.assert(fc.asyncProperty(bytes, readSafely), { numRuns: cases(60) })
})

test('a workbook with changed bytes never hangs or crashes', async () => {
  for (const [, bytes] of await samples()) {
    const change = fc.tuple(fc.nat(bytes.length - 1), fc.nat(255))
    const changes = fc.array(change, { minLength: 1, maxLength: 20 })
    await fc.assert(
      fc.asyncProperty(changes, async places => {
        const changed = bytes.slice()
        for (const [at, value] of places) changed[at] = value
        await readSafely(changed)
      }),
      { numRuns: cases(30) },
    )
  }
})

test('a workbook that takes too long or too much memory is given up', async () => {
  const rows = Array.from({ length: 20_000 }, (_, index) => [`${index} ${'x'.repeat(50)}`])
  const bytes = await bytesOf(xlsxWriter().write(columnsOf('text'), [rows]))
  await expect(readAll(bytes, { limits: { timeLimit: 1 } })).rejects.toMatchObject({ code: 'out_of_time' })
  const strings = Array.from({ length: 200_000 }, (_, index) => `<si><t>${index} ${'x%y'.repeat(20)}</t></si>`)
  const heavy = workbook('', { 'xl/sharedStrings.xml': `<sst>${strings.join('')}</sst>` })
  await expect(readAll(heavy, { limits: { memoryLimit: 8 } })).rejects.toMatchObject({ code: 'too_large' })
})
