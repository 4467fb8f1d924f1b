import { readFile } from 'node:fs/promises'
import { message } from '../../core/messages/message.ts'
import { TabularError } from '../errors.ts'
import { type ReadCell, SheetError } from './file.ts'
import { type FoundRow, momentCell, type SheetSource } from './found-row.ts'
import type { ReadLimits } from './limits.ts'
import { RowBatches } from './row-batches.ts'

/** The sheets of an XLS workbook (Excel 97 to 2003). Read as a whole, because a sheet has at most 65,536 rows. */
export async function xlsSheets(path: string, limits: ReadLimits): Promise<SheetSource[]> {
  const { readXls } = await loadHucre()
  const bytes = await readFile(path)
  if (isEncrypted(bytes)) throw new TabularError('encrypted', message('encrypted'))
  try {
    const described = adaptWorkbook(bytes)
    const { sheets } = await readXls(bytes)
    return sheets.map(({ name, rows }, at) => {
      const { isHidden = false, errors = new Set<number>() } = described[at] ?? {}
      return { name, isHidden, rows: () => rowBatches(rows, errors, limits) }
    })
  } catch (error) {
    throw new TabularError('unreadable', message('unreadable.xls'), error)
  }
}

/** Changes the file so that hucre reads it correctly. Returns what hucre leaves out of each sheet. */
function adaptWorkbook(file: Buffer): readonly SheetFacts[] {
  const parts = workbookParts(file)
  const stream = Buffer.concat(parts)
  const described = adaptRecords(stream)
  let at = 0
  for (const part of parts) at += stream.copy(part, 0, at, at + part.length)
  return described
}

async function loadHucre() {
  try {
    return await import('hucre/xlsx')
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ERR_MODULE_NOT_FOUND') throw error
    const problem = 'XLS files need a package that is not installed: npm install hucre'
    throw new TabularError('missing_package', problem, error)
  }
}

async function* rowBatches(
  rows: readonly (readonly unknown[] | undefined)[],
  errors: ErrorCells,
  limits: ReadLimits,
): AsyncGenerator<FoundRow[]> {
  const batches = new RowBatches(limits)
  for (const [index, values = []] of rows.entries()) {
    const cells = values.slice(0, values.findLastIndex(isFilled) + 1).map((value, column) => {
      const isError = typeof value === 'string' && errors.has(cellNumber(index, column))
      return isError ? new SheetError(value) : xlsCell(value)
    })
    batches.add(index + 1, cells)
    yield* batches.takeFull()
  }
  yield* batches.takeAll()
}

function isFilled(value: unknown): boolean {
  return xlsCell(value) !== null
}

function xlsCell(value: unknown): ReadCell {
  if (value instanceof Date) return momentOf(value)
  if (typeof value === 'number' || typeof value === 'boolean') return value
  return typeof value === 'string' && value !== '' ? value : null
}

function momentOf(date: Date): ReadCell {
  const [day, clock = ''] = date.toISOString().split(/T|Z/)
  const time = clock.replace('.000', '')
  // A time without a day.
  if (day === '1899-12-31') return time
  return momentCell(time === '00:00:00' ? day! : `${day}T${time}`)
}

/** The first record of such a workbook. With a password, another record follows. */
const SHEET_BEGIN = Buffer.from([0x09, 0x08, 0x10, 0x00, 0x00, 0x06, 0x05, 0x00])
const BEGIN_LENGTH = 20
const WRITE_PROTECT = 0x86
const FILE_PASS = 0x2f

function isEncrypted(bytes: Buffer): boolean {
  const begin = bytes.indexOf(SHEET_BEGIN)
  if (begin === -1 || begin + BEGIN_LENGTH + 8 > bytes.length) return false
  const next = begin + BEGIN_LENGTH
  const record = bytes.readUInt16LE(next)
  return record === FILE_PASS || (record === WRITE_PROTECT && bytes.readUInt16LE(next + 4) === FILE_PASS)
}

const FREE_SECTOR = 0xffffffff
const LAST_SECTOR = 0xfffffffe
const TABLE_LIST = 76
const LISTED_SECTORS = 109
const ENTRY_SIZE = 128
const ROOT = 5
const STREAM = 2

interface Entry {
  readonly name: string
  readonly type: number
  readonly start: number
  readonly size: number
}

/**
 * The parts of an XLS file that form its workbook stream, in order: an OLE file consists of sectors. They share the
 * memory of `file`.
 *
 * @returns no parts if the file has no such stream
 * @throws RangeError for a damaged file
 */
