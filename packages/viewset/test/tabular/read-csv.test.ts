import fc from 'fast-check'
import { expect, test } from 'vitest'
import { csvWriter } from '../../src/tabular/csv/write.ts'
import { decodeWindows1252 } from '../../src/tabular/read/csv-encoding.ts'
import { openTabular } from '../../src/tabular/read/open.ts'
import { cases } from '../support/cases.ts'
import { type OpenOptions, readAll, withFile } from './read-support.ts'
import { bytesOf, columnsOf } from './support.ts'

async function read(content: string | Uint8Array, options?: OpenOptions) {
  const [sheet] = await readAll(content, options)
  return sheet!
}

async function rowsOf(content: string | Uint8Array, options?: OpenOptions) {
  return (await read(content, options)).rows
}

test('cells keep their text, and an empty one is null', async () => {
  expect(await read('code,name,empty\n00123,NA,\n1E5, None ,""\n')).toEqual({
    name: '',
    header: ['code', 'name', 'empty'],
    rows: [
      [2, '00123', 'NA', null],
      [3, '1E5', ' None ', null],
    ],
  })
})

test('quotes, delimiters and newlines inside a cell survive', async () => {
  expect(await rowsOf('a,b\r\n"x ""y"", z","1\r\n2"\r\n\r\n3,4\r\n')).toEqual([
    [2, 'x "y", z', '1\r\n2'],
    [4, '3', '4'],
  ])
})

test.each([
  ['5" nail', '5" nail'],
  [' "x"', ' "x"'],
  ['a "b" c', 'a "b" c'],
  ['x"', 'x"'],
  ['x""y', 'x""y'],
  ['=5"', '=5"'],
  ['\'=5"', '=5"'],
  ['"5"" nail"', '5" nail'],
  // As Excel, LibreOffice and Python read text behind a closing quote.
  ['"x" ', 'x '],
  ['"x" y', 'x y'],
  ['"x"y"z"', 'xy"z"'],
  ['"a ""b"" c" d', 'a "b" c d'],
  ['="00123"', '00123'],
  ['"=""00123"""', '00123'],
  ['=""', null],
  ['\'="1"', '="1"'],
  ['="1"&"2"', '="1"&"2"'],
  ['""', null],
])('the cell %s is read as %s', async (written, expected) => {
  for (const end of ['\n', '\r\n', '\r']) {
    const text = [`a;b`, `${written};1`, `2;${written}`, `3;"${'x;'.repeat(3)}"`].join(end)
    const rows = [
      [2, expected, '1'],
      [3, '2', ...(expected === null ? [null] : [expected])],
      [4, '3', 'x;x;x;'],
    ]
    expect(await rowsOf(text)).toEqual(rows)
    expect(await rowsOf(Buffer.from(`\uFEFF${text}`, 'utf16le'))).toEqual(rows)
  }
})

