import { execFile } from 'node:child_process'
import { cp, mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import fc from 'fast-check'
import { extractText, getDocumentProxy, getMeta } from 'unpdf'
import { expect, test } from 'vitest'
import { runInContext } from '../../src/core/context.ts'
import { japanese } from '../../src/core/messages/japanese.ts'
import type { PageSize } from '../../src/tabular/pdf/page-layout.ts'
import { PdfTable } from '../../src/tabular/pdf/pdf-table.ts'
import { type PdfOptions, pdfWriter } from '../../src/tabular/pdf/write.ts'
import type { CellRow, TabularColumn } from '../../src/tabular/table.ts'
import type { TabularWarning } from '../../src/tabular/writer.ts'
import { cases } from '../support/cases.ts'
import { bytesOf, columnsOf, Source } from './support.ts'

const require = createRequire(import.meta.url)
const sans = require.resolve('dejavu-fonts-ttf/ttf/DejaVuSans.ttf')
const sansBold = require.resolve('dejavu-fonts-ttf/ttf/DejaVuSans-Bold.ttf')
const serif = require.resolve('dejavu-fonts-ttf/ttf/DejaVuSerif.ttf')
const mono = require.resolve('dejavu-fonts-ttf/ttf/DejaVuSansMono.ttf')

interface Options {
  readonly title?: string
  readonly filters?: string
  readonly pageSize?: PageSize
}

interface Document {
  /** The text of each page, blanks and line ends as one blank. */
  readonly pages: readonly string[]
  /** Width and height of the first page in points. */
  readonly size: readonly number[]
  readonly title: unknown
}

/** Writes a PDF and reads it with another library. Fonts of this machine would change what is missing. */
async function pdf(
  columns: readonly TabularColumn[],
  rows: readonly CellRow[],
  options: PdfOptions & Options = {},
): Promise<Document & { readonly warnings: readonly TabularWarning[] }> {
  const { title = '', filters = '', ...pdfOptions } = options
  const warnings: TabularWarning[] = []
  const onWarning = (warning: TabularWarning) => warnings.push(warning)
  const file = await bytesOf(
    pdfWriter({ systemFonts: false, ...pdfOptions }).write(columns, [rows], { title, filters, onWarning }),
  )
  return { ...(await read(file)), warnings }
}

const WORDS = {
  page: 'Page {page} of {pages}',
  rows: 'Rows: {rows}',
  filters: 'Filters: {filters}',
  missing: '{sign} stands for a character that no font of this file has. The stored data has it.',
  utc: 'Times are in UTC',
  yes: 'Yes',
  no: 'No',
}

/** The table of a PDF without its worker thread, whose start costs more than most tables. */
async function draw(
  columns: readonly TabularColumn[],
  rows: readonly CellRow[],
  { title = '', filters = '', pageSize = 'A4' }: Options = {},
): Promise<Uint8Array> {
  const fonts = { regular: sans, bold: sansBold, fallbacks: [], system: false } as const
  const words = { local: WORDS, english: WORDS }
  const table = await PdfTable.create({
    columns,
    title,
    filters,
    created: '2026-01-15 10:30 UTC',
    pageSize,
    fonts,
    words,
  })
  table.add(rows)
  table.end()
  return table.take()
}

const drawn = async (...table: Parameters<typeof draw>) => read(await draw(...table))

async function read(file: Uint8Array): Promise<Document> {
  const document = await getDocumentProxy(file)
  const { text } = await extractText(document, { mergePages: false })
  const { width, height } = (await document.getPage(1)).getViewport({ scale: 1 })
  const { info } = await getMeta(document)
  return {
    pages: text.map(page => page.replace(/\s+/g, ' ')),
    size: [width, height].map(Math.round),
    title: info.Title,
  }
}

test('repeats the header and counts the pages on every page', async () => {
  const rows = Array.from({ length: 120 }, (_, index): CellRow => [index, `row ${index}`])
  const { pages, title } = await pdf(columnsOf('integer', 'text'), rows, { title: 'All rows' })
  expect(title).toBe('All rows')
  expect(pages.length).toBeGreaterThan(2)
  pages.forEach((page, index) => {
    expect(page).toContain('integer text')
    expect(page).toContain(`Page ${index + 1} of ${pages.length}`)
    expect(page).toContain('All rows')
  })
  const shown = pages.join(' ').match(/row \d+/g)
  expect(shown).toEqual(rows.map(([, text]) => text))
})

test('shows values as people read them', async () => {
  const columns = columnsOf('text', 'integer', 'decimal', 'float', 'boolean', 'date', 'timestamp')
  const rows: CellRow[] = [
    ['Łódź Αθήνα Київ', 7, '-12.50', 0.5, true, '2026-01-15', '2026-01-15T10:30:00.123456Z'],
    [null, null, null, null, false, null, null],
  ]
  const { pages, warnings } = await pdf(columns, rows)
  expect(pages[0]).toContain('Łódź Αθήνα Київ 7 -12.50 0.5 Yes 2026-01-15 2026-01-15 10:30:00 No')
  expect(pages[0]).toContain('Times are in UTC')
  expect(warnings).toEqual([])
})

test('is a page with the header when there are no rows', async () => {
  const { pages } = await drawn(columnsOf('integer', 'text'), [], { title: 'Nothing' })
  expect(pages).toEqual([expect.stringContaining('integer text')])
  expect(pages[0]).toContain('Page 1 of 1')
  expect((await drawn([], [[]])).pages).toHaveLength(1)
})

test('wraps long text and splits a row that no page can hold, without losing a word', async () => {
  const words = Array.from({ length: 4000 }, (_, index) => `w${index}`)
  const { pages } = await drawn(columnsOf('text', 'text'), [
    ['before', ''],
    ['long', words.join(' ')],
    ['after', ''],
  ])
  expect(pages.length).toBeGreaterThan(1)
  expect(pages.join(' ').match(/\bw\d+\b/g)).toEqual(words)
  expect(pages[0]).toContain('before')
  expect(pages.at(-1)).toContain('after')
})

test('lies on its side when the table is wide', async () => {
  const one = await drawn(columnsOf('text'), [['x']])
  expect(one.size).toEqual([595, 842])
  const wide = await drawn(columnsOf('text', 'text', 'text'), [
    ['word '.repeat(20), 'word '.repeat(20), 'word '.repeat(20)],
  ])
  expect(wide.size).toEqual([842, 595])
  expect((await drawn(columnsOf('text'), [['x']], { pageSize: 'LETTER' })).size).toEqual([612, 792])
})

test('cuts a header that would take the page', async () => {
  const { pages } = await drawn([{ header: 'endless '.repeat(2000), kind: 'text' }], [['value']])
  expect(pages).toHaveLength(1)
  expect(pages[0]).toContain('… ')
  expect(pages[0]).toContain('value')
})

test('tells which characters no font has, and shows that something is missing', async () => {
  const { pages, warnings } = await pdf(columnsOf('text'), [['a東b京c東'], ['nul\0'], ['join\u200Ded']])
  expect(pages[0]).toMatch(/a\uFFFDb\uFFFDc\uFFFD nul\uFFFD join/)
  expect(warnings).toMatchObject([
    {
      code: 'missing_glyphs',
      message: 'No font has these 3 characters: U+6771 U+4EAC U+0000',
      characters: ['東', '京', '\0'],
    },
  ])
})

test('says below the rows what the sign for missing characters stands for', async () => {
  const { pages } = await drawn(columnsOf('text'), [['a東b京c東']])
  expect(pages[0]).toContain('\uFFFD stands for a character that no font of this file has. The stored data has it.')
  expect(pages[0]).not.toContain('U+')
  const many = Array.from({ length: 40 }, (_, index) => String.fromCodePoint(0x4e00 + index)).join('')
  const rows = Array.from({ length: 41 }, (): CellRow => [many])
  const full = await drawn(columnsOf('text'), rows, { title: 'Full' })
  expect(full.pages.at(-1)).toContain('stands for a character')
  expect((await drawn(columnsOf('text'), [['abc']])).pages[0]).not.toContain('stands for')
})

test('has the date, the number of rows and the filters on every page', async () => {
  const rows = Array.from({ length: 120 }, (_, index): CellRow => [index])
  const { pages } = await drawn(columnsOf('integer'), rows, { title: 'All', filters: 'Status: open\nSearch: x' })
  expect(pages.length).toBeGreaterThan(2)
  pages.forEach((page, index) => {
    expect(page).toMatch(/\d{4}-\d\d-\d\d \d\d:\d\d UTC/)
    expect(page).toContain('Filters: Status: open Search: x')
    expect(page).toContain(`Rows: 120 · Page ${index + 1} of ${pages.length}`)
  })
  const cut = await drawn(columnsOf('integer'), [], { filters: 'Search: '.padEnd(5_000, 'x') })
  expect(cut.pages[0]).toMatch(/Filters: Search: x+…/)
})

test('has English words where no font has the letters of the language', async () => {
  const language = { tag: 'ja', texts: japanese, english: {}, all: [japanese] }
  const columns = columnsOf('boolean', 'timestamp')
  const { pages, warnings } = await runInContext({ language }, () => pdf(columns, [[true, null]]))
  expect(pages[0]).toContain('Yes')
  expect(pages[0]).toContain('Rows: 1 · Page 1 of 1')
  expect(warnings).toEqual([])
})

test('columns never touch', async () => {
  const letters = 'abcdefghijklmnopqrstuvwxyz'
  const column = fc.record({
    kind: fc.constantFrom('text', 'integer', 'float'),
    width: fc.option(fc.integer({ min: 1, max: 30 }), { nil: undefined }),
    align: fc.constantFrom(undefined, 'left', 'center', 'right'),
    lengths: fc.array(fc.integer({ min: 0, max: 60 }), { minLength: 3, maxLength: 3 }),
  })
  await fc.assert(
    fc.asyncProperty(fc.array(column, { minLength: 2, maxLength: 26 }), async drawn => {
      const columns = drawn.map(({ lengths: _, width, align, kind }, at) => ({
        header: letters[at]!.toUpperCase().repeat(5),
        kind,
        ...(width !== undefined && { width }),
        ...(align && { align }),
      })) as TabularColumn[]
      const rows = [0, 1, 2].map(row => drawn.map(({ lengths }, at) => letters[at]!.repeat(lengths[row]!)))
      const file = await draw(columns, rows)
      const document = await getDocumentProxy(file)
      const { items } = await (await document.getPage(1)).getTextContent()
      const found = items
        .flatMap(item => ('str' in item && /^([a-z])\1*$/i.test(item.str) ? [item] : []))
        .map(({ str, transform, width }) => ({
          letter: str[0]!.toLowerCase(),
          x: transform[4],
          y: transform[5],
          width,
        }))
      expect(new Set(found.map(({ letter }) => letter)).size).toBe(columns.length)
      for (const one of found) {
        const next = found.filter(other => other.y === one.y && other.letter > one.letter)
        for (const { x } of next) expect(x - (one.x + one.width)).toBeGreaterThan(9)
      }
    }),
    { numRuns: cases(50) },
  )
})

test('a character that is wider than its column becomes smaller', async () => {
  const columns = [0, 1].map((): TabularColumn => ({ header: 'W', kind: 'text', width: 1 }))
  const file = await draw(columns, [['W', 'W']])
  const { items } = await (await (await getDocumentProxy(file)).getPage(1)).getTextContent()
  const widths = items.flatMap(item => ('str' in item && item.str === 'W' ? [item.width] : []))
  expect(widths).toHaveLength(4)
  expect(Math.max(...widths)).toBeLessThan(5.2)
})

test('refuses more columns than a page can hold', async () => {
  const columns = Array.from({ length: 2_000 }, (_, at): TabularColumn => ({ header: `c${at}`, kind: 'text' }))
  await expect(pdf(columns, [])).rejects.toThrow(/^A PDF has \d+ columns at most\.$/)
})

test('shows line ends and tabs of a title as those of a cell', async () => {
  const { pages, warnings } = await pdf(columnsOf('text'), [], { title: 'One\r\nTwo\tand\rthree' })
  expect(pages[0]).toMatch(/^One Two and three/)
  expect(warnings).toEqual([])
})

test('takes a character from the first font that has it', async () => {
  // The monospaced font has no Georgian capital letters; the serif one does.
  const text = 'abc Ⴀ xyz'
  const alone = await pdf(columnsOf('text'), [[text]], { font: { regular: mono } })
  expect(alone.warnings).toEqual([expect.objectContaining({ characters: ['Ⴀ'] })])
  const together = await pdf(columnsOf('text'), [[text]], { font: { regular: mono }, fonts: [serif] })
  expect(together.warnings).toEqual([])
  expect(together.pages[0]).toContain(text)
})

test('takes a character that they lack from a font of the system, also of a collection', async () => {
  const text = 'abc Ⴀ xyz'
  const folder = await mkdtemp(join(tmpdir(), 'viewset-test-'))
  const system = { font: { regular: mono }, systemFonts: [join(folder, 'none'), folder] }
  await writeFile(join(folder, 'broken.ttf'), 'no font')
  const without = await pdf(columnsOf('text'), [[text]], system)
  expect(without.warnings).toEqual([expect.objectContaining({ characters: ['Ⴀ'] })])
  const font = await readFile(serif)
  for (const [name, bytes] of [
    ['deep/Georgian.ttf', font],
    ['Georgian.ttc', collectionOf(font)],
  ] as const) {
    await mkdir(join(folder, 'deep'), { recursive: true })
    await writeFile(join(folder, name), bytes)
    const { pages, warnings } = await pdf(columnsOf('text'), [[text]], system)
    expect([name, warnings]).toEqual([name, []])
    expect(pages[0]).toContain(text)
    await rm(join(folder, name))
  }
  await rm(folder, { recursive: true })
})

test.each([
  ['a font that is named after its script', 'NotoSansGeorgian-Regular.ttf'],
  ['any font', 'z.ttf'],
])('finds %s after 60 fonts lacked another character', async (_, name) => {
  const folder = await mkdtemp(join(tmpdir(), 'viewset-test-'))
  await Promise.all(Array.from({ length: 70 }, (_, at) => writeFile(join(folder, `A${at}.ttf`), 'no font')))
  await cp(serif, join(folder, name))
  const { warnings } = await pdf(columnsOf('text'), [['\u{1fae8}'], ['\u1200'], ['Ⴀ']], {
    font: { regular: mono },
    systemFonts: [folder],
  })
  expect(warnings).toEqual([expect.objectContaining({ characters: ['\u{1fae8}', '\u1200'] })])
  await rm(folder, { recursive: true })
})

test('a file with more than 20,000 different characters is refused', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'viewset-test-'))
  const regular = join(folder, 'ideographs.ttf')
  await writeFile(regular, withIdeographs(await readFile(mono)))
  const characters = Array.from({ length: 20_500 }, (_, at) => String.fromCharCode(FIRST + at))
  const rows = Array.from({ length: 205 }, (_, at): CellRow => [characters.slice(at * 100, at * 100 + 100).join('')])
  await expect(pdf(columnsOf('text'), rows, { font: { regular } })).rejects.toMatchObject({
    code: 'too_large',
    message: 'A PDF has 20,000 different characters at most; export fewer rows, or CSV or XLSX.',
  })
  await rm(folder, { recursive: true })
})

