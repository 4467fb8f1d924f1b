const SECTOR = 512
const SMALL = 64
const LAST = 0xfffffffe
const FREE = 0xffffffff

/** Little-endian numbers of this many bits each. */
function numbers(bits: 16 | 32, ...values: readonly number[]): Buffer {
  const bytes = Buffer.alloc((values.length * bits) / 8)
  for (const [i, value] of values.entries()) {
    if (bits === 16) bytes.writeUInt16LE(value, i * 2)
    else bytes.writeUInt32LE(value, i * 4)
  }
  return bytes
}

function record(id: number, ...data: readonly (Buffer | number)[]): Buffer {
  const bytes = Buffer.concat(data.map(each => (typeof each === 'number' ? numbers(16, each) : each)))
  return Buffer.concat([numbers(16, id, bytes.length), bytes])
}

const text = (value: string) =>
  Buffer.concat([numbers(16, value.length), Buffer.from([1]), Buffer.from(value, 'utf16le')])

const part = (type: number, records: readonly Buffer[], version = 0x600) =>
  Buffer.concat([record(0x809, version, type, 0, 0, 0, 0, 0, 0), ...records, record(0x0a)])

/** A result of a formula that is no number. */
const special = (type: number, value = 0) => Buffer.from([type, 0, value, 0, 0, 0, 0xff, 0xff])
const formula = (row: number, column: number, result: Buffer, id = 0x06) =>
  record(id, row, column, 0, result, Buffer.alloc(6), Buffer.from([3, 0, 0x1e, 1, 0]))

function double(value: number): Buffer {
  const bytes = Buffer.alloc(8)
  bytes.writeDoubleLE(value)
  return bytes
}

/** The records of a worksheet. `style` is the position of a format in {@link XlsOptions.formats}. */
export const xls = {
  text: (row: number, column: number, value: string) => record(0x204, row, column, 0, text(value)),
  /** A text of Excel 5, which has one byte for each character. */
  oldText: (row: number, column: number, value: Buffer) => record(0x204, row, column, 0, value.length, value),
  sharedText: (row: number, column: number, index: number) => record(0xfd, row, column, 0, numbers(32, index)),
  number: (row: number, column: number, value: number, style = 0) => record(0x203, row, column, style, double(value)),
  /** Whole numbers side by side. */
  shortNumbers: (row: number, column: number, values: readonly number[]) =>
    record(
      0xbd,
      row,
      column,
      ...values.flatMap(value => [0, numbers(32, ((value << 2) | 2) >>> 0)]),
      column + values.length - 1,
    ),
  /** The upper half of a double, or a whole number, in hundredths if `isHundredth`. */
  shortNumber: (row: number, column: number, value: number, isHundredth = false) => {
    const isWhole = Number.isInteger(value)
    const bits = isWhole ? (value << 2) | 2 : double(value).readInt32LE(4) & ~3
    return record(0x27e, row, column, 0, numbers(32, (bits | (isHundredth ? 1 : 0)) >>> 0))
  },
  boolean: (row: number, column: number, value: boolean) =>
    record(0x205, row, column, 0, Buffer.from([value ? 1 : 0, 0])),
  error: (row: number, column: number, code: number) => record(0x205, row, column, 0, Buffer.from([code, 1])),
  /** A formula whose result is a number. @param id of the record; programs write three */
  formulaNumber: (row: number, column: number, value: number, id = 0x06) => formula(row, column, double(value), id),
  /** A formula whose result is a text, with what stands between the two. */
  formulaText: (row: number, column: number, value: string, ...between: readonly Buffer[]) =>
    Buffer.concat([formula(row, column, special(0)), ...between, record(0x207, text(value))]),
  /** A text that is longer than a record: each part in a record of its own. */
  formulaLongText: (row: number, column: number, parts: readonly string[]) => {
    const [first = '', ...others] = parts
    const flagged = (value: string) => Buffer.concat([Buffer.from([1]), Buffer.from(value, 'utf16le')])
    const length = numbers(16, parts.join('').length)
    return Buffer.concat([
      formula(row, column, special(0)),
      record(0x207, length, flagged(first)),
      ...others.map(part => record(0x3c, flagged(part))),
    ])
  },
  formulaError: (row: number, column: number, code: number) => formula(row, column, special(2, code)),
  emptyFormula: (row: number, column: number) => formula(row, column, special(3)),
  /** A formula whose result is a text that is not in the file. */
  formulaWithoutText: (row: number, column: number) => formula(row, column, special(0)),
  sharedFormula: record(0x4bc, Buffer.alloc(10, 7)),
  array: Buffer.concat([record(0x221, Buffer.alloc(14, 7)), record(0x3c, Buffer.alloc(5, 7))]),
  table: record(0x236, Buffer.alloc(16, 7)),
  /** A chart on the sheet, which keeps the values that it shows. */
  chart: (...records: readonly Buffer[]) => part(0x20, records),
  hiddenRow: (row: number) => record(0x208, row, 0, 1, 255, 0, 0, 0x0120, 0),
  hiddenColumns: (first: number, last: number) => record(0x7d, first, last, 0, 0, 1, 0),
  merged: (firstRow: number, lastRow: number, firstColumn: number, lastColumn: number) =>
    record(0xe5, 1, firstRow, lastRow, firstColumn, lastColumn),
}

