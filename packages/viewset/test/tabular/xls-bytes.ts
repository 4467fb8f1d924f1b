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

const part = (type: number, records: readonly Buffer[]) =>
  Buffer.concat([record(0x809, 0x600, type, 0, 0, 0, 0, 0, 0), ...records, record(0x0a)])

/** A result of a formula that is no number. */
const special = (type: number, value = 0) => Buffer.from([type, 0, value, 0, 0, 0, 0xff, 0xff])
const formula = (row: number, column: number, result: Buffer) =>
  record(0x06, row, column, 0, result, Buffer.alloc(6), Buffer.from([3, 0, 0x1e, 1, 0]))

/** The records of a worksheet. */
export const xls = {
  text: (row: number, column: number, value: string) => record(0x204, row, column, 0, text(value)),
  number: (row: number, column: number, value: number) => {
    const double = Buffer.alloc(8)
    double.writeDoubleLE(value)
    return record(0x203, row, column, 0, double)
  },
  boolean: (row: number, column: number, value: boolean) =>
    record(0x205, row, column, 0, Buffer.from([value ? 1 : 0, 0])),
  error: (row: number, column: number, code: number) => record(0x205, row, column, 0, Buffer.from([code, 1])),
  /** A formula whose result is a text, with what stands between the two. */
  formulaText: (row: number, column: number, value: string, ...between: readonly Buffer[]) =>
    Buffer.concat([formula(row, column, special(0)), ...between, record(0x207, text(value))]),
  formulaError: (row: number, column: number, code: number) => formula(row, column, special(2, code)),
  emptyFormula: (row: number, column: number) => formula(row, column, special(3)),
  sharedFormula: record(0x4bc, Buffer.alloc(10, 7)),
  array: Buffer.concat([record(0x221, Buffer.alloc(14, 7)), record(0x3c, Buffer.alloc(5, 7))]),
  table: record(0x236, Buffer.alloc(16, 7)),
  /** A chart on the sheet, which keeps the values that it shows. */
  chart: (...records: readonly Buffer[]) => part(0x20, records),
}

/** A part of a workbook: a worksheet, or a sheet that is a chart. */
export interface XlsSheet {
  readonly name: string
  readonly isChart?: boolean
  /** 1 for hidden, 2 for very hidden. */
  readonly state?: 0 | 1 | 2
  readonly records: readonly Buffer[]
}

/** An XLS workbook. @param isSmall as a stream below 4,096 bytes is stored */
export function xlsFile(sheets: readonly XlsSheet[], isSmall = false): Buffer {
  const globals = (positions: readonly number[]) =>
    part(
      0x05,
      sheets.map(({ name, isChart, state = 0 }, i) =>
        record(
          0x85,
          numbers(32, positions[i] ?? 0),
          Buffer.from([state, isChart ? 2 : 0, name.length, 0]),
          Buffer.from(name, 'latin1'),
        ),
      ),
    )
  const parts = sheets.map(({ isChart, records }) => part(isChart ? 0x20 : 0x10, records))
  const start = globals([]).length
  const positions = parts.map((_, i) => start + Buffer.concat(parts.slice(0, i)).length)
  return container(Buffer.concat([globals(positions), ...parts]), isSmall)
}

function container(stream: Buffer, isSmall: boolean): Buffer {
  const size = isSmall ? stream.length : Math.max(stream.length, 4096)
  const data = Buffer.alloc(Math.ceil(size / SECTOR) * SECTOR)
  stream.copy(data)
  const length = data.length / SECTOR
  // Sector 0 is the table, 1 the directory, 2 the table of small sectors, the others are the data in reverse order.
  const sectors = Array.from({ length }, (_, i) => data.subarray(i * SECTOR, (i + 1) * SECTOR)).toReversed()
  const first = 2 + length
  const table = [0xfffffffd, LAST, LAST, ...sectors.map((_, i) => (i === 0 ? LAST : 2 + i))]
  const smallTable = Array.from({ length: Math.ceil(size / SMALL) }, (_, i) => i + 1).slice(0, SECTOR / 4)
  smallTable[smallTable.length - 1] = LAST
  const header = Buffer.alloc(SECTOR)
  Buffer.from('d0cf11e0a1b11ae1', 'hex').copy(header)
  numbers(16, 0x3e, 3, 0xfffe, 9, 6).copy(header, 24)
  numbers(32, 1, 1, 0, 4096, isSmall ? 2 : LAST, isSmall ? 1 : 0, LAST, 0, 0).copy(header, 44)
  header.fill(0xff, 80)
  return Buffer.concat([
    header,
    filled(table),
    Buffer.concat([
      entry('Root Entry', 5, isSmall ? first : LAST, isSmall ? data.length : 0),
      entry('Workbook', 2, isSmall ? 0 : first, size),
      Buffer.alloc(256),
    ]),
    filled(isSmall ? smallTable : []),
    ...sectors,
  ])
}

function filled(values: readonly number[]): Buffer {
  return numbers(32, ...values, ...new Array<number>(SECTOR / 4 - values.length).fill(FREE))
}

function entry(name: string, type: number, start: number, size: number): Buffer {
  const bytes = Buffer.alloc(128)
  bytes.write(name, 'utf16le')
  bytes.writeUInt16LE((name.length + 1) * 2, 64)
  bytes.writeUInt8(type, 66)
  bytes.writeUInt32LE(start, 116)
  bytes.writeUInt32LE(size, 120)
  return bytes
}
