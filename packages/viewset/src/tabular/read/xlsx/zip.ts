import { createReadStream } from 'node:fs'
import { type FileHandle, open } from 'node:fs/promises'
import { pipeline } from 'node:stream'
// A default import: naming the missing export `crc32` would fail on an older Node before the entry can report its
// version.
import zlib, { createInflateRaw } from 'node:zlib'
import { message } from '../../../core/messages/message.ts'
import { TabularError } from '../../errors.ts'

const LOCAL_HEADER = 0x04034b50
const CENTRAL_HEADER = 0x02014b50
const END = 0x06054b50
const END_LENGTH = 22
const LONGEST_COMMENT = 0xffff
const SEE_ZIP64 = 0xffff_ffff
const ZIP64_FIELD = 1
const ENCRYPTED = 0x0001
const STORED = 0
const DEFLATED = 8
const CHUNK = 64 * 1024

/** A workbook has about ten entries, with many sheets and pictures some hundred. */
const MOST_ENTRIES = 5_000
const LONGEST_DIRECTORY = 4 * 1024 * 1024

/** Real workbooks are compressed 6 to 16 times, bombs over 300 times. Ignored for small entries. */
const LARGEST_RATIO = 100
const HARMLESS = 8 * 1024 * 1024

export interface ZipEntry {
  readonly name: string
  readonly flags: number
  readonly method: number
  readonly crc: number
  readonly compressed: number
  readonly size: number
  readonly offset: number
}

/**
 * The entries of a ZIP archive by name in lower case, as parts of a workbook are looked up.
 *
 * @throws TabularError `unreadable` without a directory, `too_large` if its entries are larger than `maxInflated` bytes
 *   together, or if they are packed as tightly as in a ZIP bomb
 */
export async function readZipDirectory(path: string, maxInflated: number): Promise<Map<string, ZipEntry>> {
  const file = await open(path)
  try {
    const entries = await readEntries(file)
    const size = totalSize(entries)
    // All parts together, because a bomb may consist of many small ones.
    const tight = totalSize(entries.filter(entry => entry.size > entry.compressed * LARGEST_RATIO))
    if (size > maxInflated || tight > HARMLESS) {
      throw new TabularError('too_large', message('too_large.unpacked', { bytes: size }))
    }
    const byName = new Map(entries.map(entry => [entry.name.toLowerCase(), entry]))
    // Programs disagree on which of two equal names counts.
    if (byName.size < entries.length) throw damaged()
    return byName
  } finally {
    await file.close()
  }
}

function totalSize(entries: readonly ZipEntry[]): number {
  return entries.reduce((sum, { size }) => sum + size, 0)
}

async function readEntries(file: FileHandle): Promise<ZipEntry[]> {
  const { size: fileSize } = await file.stat()
  const tail = await read(file, Math.max(0, fileSize - END_LENGTH - LONGEST_COMMENT), END_LENGTH + LONGEST_COMMENT)
  const end = tail.lastIndexOf(numbers(END))
  if (end === -1 || end + END_LENGTH > tail.length) throw damaged()
  const count = tail.readUInt16LE(end + 10)
  const length = tail.readUInt32LE(end + 12)
  if (count > MOST_ENTRIES || length > LONGEST_DIRECTORY) {
    throw new TabularError('too_large', message('too_large.parts', { max: MOST_ENTRIES }))
  }
  const directory = await read(file, tail.readUInt32LE(end + 16), length)
  const entries: ZipEntry[] = []
  let at = 0
  while (entries.length < count) {
    if (at + 46 > directory.length || directory.readUInt32LE(at) !== CENTRAL_HEADER) throw damaged()
    const next =
      at + 46 + directory.readUInt16LE(at + 28) + directory.readUInt16LE(at + 30) + directory.readUInt16LE(at + 32)
    if (next > directory.length) throw damaged()
    entries.push(entryOf(directory.subarray(at, next)))
    at = next
  }
  return entries
}

function entryOf(header: Buffer): ZipEntry {
  const nameEnd = 46 + header.readUInt16LE(28)
  const extra = header.subarray(nameEnd, nameEnd + header.readUInt16LE(30))
  const large = zip64Numbers(extra)
  const wide = (value: number) => (value === SEE_ZIP64 ? (large.shift() ?? value) : value)
  const size = wide(header.readUInt32LE(24))
  const compressed = wide(header.readUInt32LE(20))
  const offset = wide(header.readUInt32LE(42))
  return {
    // Some Windows programs write backslashes.
    name: header.toString('utf8', 46, nameEnd).replaceAll('\\', '/'),
    flags: header.readUInt16LE(8),
    method: header.readUInt16LE(10),
    crc: header.readUInt32LE(16),
    compressed,
    size,
    offset,
  }
}

/** The numbers of the ZIP64 field, which some programs write for any size. */
function zip64Numbers(extra: Buffer): number[] {
  for (let at = 0; at + 4 <= extra.length; ) {
    const length = extra.readUInt16LE(at + 2)
    const field = extra.subarray(at + 4, at + 4 + length)
    if (extra.readUInt16LE(at) === ZIP64_FIELD) {
      const count = Math.floor(field.length / 8)
      return Array.from({ length: count }, (_, index) => Number(field.readBigUInt64LE(index * 8)))
    }
    at += 4 + length
  }
  return []
}

/**
 * The decompressed content of an entry, in chunks.
 *
 * @throws TabularError `unreadable` if it differs from the directory
 */
export async function* zipEntryChunks(path: string, entry: ZipEntry): AsyncGenerator<Buffer> {
  let size = 0
  let crc = 0
  for await (const chunk of decompressed(path, entry)) {
    size += chunk.length
    if (size > entry.size) throw damaged()
    crc = zlib.crc32(chunk, crc)
    yield chunk
  }
  if (size !== entry.size || crc !== entry.crc) throw damaged()
}

async function* decompressed(path: string, entry: ZipEntry): AsyncGenerator<Buffer> {
  const { method, compressed } = entry
  if (entry.flags & ENCRYPTED) throw new TabularError('encrypted', message('encrypted'))
  if (method !== STORED && method !== DEFLATED) throw damaged()
  const start = await dataStart(path, entry)
  if (compressed === 0) return
  const bytes = createReadStream(path, { start, end: start + compressed - 1, highWaterMark: CHUNK })
  try {
    // `pipeline` requires a callback; the loop reports errors.
    if (method === STORED) yield* bytes
    else yield* pipeline(bytes, createInflateRaw({ chunkSize: CHUNK }), () => {})
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code?.startsWith('Z_')) throw damaged(error)
    throw error
  }
}

async function dataStart(path: string, { offset }: ZipEntry): Promise<number> {
  const file = await open(path)
  try {
    const header = await read(file, offset, 30)
    if (header.length < 30 || header.readUInt32LE(0) !== LOCAL_HEADER) throw damaged()
    return offset + 30 + header.readUInt16LE(26) + header.readUInt16LE(28)
  } finally {
    await file.close()
  }
}

async function read(file: FileHandle, position: number, length: number): Promise<Buffer> {
  const { buffer, bytesRead } = await file.read(Buffer.alloc(length), 0, length, position)
  return buffer.subarray(0, bytesRead)
}

function numbers(value: number): Buffer {
  const buffer = Buffer.alloc(4)
  buffer.writeUInt32LE(value)
  return buffer
}

export function damaged(cause?: unknown): TabularError {
  return new TabularError('unreadable', message('unreadable.xlsx'), cause)
}
