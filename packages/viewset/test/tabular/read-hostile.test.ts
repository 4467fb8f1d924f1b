import { execFile } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import { promisify } from 'node:util'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { TabularError } from '../../src/tabular/errors.ts'
import { xlsxWriter } from '../../src/tabular/xlsx/write.ts'
import { readAll, withFile } from './read-support.ts'
import { bytesOf, columnsOf } from './support.ts'
import { workbook, workbookParts, zipped } from './workbook-xml.ts'

const MEGABYTE = 1024 * 1024
const run = promisify(execFile)

/** Reads `content` in a process of its own, within the budget that any hostile file has. */
async function readWithinBudget(
  content: string | Uint8Array,
  { mostSeconds = 1, mostMegabytes = 150 } = {},
): Promise<{ code?: string; rows?: number }> {
  const { seconds, megabytes, ...outcome } = await withFile(content, async path => {
    const child = `${import.meta.dirname}/read-child.ts`
    const { stdout } = await run(process.execPath, ['--conditions=viewset-source', child, path])
    return JSON.parse(stdout)
  })
  expect(seconds).toBeLessThan(mostSeconds)
  expect(megabytes).toBeLessThan(mostMegabytes)
  return outcome
}

const sheetPath = 'xl/worksheets/sheet1.xml'

/** A workbook whose directory says that each of its entries has `size` bytes. */
function lying(content: Buffer, size: number): Buffer {
  const bytes = Buffer.from(content)
  for (let at = bytes.indexOf('PK\x01\x02', 'latin1'); at !== -1; at = bytes.indexOf('PK\x01\x02', at + 1, 'latin1')) {
    bytes.writeUInt32LE(size, at + 24)
  }
  return bytes
}

/** A workbook whose directory says that its entries are encrypted. */
function flagged(content: Buffer): Buffer {
  const bytes = Buffer.from(content)
  for (let at = bytes.indexOf('PK\x01\x02', 'latin1'); at !== -1; at = bytes.indexOf('PK\x01\x02', at + 1, 'latin1')) {
    bytes.writeUInt16LE(1, at + 8)
  }
  return bytes
}

/** Text that cannot be packed. */
function noise(length: number): string {
  return randomBytes(length / 2).toString('hex')
}

function bombs(count: number): Record<string, string> {
  return Object.fromEntries(Array.from({ length: count }, (_, index) => [`${index}`, ' '.repeat(MEGABYTE)]))
}

function shared(text: string): Record<string, string> {
  return { 'xl/sharedStrings.xml': `<sst><si><t>${text}</t></si></sst>` }
}

const laughs = '<!DOCTYPE x [<!ENTITY a "ha"><!ENTITY b "&a;&a;&a;&a;&a;&a;&a;&a;">]>'
const twice = '<sheet name="A" r:id="rId1"/><sheet name="B" r:id="rId1"/>'

test.each([
  ['a bomb of 300 MB that says so', 'too_large', () => workbook(' '.repeat(300 * MEGABYTE))],
  ['a small bomb', 'too_large', () => workbook(' '.repeat(20 * MEGABYTE))],
  ['a bomb beside what is no bomb', 'too_large', () => workbook(' '.repeat(20 * MEGABYTE), { junk: noise(MEGABYTE) })],
  ['a bomb in small parts', 'too_large', () => zipped({ ...workbookParts(''), ...bombs(40) })],
  ['a bomb that says it is small', 'unreadable', () => lying(workbook(' '.repeat(200 * MEGABYTE)), 1000)],
  ['entries that say they are large', 'too_large', () => lying(workbook(''), 4_000_000_000)],
  [
    '10,000 entries',
    'too_large',
    () =>
      zipped({ ...workbookParts(''), ...Object.fromEntries(Array.from({ length: 10_000 }, (_, i) => [`${i}`, ''])) }),
  ],
  ['a cell at XFD1048576', 'too_large', () => workbook('<row r="1048576"><c r="XFD1048576"><v>1</v></c></row>')],
  ['a row beyond the last', 'too_large', () => workbook('<row r="1048577"/>')],
  ['a row of no number', 'too_large', () => workbook('<row r="x"/>')],
  ['a document type', 'unreadable', () => workbook('', { [sheetPath]: `${laughs}<worksheet>&b;</worksheet>` })],
  ['an entity', 'unreadable', () => workbook('<row><c t="str"><v>&xxe;</v></c></row>')],
  ['an entity of no character', 'unreadable', () => workbook('<row><c t="str"><v>&#x110000;</v></c></row>')],
  ['an encrypted entry', 'encrypted', () => flagged(workbook(''))],
  [
    'a sheet that is not there',
    'unreadable',
    () => zipped({ ...workbookParts(''), 'xl/_rels/workbook.xml.rels': '<a/>' }),
  ],
  ['elements that do not end', 'unreadable', () => workbook('<a>'.repeat(100_000))],
  ['elements that did not begin', 'unreadable', () => workbook('</sheetData></worksheet></worksheet>')],
  ['a text without end', 'too_large', () => workbook(`<row><c t="str"><v>${'x%y'.repeat(MEGABYTE)}</v></c></row>`)],
  ['a sheet that is there twice', 'unreadable', () => workbook('', { 'xl/workbook.xml': `<w><s>${twice}</s></w>` })],
  [
    'a long text in many cells',
    'too_large',
    () => workbook('<row><c t="s"><v>0</v></c><c t="s"><v>0</v></c></row>'.repeat(1000), shared(noise(600_000))),
  ],
  ['a quote of 45 MB', 'too_large', () => `a,b\n1,"${'x\n'.repeat(22 * MEGABYTE)}`],
  ['a line of 45 MB', 'too_large', () => `a,b\n${'x'.repeat(45 * MEGABYTE)}`],
  ['a row of 10 million columns', 'too_large', () => `a${','.repeat(10_000_000)}\n`],
])('HARDENING 30: %s is %s, in under one CPU second and 150 MB', async (_, code, make) => {
  expect(await readWithinBudget(make())).toEqual({ code })
})

