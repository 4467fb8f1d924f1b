const FREE_SECTOR = 0xffffffff
const LAST_SECTOR = 0xfffffffe
/** Where the header lists the sectors of the sector table, and how many it can list. */
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
 * The parts of an XLS file that are the stream of its workbook, in their order: an OLE file is stored in sectors, as a
 * disk is. They share the memory of `file`.
 *
 * @returns no parts where the file has no such stream
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

/** The sectors of the table that says which sector follows which. */
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

/** The sectors that follow one another; a circle ends. */
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