export function workbookParts(file: Buffer): Buffer[] {
  const sectorSize = 1 << file.readUInt16LE(30)
  const sector = (index: number) => file.subarray((index + 1) * sectorSize, (index + 2) * sectorSize)
  const table = numbersOf(tableSectors(file, sectorSize).map(sector))
  const sectors = (start: number) => chain(table, start).map(sector)
  const entries = entriesOf(Buffer.concat(sectors(file.readUInt32LE(48))))
  const streamOf = (name: string) => entries.findLast(entry => entry.type === STREAM && entry.name === name)
  const stream = streamOf('Workbook') ?? streamOf('Book')
  if (!stream) return []
  if (stream.size >= file.readUInt32LE(56)) return cutTo(stream.size, sectors(stream.start))
  const root = entries.find(({ type }) => type === ROOT)
  const smallTable = numbersOf(sectors(file.readUInt32LE(60)))
  const smallSize = 1 << file.readUInt16LE(32)
  const small = sectors(root?.start ?? LAST_SECTOR).flatMap(part => pieces(part, smallSize))
  return cutTo(
    stream.size,
    chain(smallTable, stream.start).flatMap(index => small[index] ?? []),
  )
}

function tableSectors(file: Buffer, sectorSize: number): number[] {
  const count = file.readUInt32LE(44)
  const listed: number[] = []
  for (let i = 0; i < Math.min(count, LISTED_SECTORS); i++) listed.push(file.readUInt32LE(TABLE_LIST + i * 4))
  let next = file.readUInt32LE(68)
  const mostLists = file.length / sectorSize
  for (let lists = 0; listed.length < count && next < LAST_SECTOR && lists < mostLists; lists++) {
    const numbers = numbersOf([file.subarray((next + 1) * sectorSize, (next + 2) * sectorSize)])
    next = numbers.pop() ?? LAST_SECTOR
    listed.push(...numbers.slice(0, count - listed.length))
  }
  return listed.filter(index => index < LAST_SECTOR)
}

function numbersOf(parts: readonly Buffer[]): number[] {
  return parts.flatMap(part => pieces(part, 4).map(bytes => bytes.readUInt32LE(0)))
}

function pieces(bytes: Buffer, size: number): Buffer[] {
  return Array.from({ length: Math.floor(bytes.length / size) }, (_, i) => bytes.subarray(i * size, (i + 1) * size))
}

/** Ends at a cycle. */
function chain(table: readonly number[], start: number): number[] {
  const found: number[] = []
  for (let at = start; at !== LAST_SECTOR && at !== FREE_SECTOR && found.length <= table.length; ) {
    found.push(at)
    at = table[at] ?? LAST_SECTOR
  }
  return found
}

function entriesOf(directory: Buffer): Entry[] {
  return pieces(directory, ENTRY_SIZE).map(entry => ({
    name: entry.toString('utf16le', 0, Math.max(0, Math.min(64, entry.readUInt16LE(64)) - 2)),
    type: entry.readUInt8(66),
    start: entry.readUInt32LE(116),
    size: entry.readUInt32LE(120),
  }))
}

function cutTo(size: number, parts: readonly Buffer[]): Buffer[] {
  let left = size
  return parts.map(part => {
    const cut = part.subarray(0, left)
    left -= cut.length
    return cut
  })
}

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

const CHART = 0x20
/** Records allowed between a formula and its text. */
const BETWEEN = new Set([SHARED_FORMULA, ARRAY, TABLE, CONTINUE])

export type ErrorCells = ReadonlySet<number>

interface SheetFacts {
  readonly isHidden: boolean
  readonly errors: ErrorCells
}

export function cellNumber(row: number, column: number): number {
  return row * 0x10000 + column
}

interface BiffRecord {
  readonly id: number
  readonly start: number
  readonly data: number
  readonly end: number
}

/**
 * Changes the records of an XLS workbook for hucre:
 *
 * - The text of a formula must directly follow it. In a filled-down or array formula, its definition stands in between.
 * - Hucre takes the values in charts for cells, so charts are removed.
 * - Hucre reads errors as text, so their positions are returned.
 *
 * @param stream is changed
 * @returns the sheets in their order
 */
export function adaptRecords(stream: Buffer): readonly SheetFacts[] {
  const found: { readonly start: number; readonly isHidden: boolean }[] = []
  const errors = new Map<number, Set<number>>()
  let current = new Set<number>()
  let depth = 0
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
      const at = stream.readUInt32LE(data)
      // Its lowest two bits: visible, hidden, very hidden.
      found.push({ start: at, isHidden: ((stream[data + 4] ?? 0) & 3) !== 0 })
      errors.set(at, new Set())
    } else if (id === BOOLEAN_OR_ERROR && stream[data + 7] === 1) current.add(cellAt(stream, data))
    else if (id === FORMULA) adaptFormula(stream, record, current)
    if (id === END) {
      if (depth === chart) chart = 0
      depth--
    }
  }
  return found.map(({ start, isHidden }) => ({ isHidden, errors: errors.get(start) ?? new Set() }))
}

function readRecord(stream: Buffer, start: number): BiffRecord | undefined {
  if (start + 4 > stream.length) return undefined
  const id = stream.readUInt16LE(start)
  const end = start + 4 + stream.readUInt16LE(start + 2)
  return (id === 0 && end === start + 4) || end > stream.length ? undefined : { id, start, data: start + 4, end }
}

function cellAt(stream: Buffer, data: number): number {
  return cellNumber(stream.readUInt16LE(data), stream.readUInt16LE(data + 2))
}

/** A formula's result has eight bytes. If it is not a number, the last two are set and the first one is its type. */
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
