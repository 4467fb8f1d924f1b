import { NO_RESULT, type ReadCell, SheetError } from '../file.ts'
import type { FoundRow } from '../found-row.ts'
import type { ReadLimits } from '../limits.ts'
import { numberCell } from '../number-format.ts'
import { RowBatches } from '../row-batches.ts'
import type { SheetView } from '../sheet-view.ts'
import type { XlsGlobals } from './globals.ts'
import { RECORD, Records } from './records.ts'

const CELLS: ReadonlySet<number> = new Set([
  RECORD.formula,
  RECORD.formula3,
  RECORD.formula4,
  RECORD.numbers,
  RECORD.richText,
  RECORD.sharedText,
  RECORD.number,
  RECORD.text,
  RECORD.truthOrError,
  RECORD.shortNumber,
])

interface SheetReading {
  readonly globals: XlsGlobals
  readonly limits: ReadLimits
  /** Gets what the sheet hides and merges. */
  readonly view: SheetView
}

/** The rows of a sheet. */
export function* xlsRows(stream: Buffer, start: number, reading: SheetReading): Generator<FoundRow[]> {
  const { globals, limits, view } = reading
  const batches = new RowBatches(limits)
  const { positions, hiddenRows } = scanSheet(stream, start, view)
  let row = -1
  let cells: ReadCell[] = []
  let at: number[] = []
  const endRow = () => {
    const before = batches.count
    if (cells.length > 0) batches.add(row + 1, cells, at)
    if (batches.count > before) view.addRow(row + 1, hiddenRows.has(row))
    cells = []
    at = []
  }
  const records = new Records(stream, start)
  for (const position of positions) {
    const its = stream.readUInt16LE(position + 4)
    if (its !== row) {
      endRow()
      yield* batches.takeFull()
      row = its
    }
    records.end = position
    records.next()
    const first = stream.readUInt16LE(position + 6)
    for (const [index, cell] of cellsOf(records, globals).entries()) {
      if (cell === null) continue
      cells.push(cell)
      at.push(first + index)
    }
  }
  endRow()
  yield* batches.takeAll()
}

interface ScannedSheet {
  /** The positions of the records with cells, by row. Programs may write the rows in any order. */
  readonly positions: readonly number[]
  readonly hiddenRows: ReadonlySet<number>
}

function scanSheet(stream: Buffer, start: number, view: SheetView): ScannedSheet {
  const positions: number[] = []
  const hiddenRows = new Set<number>()
  let isSorted = true
  let last = 0
  // A chart on the sheet is nested, and its cells are those that it shows.
  let depth = 0
  const records = new Records(stream, start)
  // Some programs leave out the end of the last sheet.
  while (records.next()) {
    const { id, at } = records
    if (id === RECORD.begin) depth++
    else if (id === RECORD.end && --depth === 0) break
    else if (depth !== 1) continue
    else if (CELLS.has(id)) {
      const row = stream.readUInt16LE(at)
      isSorted &&= row >= last
      last = row
      positions.push(at - 4)
    } else if (id === RECORD.row) {
      if ((stream.readUInt16LE(at + 12) & IS_ROW_HIDDEN) !== 0) hiddenRows.add(stream.readUInt16LE(at))
    } else if (id === RECORD.column) {
      const isHidden = (stream.readUInt16LE(at + 8) & IS_COLUMN_HIDDEN) !== 0
      if (isHidden) view.hideColumns(stream.readUInt16LE(at), stream.readUInt16LE(at + 2))
    } else if (id === RECORD.merged) mergeAreas(records, view)
  }
  const rowOf = (position: number) => stream.readUInt16LE(position + 4)
  if (!isSorted) positions.sort((a, b) => rowOf(a) - rowOf(b) || a - b)
  return { positions, hiddenRows }
}

const IS_ROW_HIDDEN = 0x20
const IS_COLUMN_HIDDEN = 1

function mergeAreas({ stream, at, end }: Records, view: SheetView): void {
  for (let area = at + 2; area + 8 <= end; area += 8) {
    const [firstRow, lastRow] = [stream.readUInt16LE(area) + 1, stream.readUInt16LE(area + 2) + 1]
    const [firstColumn, lastColumn] = [stream.readUInt16LE(area + 4), stream.readUInt16LE(area + 6)]
    view.merge({ firstRow, lastRow, firstColumn, lastColumn })
  }
}

/** The cells of a record, which stand side by side. */
function cellsOf(records: Records, globals: XlsGlobals): readonly ReadCell[] {
  const { stream, id, at, end } = records
  const number = (value: number, style: number) =>
    numberCell(String(value), globals.formats[stream.readUInt16LE(style)], globals.countsFrom1904)
  switch (id) {
    case RECORD.sharedText:
      return [globals.texts[stream.readUInt32LE(at + 6)] || null]
    case RECORD.text:
    case RECORD.richText:
      return [textAt(records, 6, globals)]
    case RECORD.number:
      return [number(stream.readDoubleLE(at + 6), at + 4)]
    case RECORD.shortNumber:
      return [number(shortNumber(stream, at + 6), at + 4)]
    case RECORD.numbers: {
      const count = Math.floor((end - at - 6) / 6)
      return Array.from({ length: count }, (_, i) => number(shortNumber(stream, at + 6 + i * 6), at + 4 + i * 6))
    }
    case RECORD.truthOrError:
      return [stream[at + 7] === 1 ? errorCell(stream[at + 6]) : stream[at + 6] === 1]
    default:
      if (stream.readUInt16LE(at + 12) !== 0xffff) return [number(stream.readDoubleLE(at + 6), at + 4)]
      return [resultOf(records, globals)]
  }
}

function textAt(records: Records, skipped: number, { readText }: XlsGlobals): ReadCell {
  const content = records.whole()
  content.skip(skipped)
  return readText(content) || null
}

/** The result of a formula that is not a number: its first byte is its type. A text follows in a record of its own. */
function resultOf(records: Records, globals: XlsGlobals): ReadCell {
  const { stream, at } = records
  switch (stream[at + 6]) {
    case 0:
      do if (!records.next()) return new SheetError(NO_RESULT)
      while (BETWEEN.has(records.id))
      return records.id === RECORD.textResult ? textAt(records, 0, globals) : new SheetError(NO_RESULT)
    case 1:
      return stream[at + 8] === 1
    case 2:
      return errorCell(stream[at + 8])
    default:
      return null
  }
}

/** Records that may stand between a formula and its text. */
const BETWEEN: ReadonlySet<number> = new Set([RECORD.sharedFormula, RECORD.array, RECORD.table, RECORD.continue])

const ERRORS: ReadonlyMap<number | undefined, string> = new Map([
  [0, '#NULL!'],
  [7, '#DIV/0!'],
  [15, '#VALUE!'],
  [23, '#REF!'],
  [29, '#NAME?'],
  [36, '#NUM!'],
  [42, '#N/A'],
])

function errorCell(code: number | undefined): SheetError {
  return new SheetError(ERRORS.get(code) ?? '#ERR!')
}

/** A number in four bytes: the upper half of a double, or a whole number; either may count hundredths. */
function shortNumber(stream: Buffer, at: number): number {
  const bits = stream.readInt32LE(at)
  if ((bits & 2) === 0) double.writeInt32LE(bits & ~3, 4)
  const value = bits & 2 ? bits >> 2 : double.readDoubleLE(0)
  return bits & 1 ? value / 100 : value
}

const double = Buffer.alloc(8)