/** A part of a workbook: a worksheet, or a sheet that is a chart. */
export interface XlsSheet {
  readonly name: string
  readonly isChart?: boolean
  /** 1 for hidden, 2 for very hidden. */
  readonly state?: 0 | 1 | 2
  readonly records: readonly Buffer[]
}

interface XlsOptions extends Storage {
  /** The numbers of built-in formats, or own formats. */
  readonly formats?: readonly (number | string)[]
  readonly sharedTexts?: readonly Buffer[]
  /** The version of Excel 5. Then texts have a code page. */
  readonly codePage?: number
}

interface Storage {
  /** As a stream below 4,096 bytes is stored. */
  readonly isSmall?: boolean
  /** The name of the workbook's stream. */
  readonly stream?: string
  /** The name of a stream in a folder of the root, with other content. */
  readonly embedded?: { readonly name: string; readonly content: Buffer }
  /** The bytes that the last sector lacks. */
  readonly missing?: number
}

/** A shared text. `runs` are the parts of a rich text, which say nothing about its characters. */
export function sharedText(value: string, runs: 0 | 1 = 0): Buffer {
  const flags = Buffer.from([1 | (runs * 8)])
  const content = Buffer.from(value, 'utf16le')
  return Buffer.concat([
    numbers(16, value.length),
    flags,
    runs ? numbers(16, 1) : Buffer.alloc(0),
    content,
    Buffer.alloc(runs * 4, 9),
  ])
}

/** The stream of a workbook. */
export function xlsStream(sheets: readonly XlsSheet[], options: XlsOptions = {}): Buffer {
  const { formats = [], sharedTexts = [], codePage } = options
  const version = codePage === undefined ? 0x600 : 0x500
  const own = formats.flatMap((format, i) => (typeof format === 'string' ? [record(0x41e, 200 + i, text(format))] : []))
  const styles = formats.map((format, i) =>
    record(0xe0, 0, typeof format === 'number' ? format : 200 + i, Buffer.alloc(16)),
  )
  const texts =
    sharedTexts.length === 0
      ? []
      : [record(0xfc, numbers(32, sharedTexts.length, sharedTexts.length), Buffer.concat(sharedTexts))]
  const nameOf = (name: string) =>
    codePage === undefined
      ? Buffer.from([name.length, 0, ...Buffer.from(name, 'latin1')])
      : Buffer.from([name.length, ...Buffer.from(name, 'latin1')])
  const globals = (positions: readonly number[]) =>
    part(
      0x05,
      [
        ...(codePage === undefined ? [] : [record(0x42, codePage)]),
        ...own,
        ...styles,
        ...sheets.map(({ name, isChart, state = 0 }, i) =>
          record(0x85, numbers(32, positions[i] ?? 0), Buffer.from([state, isChart ? 2 : 0]), nameOf(name)),
        ),
        ...texts,
      ],
      version,
    )
  const parts = sheets.map(({ isChart, records }) => part(isChart ? 0x20 : 0x10, records, version))
  const start = globals([]).length
  const positions = parts.map((_, i) => start + Buffer.concat(parts.slice(0, i)).length)
  return Buffer.concat([globals(positions), ...parts])
}