const FIRST = 0x3100

/** A font whose glyphs stand for 24,000 characters from {@link FIRST} on. */
function withIdeographs(font: Buffer): Buffer {
  const ranges = Array.from({ length: 8 }, (_, at) => [FIRST + at * 3_000, FIRST + at * 3_000 + 2_999, 3])
  const table = Buffer.alloc(28 + ranges.length * 12)
  table.writeUInt16BE(1, 2)
  table.writeUInt16BE(3, 4)
  table.writeUInt16BE(10, 6)
  table.writeUInt32BE(12, 8)
  table.writeUInt16BE(12, 12)
  table.writeUInt32BE(table.length - 12, 16)
  table.writeUInt32BE(ranges.length, 24)
  for (const [at, value] of ranges.flat().entries()) table.writeUInt32BE(value, 28 + at * 4)
  const start = Buffer.alloc(Math.ceil(font.length / 4) * 4)
  font.copy(start)
  for (let at = 12; at < 12 + font.readUInt16BE(4) * 16; at += 16) {
    if (font.toString('latin1', at, at + 4) !== 'cmap') continue
    start.writeUInt32BE(start.length, at + 8)
    start.writeUInt32BE(table.length, at + 12)
  }
  return Buffer.concat([start, table])
}

/** A collection of one font. Its tables stand behind the header of the collection. */
function collectionOf(font: Buffer): Buffer {
  const header = Buffer.alloc(16)
  header.write('ttcf')
  header.writeUInt32BE(0x10000, 4)
  header.writeUInt32BE(1, 8)
  header.writeUInt32BE(header.length, 12)
  const moved = Buffer.from(font)
  for (let table = 0; table < font.readUInt16BE(4); table++) {
    const at = 12 + table * 16 + 8
    moved.writeUInt32BE(font.readUInt32BE(at) + header.length, at)
  }
  return Buffer.concat([header, moved])
}

