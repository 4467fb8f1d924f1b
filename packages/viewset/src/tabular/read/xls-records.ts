const FORMULA = 0x06
const END = 0x0a
const CONTINUE = 0x3c
const SHEET = 0x85
const BOOLEAN_OR_ERROR = 0x205
const STRING = 0x207
const ARRAY = 0x221
const TABLE = 0x236
const SHARED_FORMULA = 0x4bc
const BEGIN = 0x809
const NO_RECORD = 0xffff

/** The type of a part that is a chart. */
const CHART = 0x20
/** What may stand between a formula and its text. */
const BETWEEN = new Set([SHARED_FORMULA, ARRAY, TABLE, CONTINUE])

/** Which cells of a sheet are errors, as {@link cellNumber} has them. */
export type ErrorCells = ReadonlySet<number>

/** A number for the cell of a sheet. */
export function cellNumber(row: number, column: number): number {
  return row * 0x10000 + column
}

/** A record of a workbook: its number, and where its data begin and end. */
interface BiffRecord {
  readonly id: number
  readonly start: number
  readonly data: number
  readonly end: number
}

/**
 * Changes the records of an XLS workbook to what its reader expects, and finds what the reader does not report:
 *
 * - The text of a formula must follow the formula at once. In a formula that was filled down, and in one of an array,
 *   its definition stands between the two.
 * - The reader takes the values that a chart keeps for cells of the sheet, so that charts must go.
 * - The reader gives errors as text.
 *
 * @param stream is changed
 * @returns the error cells of each sheet, in the order of the sheets
 */
export function adaptRecords(stream: Buffer): readonly ErrorCells[] {
  const starts: number[] = []
  const errors = new Map<number, Set<number>>()
  let current = new Set<number>()
  let depth = 0
  /** How deep the chart is that the record belongs to; 0 outside of charts. */
  let chart = 0
  for (let record = readRecord(stream, 0); record; record = readRecord(stream, record.end)) {
    const { id, start, data } = record
    const sheet = errors.get(start)
    if (sheet) {
      current = sheet
      depth = 0
      chart = 0
    }
    if (id === BEGIN) {
      depth++
      if (chart === 0 && stream.readUInt16LE(data + 2) === CHART) chart = depth
    }
    // A sheet that is only a chart keeps its first and last record.
    const isOwn = depth === 1 && (id === BEGIN || id === END)
    if (chart !== 0 && !isOwn) stream.writeUInt16LE(NO_RECORD, start)
    else if (id === SHEET) {
      starts.push(stream.readUInt32LE(data))
      errors.set(stream.readUInt32LE(data), new Set())
    } else if (id === BOOLEAN_OR_ERROR && stream[data + 7] === 1) current.add(cellAt(stream, data))
    else if (id === FORMULA) adaptFormula(stream, record, current)
    if (id === END) {
      if (depth === chart) chart = 0
      depth--
    }
  }
  return starts.map(start => errors.get(start) ?? new Set())
}

/** The record at `start`; `undefined` at the end of the workbook. */
function readRecord(stream: Buffer, start: number): BiffRecord | undefined {
  if (start + 4 > stream.length) return undefined
  const id = stream.readUInt16LE(start)
  const end = start + 4 + stream.readUInt16LE(start + 2)
  return (id === 0 && end === start + 4) || end > stream.length ? undefined : { id, start, data: start + 4, end }
}

function cellAt(stream: Buffer, data: number): number {
  return cellNumber(stream.readUInt16LE(data), stream.readUInt16LE(data + 2))
}

/** The result of a formula has eight bytes. If it is no number, the last two are set, and the first one is its type. */
function adaptFormula(stream: Buffer, { data, end }: BiffRecord, errors: Set<number>): void {
  if (stream.readUInt16LE(data + 12) !== 0xffff) return
  const type = stream[data + 6]
  if (type === 2) errors.add(cellAt(stream, data))
  if (type !== 0) return
  let next = readRecord(stream, end)
  while (next && BETWEEN.has(next.id)) next = readRecord(stream, next.end)
  if (next?.id !== STRING) return
  const text = stream.subarray(next.start, next.end)
  Buffer.concat([text, stream.subarray(end, next.start)]).copy(stream, end)
}