test('a quote in the middle of a cell is read as written wherever the file is cut into chunks', async () => {
  const cells = Array.from({ length: 40_000 }, (_, index) => `${'€'.repeat(index % 5)}"${index}" nail`)
  const rows = await rowsOf(`a,b\n${cells.map(cell => `x${cell},"${cell.replaceAll('"', '""')}"`).join('\n')}`)
  expect(rows).toEqual(cells.map((cell, index) => [index + 2, `x${cell}`, cell]))
})

test.each(['\n', '\r\n', '\r'])('lines end with %j', async end => {
  expect(await rowsOf(['a,b', '1,2', '', ' , ', '3,4'].join(end))).toEqual([
    [2, '1', '2'],
    [5, '3', '4'],
  ])
})

test('lines may end in several ways in one file', async () => {
  expect(await rowsOf('a\r\n1\n2\r3\r\n')).toEqual([
    [2, '1'],
    [3, '2'],
    [4, '3'],
  ])
})

test.each([
  ['a,b\n1,"x;y;z"', ['a', 'b']],
  ['a;b\n1;2,5', ['a', 'b']],
  ['name (first, last, title);b\n1;2', ['name (first, last, title)', 'b']],
  ['a\tb\n1\t2', ['a', 'b']],
  ['a|b\n1|2', ['a', 'b']],
  ['"x,y,z";b\n"1,2";3', ['x,y,z', 'b']],
  ['5" nail;"a,b";c;d\n1;2;"3,4 5";6', ['5" nail', 'a,b', 'c', 'd']],
  ['size (");b;c,d\n5";6;7', ['size (")', 'b', 'c,d']],
  ['\n\na;b\n', ['a', 'b']],
  ['a b\n1 2', ['a b']],
])('finds the delimiter of %j', async (text, header) => {
  expect((await read(text)).header).toEqual(header)
})

test('rows may have fewer or more cells than the header', async () => {
  expect(await rowsOf('a,b\n1\n1,2,3\n')).toEqual([
    [2, '1'],
    [3, '1', '2', '3'],
  ])
})

test('header names are plain names without outer blanks', async () => {
  const { header } = await read('\uFEFF __proto__ ,constructor,,a,a\n1,2,3,4,5\n')
  expect(header).toEqual(['__proto__', 'constructor', '', 'a', 'a'])
})

const accented = 'ciudad,país\nMálaga,España €\n'

test.each([
  ['UTF-8', Buffer.from(accented)],
  ['UTF-8 with a mark', Buffer.from(`\uFEFF${accented}`)],
  ['UTF-16LE', Buffer.from(`\uFEFF${accented}`, 'utf16le')],
  ['UTF-16BE', Buffer.from(`\uFEFF${accented}`, 'utf16le').swap16()],
  ['windows-1252', Buffer.from(accented.replace('€', '\x80'), 'latin1')],
])('reads %s', async (_, bytes) => {
  expect(await read(bytes)).toEqual({ name: '', header: ['ciudad', 'país'], rows: [[2, 'Málaga', 'España €']] })
})

test('the one byte that is not UTF-8 may come after megabytes that are', async () => {
  const lines = `${'x'.repeat(99)}\n`.repeat(30_000)
  const rows = await rowsOf(Buffer.from(`a\n${lines}M\xE1laga\n`, 'latin1'))
  expect(rows.at(-1)).toEqual([30_002, 'Málaga'])
})

test('a file of UTF-8 with a damaged byte is refused, and its row is named', async () => {
  const lines = Array.from({ length: 3_000 }, (_, index) => `Zürich ${index},"Köln\n${index}"`).join('\n')
  const bytes = Buffer.from(`a,b\n${lines}\nGenève,1\n`)
  bytes[bytes.indexOf('Genève') + 4] = 0x28
  await expect(readAll(bytes)).rejects.toMatchObject({
    code: 'unreadable',
    message:
      'Row 3002 has bytes that are no text in the encoding utf-8. Save the file as CSV UTF-8, or name its encoding.',
  })
})

/** Texts in encodings that are not Unicode. */
const FOREIGN: readonly (readonly [encoding: string, bytes: string])[] = [
  ['windows-1251', 'cceef1eae2e02cd1e0edeaf22dcfe5f2e5f0e1f3f0e3'],
  ['koi8-r', 'edcfd3cbd7c12cf3c1cecbd42df0c5d4c5d2c2d5d2c7'],
  ['shift_jis', '938c8b9e2c91e58de32c8e5293632c836583588367'],
  ['gbk', 'b1b1bea92cc9cfbaa3'],
  ['euc-kr', 'bcadbfef2cbace2cbbea'],
  ['windows-1253', 'c1e8deede12cc8e5f3f3e1ebefeddfeae7'],
  ['macintosh', '669f722c7363689a6e2c47729aa7652c73708a746572'],
]

test.each(FOREIGN)('a file in %s is refused, and read if its encoding is named', async (encoding, hex) => {
  const bytes = Buffer.concat([Buffer.from('a,b,c,d\n'), Buffer.from(hex, 'hex'), Buffer.from('\n')])
  await expect(readAll(bytes)).rejects.toMatchObject({
    code: 'unreadable',
    message:
      'The file is neither UTF-8 nor Windows-1252. Save it as CSV UTF-8, or name its encoding, as in encoding=windows-1251.',
  })
  const expected = new TextDecoder(encoding).decode(Buffer.from(hex, 'hex')).split(',')
  for (const choice of [{ encoding }, { usualEncoding: encoding }]) {
    expect(await rowsOf(bytes, choice)).toEqual([[2, ...expected]])
  }
})

test('a Western file without a mark is Windows-1252, and that is a guess', async () => {
  for (const text of [
    'Müller;für 5 €;„so“ – „so“',
    'Élève;déjà;créée;cœur;l’été',
    'España;niño;¿Qué?',
    'Rødgrød;Ærø',
    'Þór;æði',
  ]) {
    const bytes = Buffer.from([...`a\n${text}\n`].map(character => byteOf1252(character)))
    await withFile(bytes, async path => {
      const file = await openTabular(path)
      await file.close()
      expect(file.csv).toMatchObject({ encoding: 'windows-1252', isGuessed: true })
      const named = await openTabular(path, { usualEncoding: 'windows-1252' })
      await named.close()
      expect(named.csv).toMatchObject({ encoding: 'windows-1252', isGuessed: false })
    })
    expect(await rowsOf(bytes)).toEqual([[2, ...text.split(';')]])
  }
})

function byteOf1252(character: string): number {
  const at = Array.from({ length: 256 }, (_, byte) => decodeWindows1252(Buffer.from([byte]))).indexOf(character)
  if (at === -1) throw new RangeError(`Windows-1252 has no ${character}.`)
  return at
}

test('bytes that Windows-1252 does not define are no text', async () => {
  for (const byte of [0x81, 0x8d, 0x8f, 0x90, 0x9d]) {
    const bytes = Buffer.concat([Buffer.from('a\nb'), Buffer.from([byte]), Buffer.from('\n')])
    await expect(readAll(bytes)).rejects.toMatchObject({ code: 'unreadable' })
    await expect(readAll(bytes, { encoding: 'windows-1252' })).rejects.toMatchObject({
      message: expect.stringContaining('Row 2 has bytes that are no text in the encoding windows-1252.'),
    })
  }
})

test('the encoding that a client names is not doubted, but a mark is', async () => {
  const text = 'a\nZürich\n'
  expect(await rowsOf(Buffer.from(text), { encoding: 'windows-1252' })).toEqual([[2, 'ZÃ¼rich']])
  expect(await rowsOf(Buffer.from(`\uFEFF${text}`), { encoding: 'windows-1252' })).toEqual([[2, 'Zürich']])
  expect(await rowsOf(Buffer.from(text), { usualEncoding: 'shift_jis' })).toEqual([[2, 'Zürich']])
  await expect(readAll(Buffer.from(text, 'latin1'), { encoding: 'utf-8' })).rejects.toMatchObject({
    message: expect.stringContaining('Row 2 has bytes that are no text in the encoding utf-8.'),
  })
})

test('UTF-16 and UTF-32 need no mark', async () => {
  const text = 'name,city\nJosé,Málaga\nMarie,Paris\n'
  const wide = (isBig: boolean, mark: string) => {
    const codes = [...(mark + text)].map(character => character.codePointAt(0)!)
    const bytes = Buffer.alloc(codes.length * 4)
    for (const [at, code] of codes.entries()) bytes[isBig ? 'writeUInt32BE' : 'writeUInt32LE'](code, at * 4)
    return bytes
  }
  const little = Buffer.from(text, 'utf16le')
  const big = Buffer.from(little).swap16()
  for (const bytes of [little, big, wide(false, ''), wide(true, ''), wide(false, '\uFEFF'), wide(true, '\uFEFF')]) {
    expect(await read(bytes)).toMatchObject({
      header: ['name', 'city'],
      rows: [
        [2, 'José', 'Málaga'],
        [3, 'Marie', 'Paris'],
      ],
    })
  }
})

test('the end of a file of DOS is no record', async () => {
  const rows = [[2, '1', '2']]
  expect(await rowsOf('a,b\n1,2\n\x1A')).toEqual(rows)
  expect(await rowsOf('a,b\n1,2\x1A')).toEqual(rows)
  expect(await rowsOf('a,b\n1,"2"\r\n\x1A')).toEqual(rows)
})

test('a row with text behind a closing quote has a warning', async () => {
  await withFile('a,b\r\n1,"x" y\r\n2,"z"\r\n\r\n"3" ,4', async path => {
    const { sheets, close } = await openTabular(path)
    const warned: number[] = []
    for await (const rows of sheets[0]!.rows())
      warned.push(...rows.filter(({ warning }) => warning).map(({ row }) => row))
    await close()
    expect(warned).toEqual([2, 5])
  })
})

test('characters survive wherever the file is cut into chunks', async () => {
  const cells = Array.from({ length: 60_000 }, (_, index) => `${'x'.repeat(index % 7)}😀€é`)
  for (const encoding of ['utf8', 'utf16le'] as const) {
    const rows = await rowsOf(Buffer.from(`\uFEFFa\n${cells.join('\n')}`, encoding))
    expect(rows.map(([, cell]) => cell)).toEqual(cells)
  }
})

test('rows are the same wherever a quote, a line end or a chunk stands', async () => {
  const cell = fc.constantFrom('', 'a', '"b, c"', '"d ""e"" \n f"', '5" nail', 'é', '"g"', "'=1", '00')
  const line = fc.tuple(fc.array(cell, { minLength: 2, maxLength: 3 }), fc.constantFrom('\n', '\r\n', '\r'))
  await fc.assert(
    fc.asyncProperty(fc.array(line, { minLength: 1, maxLength: 12 }), async lines => {
      const part = `${lines.map(([cells, end]) => cells.join(',') + end).join('')}x,y\n`
      const read = async (text: string) => (await rowsOf(`h1,h2,h3\n${text}`)).map(([, ...cells]) => cells)
      const once = await read(part)
      const times = Math.ceil(140_000 / part.length)
      const all = await read(part.repeat(times))
      expect(all).toEqual(Array.from({ length: times }, () => once).flat())
    }),
    { numRuns: cases(15) },
  )
})

test.each([
  ['unreadable', 'Row 3 has a quote (") that is never closed. Close or remove it.', 'a,b\n1,2\n3,"4'],
  ['unreadable', 'Row 3 has a quote (") that is never closed. Close or remove it.', 'a,b\n1,5"\n3,"4\n5,6'],
  ['unreadable', 'Row 2 has text behind the closing quote (") of a cell', 'a,b\n1,"4\n5,"6"\n'],
  ['wrong_format', 'The file is neither text nor a workbook.', 'a\n1\0'],
  ['unreadable', 'NUL characters', `a\n${'1\n'.repeat(5000)}\0`],
  ['unreadable', 'NUL characters', Buffer.from('\uFEFFa\0\n', 'utf16le')],
  ['unreadable', 'The file is empty.', ''],
  ['unreadable', 'The file is empty.', '\n , \n'],
  [
    'unreadable',
    'Row 2 has bytes that are no text in the encoding utf-16le.',
    Buffer.from('\uFEFFa\n\uD800\n', 'utf16le'),
  ],
  [
    'unreadable',
    'Row 3 has bytes that are no text in the encoding utf-8.',
    Buffer.from('\xEF\xBB\xBFa\n1\n\xFF\n', 'latin1'),
  ],
])('a file is %s: %s', async (code, message, content) => {
  await expect(readAll(content)).rejects.toMatchObject({ code, message: expect.stringContaining(message) })
})

test.each([
  [{ maxBytes: 9 }, 'The file is larger than 9 bytes.'],
  [{ maxRows: 2 }, 'There are more than 2 rows.'],
  [{ maxColumns: 1 }, 'Row 1 has more than 1 columns.'],
  [{ maxCellLength: 2 }, 'Row 2 has a cell of more than 2 characters.'],
  [{ maxRecordBytes: 2 }, 'Row 2 has more than 2 characters.'],
  [{ maxRecordBytes: 4 }, 'Row 2 is longer than 4 bytes: it may have a quote (") that is not closed.', '"12345"'],
])('a file beyond %o is refused', async (limits, message, cell = '123') => {
  await expect(readAll(`a,b\n${cell},4\n5,6\n`, { limits })).rejects.toMatchObject({ code: 'too_large', message })
})

test('what our writer wrote is read back cell by cell', async () => {
  const cell = fc.oneof(
    fc.string({ unit: 'grapheme' }),
    fc.stringMatching(/^['=+\-@\t\r\n",;|]{0,4}[a-z]?$/),
    fc.constantFrom('00123', 'NA', 'null', '1E5', 'TRUE', '123456789012345', 'é\n"', null),
  )
  const tables = fc.array(fc.array(cell, { minLength: 3, maxLength: 3 }), { maxLength: 20 })
  const delimiters = fc.constantFrom(',', ';', '\t', '|')
  await fc.assert(
    fc.asyncProperty(tables, delimiters, fc.boolean(), async (table, delimiter, bom) => {
      const columns = columnsOf('text', 'text', 'text')
      const bytes = await bytesOf(csvWriter({ delimiter, bom }).write(columns, [table]))
      const expected = table
        .map((row, index) => [index + 2, ...row.map(text => (text === '' ? null : text))])
        .filter(([, ...cells]) => cells.some(text => typeof text === 'string' && text.trim() !== ''))
      expect(await rowsOf(bytes)).toEqual(expected)
    }),
  )
})

test.each(['sep=;\r\n', 'SEP=;\n', '"sep=;"\r\n', '\uFEFFsep=;\r\n'])(
  'a first line %j names the delimiter and is no row, as Excel shows it',
  async line => {
    // By its first two records, the delimiter would be a comma.
    const file = `${line}name;a,b,c\nGenève;1,5,6\n`
    const expected = { header: ['name', 'a,b,c'], rows: [[2, 'Genève', '1,5,6']] }
    expect(await read(file)).toMatchObject(expected)
    expect(await read(Buffer.from(`\uFEFF${file.replace('\uFEFF', '')}`, 'utf16le'))).toMatchObject(expected)
  },
)

test('sep= takes any delimiter of one character, but only in the first line', async () => {
  expect(await read('sep=^\na^b\n1^2\n')).toMatchObject({ header: ['a', 'b'], rows: [[2, '1', '2']] })
  expect(await read('sep=\t\na\tb\n1\t2\n')).toMatchObject({ header: ['a', 'b'], rows: [[2, '1', '2']] })
  expect(await read('a,b\nsep=;,1\n')).toMatchObject({ rows: [[2, 'sep=;', '1']] })
  expect(await read('sep=ab,c\n1,2\n')).toMatchObject({ header: ['sep=ab', 'c'] })
  await expect(read('sep=;\n')).rejects.toMatchObject({ code: 'unreadable' })
})
