import { createCipheriv } from 'node:crypto'
import { workbook, workbookParts, zipped } from './workbook-xml.ts'

const MEGABYTE = 1024 * 1024

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

/** Text that hardly shrinks when it is packed, the same in each run. */
export function noise(length: number, seed = 0): string {
  const start = Buffer.alloc(16)
  start.writeUInt32BE(seed)
  return createCipheriv('aes-128-ctr', Buffer.alloc(16), start)
    .update(Buffer.alloc(length / 2))
    .toString('hex')
}

function bombs(count: number): Record<string, string> {
  return Object.fromEntries(Array.from({ length: count }, (_, index) => [`${index}`, ' '.repeat(MEGABYTE)]))
}

export function shared(text: string): Record<string, string> {
  return { 'xl/sharedStrings.xml': `<sst><si><t>${text}</t></si></sst>` }
}

const laughs = '<!DOCTYPE x [<!ENTITY a "ha"><!ENTITY b "&a;&a;&a;&a;&a;&a;&a;&a;">]>'
const twice = '<sheet name="A" r:id="rId1"/><sheet name="B" r:id="rId1"/>'

/** Files that must be refused: what each is, the code of its error, and how to make it. */
export const REFUSED: readonly (readonly [name: string, code: string, make: () => string | Uint8Array])[] = [
  ['a bomb of 257 MB that says so', 'too_large', () => workbook(' '.repeat(257 * MEGABYTE))],
  ['a small bomb', 'too_large', () => workbook(' '.repeat(20 * MEGABYTE))],
  ['a bomb beside what is no bomb', 'too_large', () => workbook(' '.repeat(20 * MEGABYTE), { junk: noise(MEGABYTE) })],
  ['a bomb in small parts', 'too_large', () => zipped({ ...workbookParts(''), ...bombs(40) })],
  ['a bomb that says it is small', 'unreadable', () => lying(workbook(' '.repeat(20 * MEGABYTE)), 1000)],
  ['entries that say they are large', 'too_large', () => lying(workbook(''), 4_000_000_000)],
  [
    '6,000 entries',
    'too_large',
    () =>
      zipped({ ...workbookParts(''), ...Object.fromEntries(Array.from({ length: 6_000 }, (_, i) => [`${i}`, ''])) }),
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
]

/** A sheet whose dimension says that it reaches the last cell of all, and that has two values. */
export function wideSheet(): Uint8Array {
  const sheet =
    '<worksheet><dimension ref="A1:XFD1048576"/><sheetData><row><c><v>1</v></c></row><row r="1048576"><c r="A1048576"><v>2</v></c><c r="XFD1048576" s="1"/></row></sheetData></worksheet>'
  return workbook('', { [sheetPath]: sheet })
}

const wideHeader = `<row r="1">${Array.from({ length: 1000 }, (_, i) => `<c t="str"><v>c${i}</v></c>`).join('')}</row>`
const farRows = (count: number, cell: (row: number) => string) =>
  Array.from({ length: count }, (_, i) => cell(i + 2)).join('')

/** Rows with one cell behind 999 empty ones: what is in the cell, the share of rows that have a value, and their XML. */
const FAR_CELLS = [
  [
    'a blank',
    0,
    (count: number) => farRows(count, row => `<row r="${row}"><c r="ALL${row}" t="str"><v> </v></c></row>`),
  ],
  ['a format', 0, (count: number) => farRows(count, row => `<row r="${row}"><c r="ALL${row}" s="1"/></row>`)],
  ['a number', 1, (count: number) => farRows(count, row => `<row r="${row}"><c r="ALL${row}"><v>${row}</v></c></row>`)],
] as const

/** Workbooks of `count` rows with one cell behind 999 empty ones, and how many rows are read of each. */
export function farWorkbooks(
  count: number,
): readonly (readonly [name: string, rows: number, make: () => Uint8Array])[] {
  return FAR_CELLS.flatMap(([name, share, make]) =>
    ['<row r="1"><c t="str"><v>name</v></c></row>', wideHeader].map(
      (header, i) =>
        [
          `${name}, ${i === 0 ? 'one column' : '1,000 columns'}`,
          share * count,
          () => workbook(header + make(count)),
        ] as const,
    ),
  )
}
