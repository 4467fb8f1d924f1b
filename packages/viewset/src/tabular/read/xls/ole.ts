import { type FileHandle, open } from 'node:fs/promises'

const HEADER = 512
const LAST = 0xfffffffa
const TABLE_LIST = 76
const LISTED_SECTORS = 109
const ENTRY_SIZE = 128
const FREE = 0xffffffff
/** 8,192 entries. Real files have some hundred. */
const LONGEST_DIRECTORY = 1024 * 1024
const NO_ENTRY = 0xffffffff
const STREAM = 2

interface Entry {
  readonly name: string
  readonly type: number
  readonly left: number
  readonly right: number
  readonly child: number
  readonly start: number
  readonly size: number
}

interface Sectors {
  readonly size: number
  /** The sector after each sector of a stream. */
  readonly next: Uint32Array
}

/**
 * An OLE file: streams in folders, as Office programs stored documents before 2007. Only the streams of the root are
 * read, because an embedded document has streams of the same names.
 */
export class OleFile {
  readonly #file: FileHandle
  readonly #sectors: Sectors
  readonly #entries: readonly Entry[]
  readonly #root: Entry
  readonly #header: Buffer

  private constructor(file: FileHandle, header: Buffer, sectors: Sectors, root: Entry, entries: readonly Entry[]) {
    this.#file = file
    this.#header = header
    this.#sectors = sectors
    this.#root = root
    this.#entries = entries
  }

  /** Runs `use` with an open file. @throws RangeError for a damaged one */
  static async use<T>(path: string, use: (ole: OleFile) => Promise<T>): Promise<T> {
    const file = await open(path)
    try {
      const header = await readAt(file, 0, HEADER)
      const sectors = await sectorsOf(file, header)
      const directory = await readChain(file, sectors, header.readUInt32LE(48), LONGEST_DIRECTORY)
      const root = entryAt(directory, 0)
      return await use(new OleFile(file, header, sectors, root, childrenOf(directory, root)))
    } finally {
      await file.close()
    }
  }

  /** The names of the root's streams. */
  get names(): readonly string[] {
    return this.#entries.filter(({ type }) => type === STREAM).map(({ name }) => name)
  }

  /** The content of a stream of the root, in any letter case; `undefined` without one. @throws RangeError if it is cut off */
  async stream(name: string): Promise<Buffer | undefined> {
    const entry = this.#entries.find(each => each.type === STREAM && each.name.toLowerCase() === name.toLowerCase())
    const content = entry && (await this.#contentOf(entry))
    if (content && content.length < entry.size) throw new RangeError('The stream is cut off.')
    return content
  }

  async #contentOf({ start, size }: Entry): Promise<Buffer> {
    if (size >= this.#header.readUInt32LE(56)) return readChain(this.#file, this.#sectors, start, size)
    const table = await readChain(this.#file, this.#sectors, this.#header.readUInt32LE(60))
    const all = await readChain(this.#file, this.#sectors, this.#root.start, this.#root.size)
    const small: Sectors = { size: 1 << this.#header.readUInt16LE(32), next: numbersIn(table) }
    const parts = chain(small, start, size).map(at => all.subarray(at * small.size, (at + 1) * small.size))
    return Buffer.concat(parts).subarray(0, size)
  }
}

async function sectorsOf(file: FileHandle, header: Buffer): Promise<Sectors> {
  const shift = header.readUInt16LE(30)
  if (shift < 7 || shift > 20) throw new RangeError('No file has sectors of this size.')
  const size = 2 ** shift
  const { size: length } = await file.stat()
  const count = Math.ceil(length / size)
  const listed = numbersIn(header.subarray(TABLE_LIST, TABLE_LIST + LISTED_SECTORS * 4))
  let tables = [...listed]
  // A forged file may name as many as it has sectors, which the thread of the server would read.
  const wanted = Math.min(header.readUInt32LE(44), Math.ceil(count / (size / 4)) + 1)
  let list = header.readUInt32LE(68)
  while (list < LAST && tables.length < wanted) {
    const numbers = numbersIn(await readAt(file, (list + 1) * size, size))
    if (numbers.length === 0) break
    list = numbers.at(-1) ?? LAST
    tables = tables.concat(...numbers.subarray(0, -1))
  }
  const parts: Buffer[] = []
  for (const table of tables.filter(at => at < LAST).slice(0, wanted)) {
    parts.push(await readAt(file, (table + 1) * size, size))
  }
  const next = numbersIn(Buffer.concat(parts))
  if (next.subarray(count).some(at => at !== FREE)) throw new RangeError('The file lacks its last sectors.')
  return { size, next: next.subarray(0, count) }
}

function numbersIn(bytes: Buffer): Uint32Array {
  const numbers = new Uint32Array(Math.floor(bytes.length / 4))
  for (let at = 0; at < numbers.length; at++) numbers[at] = bytes.readUInt32LE(at * 4)
  return numbers
}

/** The sectors of a stream in their order. Ends at a cycle, and at the wanted size. */
function chain({ next, size }: Sectors, start: number, wanted = Number.POSITIVE_INFINITY): number[] {
  const found: number[] = []
  const seen = new Uint8Array(next.length)
  for (let at = start; at < next.length && seen[at] === 0 && found.length * size < wanted; at = next[at]!) {
    seen[at] = 1
    found.push(at)
  }
  return found
}

/** Reads neighbouring sectors at once. The last sector of a file need not be full. */
async function readChain(file: FileHandle, sectors: Sectors, start: number, wanted?: number): Promise<Buffer> {
  const { size } = sectors
  const found = chain(sectors, start, wanted)
  const parts: Buffer[] = []
  for (let from = 0; from < found.length; ) {
    let to = from + 1
    while (found[to] === found[to - 1]! + 1) to++
    parts.push(await readAt(file, (found[from]! + 1) * size, (to - from) * size))
    from = to
  }
  return Buffer.concat(parts).subarray(0, wanted)
}

async function readAt(file: FileHandle, position: number, length: number): Promise<Buffer> {
  const { buffer, bytesRead } = await file.read(Buffer.alloc(length), 0, length, position)
  return buffer.subarray(0, bytesRead)
}

/** The entries of a folder, which form a tree. */
function childrenOf(directory: Buffer, { child }: Entry): readonly Entry[] {
  const found: Entry[] = []
  const seen = new Set<number>()
  const open = [child]
  for (let at = open.pop(); at !== undefined; at = open.pop()) {
    if (at === NO_ENTRY || seen.has(at) || (at + 1) * ENTRY_SIZE > directory.length) continue
    seen.add(at)
    const entry = entryAt(directory, at)
    found.push(entry)
    open.push(entry.left, entry.right)
  }
  return found
}

function entryAt(directory: Buffer, at: number): Entry {
  const entry = directory.subarray(at * ENTRY_SIZE, (at + 1) * ENTRY_SIZE)
  return {
    name: entry.toString('utf16le', 0, Math.max(0, Math.min(64, entry.readUInt16LE(64)) - 2)),
    type: entry.readUInt8(66),
    left: entry.readUInt32LE(68),
    right: entry.readUInt32LE(72),
    child: entry.readUInt32LE(76),
    start: entry.readUInt32LE(116),
    size: entry.readUInt32LE(120),
  }
}