test('sets marks and right-to-left text', async () => {
  const { pages, warnings } = await pdf(columnsOf('text'), [['cafe\u0301'], ['ישראל'], ['جمهورية مصر العربية 2024']])
  expect(warnings).toEqual([])
  const text = pages[0]!.normalize('NFKC')
  expect(text).toContain('café')
  expect(text).toContain('ישראל')
  expect(text).toContain('جمهورية مصر العربية 2024'.normalize('NFKC'))
})

test('cuts text beyond any use, and says so', async () => {
  const { warnings } = await pdf(columnsOf('text'), [['word '.repeat(7000)]])
  expect(warnings).toMatchObject([{ code: 'text_cut', message: '1 cell had more than 32,767 characters and was cut.' }])
})

test.each(['/no/such/font.ttf', import.meta.filename])('refuses %s as a font', async path => {
  await expect(pdf(columnsOf('text'), [['a']], { fonts: [path] })).rejects.toMatchObject({
    code: 'bad_font',
    message: `The font ${path} cannot be used: it must be a .ttf or .otf file, or .ttc#Name.`,
  })
})

test('gives up after its time', async () => {
  const rows = Array.from({ length: 1000 }, (): CellRow => ['text '.repeat(100)])
  await expect(pdf(columnsOf('text'), rows, { timeLimit: 1 })).rejects.toMatchObject({ code: 'out_of_time' })
})