/** An XLS workbook. */
export function xlsFile(sheets: readonly XlsSheet[], options: XlsOptions = {}): Buffer {
  return oleFile(xlsStream(sheets, options), options)
}

/** An OLE file with one stream, and perhaps another one in a folder. */
export function oleFile(
  content: Buffer,
  { isSmall = false, stream = 'Workbook', embedded, missing = 0 }: Storage = {},
): Buffer {
  const size = isSmall ? content.length : Math.max(content.length, 4096)
  const data = padded(content, Math.ceil(size / SECTOR))
  const length = data.length / SECTOR
  const other = padded(
    embedded?.content ?? Buffer.alloc(0),
    embedded ? Math.max(8, Math.ceil(embedded.content.length / SECTOR)) : 0,
  )
  // Sector 0 is the table, 1 and 2 the directory, 3 the table of small sectors, then the data in reverse order.
  const sectors = sectorsOf(data).toReversed()
  const first = 3 + length
  const otherFirst = first + 1
  const otherSectors = sectorsOf(other)
  const table = [
    0xfffffffd,
    2,
    LAST,
    LAST,
    ...sectors.map((_, i) => (i === 0 ? LAST : 3 + i)),
    ...otherSectors.map((_, i) => (i === otherSectors.length - 1 ? LAST : otherFirst + i + 1)),
  ]
  const smallTable = Array.from({ length: Math.ceil(size / SMALL) }, (_, i) => i + 1).slice(0, SECTOR / 4)
  smallTable[smallTable.length - 1] = LAST
  const header = Buffer.alloc(SECTOR)
  Buffer.from('d0cf11e0a1b11ae1', 'hex').copy(header)
  numbers(16, 0x3e, 3, 0xfffe, 9, 6).copy(header, 24)
  numbers(32, 1, 1, 0, 4096, isSmall ? 3 : LAST, isSmall ? 1 : 0, LAST, 0, 0).copy(header, 44)
  header.fill(0xff, 80)
  const folder = embedded
    ? [
        entry('MBD0001', 1, LAST, 0, { child: 3 }),
        // The last entry of the file, by which a reader without folders would find the embedded one.
        entry(embedded.name, 2, otherFirst, other.length),
      ]
    : []
  const directory = Buffer.concat([
    entry('Root Entry', 5, isSmall ? first : LAST, isSmall ? data.length : 0, { child: 1 }),
    entry(stream, 2, isSmall ? 0 : first, size, embedded ? { right: 2 } : {}),
    ...folder,
  ])
  const file = Buffer.concat([
    header,
    filled(table),
    padded(directory, 2),
    filled(isSmall ? smallTable : []),
    ...sectors,
    ...otherSectors,
  ])
  return file.subarray(0, file.length - missing)
}

function padded(content: Buffer, sectors: number): Buffer {
  const data = Buffer.alloc(sectors * SECTOR)
  content.copy(data)
  return data
}

function sectorsOf(data: Buffer): Buffer[] {
  return Array.from({ length: data.length / SECTOR }, (_, i) => data.subarray(i * SECTOR, (i + 1) * SECTOR))
}

function filled(values: readonly number[]): Buffer {
  if (values.length > SECTOR / 4) throw new RangeError('The table of this file has one sector.')
  return numbers(32, ...values, ...new Array<number>(SECTOR / 4 - values.length).fill(FREE))
}

interface Tree {
  readonly right?: number
  readonly child?: number
}

function entry(
  name: string,
  type: number,
  start: number,
  size: number,
  { right = FREE, child = FREE }: Tree = {},
): Buffer {
  const bytes = Buffer.alloc(128)
  bytes.write(name, 'utf16le')
  bytes.writeUInt16LE((name.length + 1) * 2, 64)
  bytes.writeUInt8(type, 66)
  numbers(32, FREE, right, child).copy(bytes, 68)
  bytes.writeUInt32LE(start, 116)
  bytes.writeUInt32LE(size, 120)
  return bytes
}