test('HARDENING 30: a sheet that says it reaches XFD1048576 is what its cells are', async () => {
  const sheet =
    '<worksheet><dimension ref="A1:XFD1048576"/><sheetData><row><c><v>1</v></c></row><row r="1048576"><c r="A1048576"><v>2</v></c><c r="XFD1048576" s="1"/></row></sheetData></worksheet>'
  expect(await readWithinBudget(workbook('', { [sheetPath]: sheet }))).toEqual({ rows: 1 })
})

const wideHeader = `<row r="1">${Array.from({ length: 1000 }, (_, i) => `<c t="str"><v>c${i}</v></c>`).join('')}</row>`
const farRows = (cell: (row: number) => string) => Array.from({ length: 200_000 }, (_, i) => cell(i + 2)).join('')

test.each([
  ['a blank', 0, () => farRows(row => `<row r="${row}"><c r="ALL${row}" t="str"><v> </v></c></row>`)],
  ['a format', 0, () => farRows(row => `<row r="${row}"><c r="ALL${row}" s="1"/></row>`)],
  ['a number', 200_000, () => farRows(row => `<row r="${row}"><c r="ALL${row}"><v>${row}</v></c></row>`)],
])(
  '200,000 rows with %s behind 999 empty cells cost no more than their only cell does',
  {
    timeout: 60_000,
  },
  async (_, rows, make) => {
    const sheet = make()
    for (const header of ['<row r="1"><c t="str"><v>name</v></c></row>', wideHeader]) {
      expect(await readWithinBudget(workbook(header + sheet), { mostSeconds: 3, mostMegabytes: 250 })).toEqual({ rows })
    }
  },
)

test.each([
  ['rows without end', '<row r="1"/>'.repeat(101), 'A sheet has more than 100 rows.'],
  ['a tag without end', `<a b="${'x'.repeat(100_000)}`, 'The workbook has a text of more than 200 characters.'],
  ['a text without end', `<row><c><v>${'x'.repeat(100_000)}`, 'The workbook has a text of more than 200 characters.'],
  ['a long text', `<row><c><v>${'x'.repeat(101)}</v></c></row>`, 'Row 1 has a cell of more than 100 characters.'],
  ['many columns', `<row>${'<c><v>1</v></c>'.repeat(101)}</row>`, 'Row 1 has more than 100 columns.'],
])('HARDENING 30: %s is refused where the limit is', async (_, sheetData, message) => {
  const reading = readAll(workbook(sheetData), { limits: { maxRows: 100, maxCellLength: 100, maxColumns: 100 } })
  await expect(reading).rejects.toMatchObject({ code: 'too_large', message })
})

test('HARDENING 30: a text counts for each of the cells that show it', async () => {
  const row = `<row>${'<c t="s"><v>0</v></c>'.repeat(100)}</row>`
  const reading = readAll(workbook(row.repeat(200), shared('x'.repeat(100))), {
    limits: { maxInflatedBytes: 1_000_000 },
  })
  const message = 'Row 101 is where the text exceeds 1000000 characters.'
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
  const error = await readAll(content, { limits: { timeLimit: 5000 } }).then(
    () => undefined,
    (cause: unknown) => cause,
  )
  if (error !== undefined) expect(error).toBeInstanceOf(TabularError)
  expect(error).not.toMatchObject({ code: 'out_of_time' })
}

test('HARDENING 30: a file that is cut off at any tenth is unreadable', async () => {
  for (const [, bytes] of await samples()) {
    for (let tenth = 1; tenth < 10; tenth++) {
      const reading = readAll(bytes.subarray(0, (bytes.length * tenth) / 10))
      await expect(reading).rejects.toMatchObject({ code: 'unreadable' })
    }
  }
})

test('HARDENING 30: random bytes never hang or crash', async () => {
  const starts = fc.constantFrom([], [0x50, 0x4b, 3, 4], [0xd0, 0xcf, 0x11, 0xe0, 0xa1, 0xb1, 0x1a, 0xe1], [0xff, 0xfe])
  const bytes = fc
    .tuple(starts, fc.uint8Array({ maxLength: 3000 }))
    .map(([start, rest]) => Buffer.from([...start, ...rest]))
  await fc.assert(fc.asyncProperty(bytes, readSafely), { numRuns: 60 })
})

test('HARDENING 30: a workbook with changed bytes never hangs or crashes', async () => {
  for (const [, bytes] of await samples()) {
    const change = fc.tuple(fc.nat(bytes.length - 1), fc.nat(255))
    const changes = fc.array(change, { minLength: 1, maxLength: 20 })
    await fc.assert(
      fc.asyncProperty(changes, async places => {
        const changed = bytes.slice()
        for (const [at, value] of places) changed[at] = value
        await readSafely(changed)
      }),
      { numRuns: 30 },
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
