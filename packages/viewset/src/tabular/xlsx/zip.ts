import { pipeline, Readable } from 'node:stream'
// A default import: naming the missing export `crc32` would fail on an older Node before the entry can report its
// version.
import zlib, { createDeflateRaw, deflateRawSync } from 'node:zlib'
import { message } from '../../core/messages/message.ts'
import { TabularError } from '../errors.ts'

const LOCAL_HEADER = 0x04034b50
const DESCRIPTOR = 0x08074b50
const CENTRAL_HEADER = 0x02014b50
const END = 0x06054b50
const UTF8 = 0x0800
/** Sizes and checksum follow the data. */
const SIZES_FOLLOW = 0x0008
const LARGEST = 0xffff_ffff

interface Entry {
  readonly name: Buffer
  readonly flags: number
  readonly offset: number
  crc: number
  size: number
  compressed: number
}

/**
 * A ZIP archive as a stream of bytes. Each entry is compressed while it is made, so memory does not grow. Its date is
 * constant, so that equal rows give equal files. Without ZIP64: up to 4 GiB.
 */
export class ZipWriter {
  readonly #entries: Entry[] = []
  readonly #level: number
  #offset = 0

  constructor(level: number) {
    this.#level = level
  }

  *text(name: string, content: string): Generator<Buffer> {
    const bytes = Buffer.from(content)
    const data = deflateRawSync(bytes, { level: this.#level })
    const entry = this.#add(name, UTF8)
    Object.assign(entry, { crc: zlib.crc32(bytes), size: bytes.length, compressed: data.length })
    yield this.#count(localHeader(entry))
    yield this.#count(data)
  }

  async *stream(name: string, chunks: AsyncIterable<string>): AsyncGenerator<Buffer> {
    const entry = this.#add(name, UTF8 | SIZES_FOLLOW)
    yield this.#count(localHeader(entry))
    // `pipeline` requires a callback; the loop below reports errors.
    const deflated = pipeline(
      Readable.from(measured(chunks, entry)),
      createDeflateRaw({ level: this.#level }),
      () => {},
    )
    for await (const data of deflated as AsyncIterable<Buffer>) {
      entry.compressed += data.length
      yield this.#count(data)
    }
    if (Math.max(entry.size, entry.compressed, this.#offset) > LARGEST) {
      throw new TabularError('too_large', message('too_large.zip'))
    }
    yield this.#count(numbers([DESCRIPTOR, 4], [entry.crc, 4], [entry.compressed, 4], [entry.size, 4]))
  }

  end(): Buffer {
    const start = this.#offset
    const directory = Buffer.concat(this.#entries.map(centralHeader))
    const count = this.#entries.length
    return Buffer.concat([
      directory,
      numbers([END, 4], [0, 2], [0, 2], [count, 2], [count, 2], [directory.length, 4], [start, 4], [0, 2]),
    ])
  }

  #add(name: string, flags: number): Entry {
    const entry = { name: Buffer.from(name), flags, offset: this.#offset, crc: 0, size: 0, compressed: 0 }
    this.#entries.push(entry)
    return entry
  }

  #count(bytes: Buffer): Buffer {
    this.#offset += bytes.length
    return bytes
  }
}

async function* measured(chunks: AsyncIterable<string>, entry: Entry): AsyncGenerator<Buffer> {
  for await (const chunk of chunks) {
    const bytes = Buffer.from(chunk)
    entry.crc = zlib.crc32(bytes, entry.crc)
    entry.size += bytes.length
    yield bytes
  }
}

function localHeader(entry: Entry): Buffer {
  return Buffer.concat([numbers([LOCAL_HEADER, 4], ...commonFields(entry)), entry.name])
}

function centralHeader(entry: Entry): Buffer {
  const made = numbers([CENTRAL_HEADER, 4], [20, 2], ...commonFields(entry))
  return Buffer.concat([made, numbers([0, 2], [0, 2], [0, 2], [0, 4], [entry.offset, 4]), entry.name])
}

/**
 * The fields from "version needed" (2.0) to "length of the extra field", which both headers share. 0x21 is 1980-01-01.
 */
function commonFields({ name, flags, crc, compressed, size }: Entry): [number, 2 | 4][] {
  const sizes: [number, 4][] = [
    [crc, 4],
    [compressed, 4],
    [size, 4],
  ]
  return [[20, 2], [flags, 2], [8, 2], [0, 2], [0x21, 2], ...sizes, [name.length, 2], [0, 2]]
}

function numbers(...fields: [value: number, bytes: 2 | 4][]): Buffer {
  const buffer = Buffer.alloc(fields.reduce((sum, [, bytes]) => sum + bytes, 0))
  let offset = 0
  for (const [value, bytes] of fields) offset = buffer.writeUIntLE(value, offset, bytes)
  return buffer
}