test('gives up when it needs too much memory', async () => {
  // One batch that is larger than the worker may become.
  const rows = Array.from({ length: 4000 }, (_, index): CellRow => [`${index} `.repeat(5000)])
  const file = pdfWriter({ memoryLimit: 16 }).write(columnsOf('text'), [rows])
  await expect(bytesOf(file)).rejects.toMatchObject({ code: 'too_large' })
})

test('makes so many files at a time; the rows of the others wait', async () => {
  const writer = pdfWriter({ concurrency: 1 })
  const first = new Source(() => [['a']])
  const second = new Source(index => (index === 0 ? [['b']] : undefined))
  const stuck = writer.write(columnsOf('text'), first)
  stuck.resume()
  const readBatches = () => first.batchesRead
  await expect.poll(readBatches).toBeGreaterThan(0)
  const waiting = bytesOf(writer.write(columnsOf('text'), second))
  const reached = readBatches()
  await expect.poll(readBatches).toBeGreaterThan(reached + 5)
  expect(second.batchesRead).toBe(0)
  stuck.destroy()
  expect((await waiting).length).toBeGreaterThan(0)
})

test('names the packages to install when they are not there', async () => {
  // A copy out of reach of node_modules, run as it is.
  const folder = await mkdtemp(join(tmpdir(), 'viewset-tabular-'))
  try {
    for (const layer of ['core', 'tabular']) {
      await cp(join(import.meta.dirname, '../../src', layer), join(folder, layer), { recursive: true })
    }
    const script = `
      import { pdfWriter } from ${JSON.stringify(join(folder, 'tabular/pdf/write.ts'))}
      const writer = pdfWriter()
      const error = await writer.write([], []).toArray().catch(error => error)
      console.log(JSON.stringify([writer.missingPackages(), error.code, error.message]))`
    const { stdout } = await promisify(execFile)(process.execPath, ['--input-type=module', '--eval', script])
    expect(JSON.parse(stdout)).toEqual([
      ['pdfkit', 'dejavu-fonts-ttf'],
      'missing_package',
      'PDF files need packages that are not installed: npm install pdfkit dejavu-fonts-ttf',
    ])
  } finally {
    await rm(folder, { recursive: true })
  }
})

test('aligns a column as it is told, its header too; numbers stand at the right by themselves', async () => {
  const column = (header: string, kind: TabularColumn['kind'], align?: 'left' | 'center' | 'right'): TabularColumn => ({
    header,
    kind,
    width: 30,
    ...(align && { align }),
  })
  const columns = [
    column('A', 'text'),
    column('B', 'text', 'center'),
    column('C', 'text', 'right'),
    column('D', 'integer'),
    column('E', 'integer', 'left'),
  ]
  const file = await draw(columns, [['a', 'b', 'c', 4, 5]])
  const { items } = await (await (await getDocumentProxy(file)).getPage(1)).getTextContent()
  const lefts = new Map(
    items.flatMap(item => ('str' in item ? [[item.str, item.transform[4] as number] as const] : [])),
  )
  const width = (lefts.get('E') as number) - (lefts.get('A') as number)
  /** Where a text stands in its column, from 0 at its left to 1 at its right. */
  const at = (text: string, index: number) =>
    ((lefts.get(text) as number) - (lefts.get('A') as number) - (index * width) / 4) / (width / 4)
  for (const [texts, place] of [
    [
      ['A', 'a'],
      [0, 0],
    ],
    [
      ['B', 'b'],
      [0.4, 0.5],
    ],
    [
      ['C', 'c'],
      [0.85, 1],
    ],
    [
      ['D', '4'],
      [0.85, 1],
    ],
    [
      ['E', '5'],
      [0, 0],
    ],
  ] as const) {
    for (const text of texts) {
      const found = at(
        text,
        columns.findIndex(({ header }) => header === texts[0]),
      )
      expect(found, text).toBeGreaterThan(place[0] - 0.01)
      expect(found, text).toBeLessThan(place[1] + 0.01)
    }
  }
})

test('finds its fonts in a program of its own, where no test runner lends a `require`', async () => {
  const program = `
    import { pdfWriter } from 'viewset/files'
    const parts = await pdfWriter().write([{ header: 'Name', kind: 'text' }], [[['Oslo']]]).toArray()
    console.log(Buffer.concat(parts).toString('latin1', 0, 5))`
  const args = ['--conditions=viewset-source', '--input-type=module', '--eval', program]
  const { stdout } = await promisify(execFile)(process.execPath, args, { cwd: import.meta.dirname })
  expect(stdout).toBe('%PDF-\n')
})
