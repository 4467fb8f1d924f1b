import { isUtf8 } from 'node:buffer'
import { createReadStream } from 'node:fs'
import { message } from '../../core/messages/message.ts'
import { TabularError } from '../errors.ts'

export interface TextEncoding {
  readonly name: 'utf-8' | 'utf-16le' | 'utf-16be' | 'windows-1252'
  readonly bom: number
}

/**
 * The encoding of a text file. A byte order mark decides. Without one it is UTF-8 if the whole file is valid UTF-8, and
 * otherwise windows-1252, which Excel writes in the West. The first invalid byte may come late.
 *
 * @throws TabularError `unreadable` for a file with NUL characters or a wrong byte order mark
 */
export async function detectEncoding(path: string, head: Buffer, signal?: AbortSignal): Promise<TextEncoding> {
  if (head[0] === 0xff && head[1] === 0xfe) return { name: 'utf-16le', bom: 2 }
  if (head[0] === 0xfe && head[1] === 0xff) return { name: 'utf-16be', bom: 2 }
  const isMarked = head[0] === 0xef && head[1] === 0xbb && head[2] === 0xbf
  const name = (await isWhollyUtf8(path, signal)) ? 'utf-8' : 'windows-1252'
  if (isMarked && name !== 'utf-8') throw new TabularError('unreadable', NOT_AS_MARKED)
  return { name, bom: isMarked ? 3 : 0 }
}

const NOT_AS_MARKED = message('unreadable.not_unicode')

async function isWhollyUtf8(path: string, signal: AbortSignal | undefined): Promise<boolean> {
  let isValid = true
  let rest: Buffer = Buffer.alloc(0)
  for await (const chunk of createReadStream(path, { highWaterMark: 128 * 1024, signal }) as AsyncIterable<Buffer>) {
    if (chunk.includes(0)) throw new TabularError('unreadable', HAS_NUL)
    if (!isValid) continue
    const bytes = rest.length > 0 ? Buffer.concat([rest, chunk]) : chunk
    const end = lastCharacterEnd(bytes)
    isValid = isUtf8(bytes.subarray(0, end))
    rest = bytes.subarray(end)
  }
  return isValid && isUtf8(rest)
}

const HAS_NUL = message('unreadable.nul')

function lastCharacterEnd(bytes: Buffer): number {
  for (let back = 1; back <= 3 && back <= bytes.length; back++) {
    const byte = bytes[bytes.length - back]!
    if (byte < 0x80) return bytes.length
    if (byte >= 0xc0) return bytes.length - back
  }
  return bytes.length
}

export async function* textChunks(
  path: string,
  { name, bom }: TextEncoding,
  signal?: AbortSignal,
): AsyncGenerator<Buffer | string> {
  const chunks = createReadStream(path, { start: bom, signal }) as AsyncIterable<Buffer>
  if (name === 'utf-8') {
    yield* chunks
    return
  }
  const decode = name === 'windows-1252' ? decodeWindows1252 : utf16Decoder(name)
  for await (const chunk of chunks) yield decode(chunk)
  yield decode()
}

function utf16Decoder(name: 'utf-16le' | 'utf-16be'): (chunk?: Buffer) => string {
  const decoder = new TextDecoder(name, { fatal: true, ignoreBOM: true })
  return chunk => {
    try {
      const text = decoder.decode(chunk, { stream: chunk !== undefined })
      if (!text.includes('\0')) return text
    } catch (error) {
      throw new TabularError('unreadable', NOT_AS_MARKED, error)
    }
    throw new TabularError('unreadable', HAS_NUL)
  }
}

// In some releases of Node, TextDecoder reads these bytes as control characters.
const WINDOWS_1252 =
  '\u20AC\x81\u201A\u0192\u201E\u2026\u2020\u2021\u02C6\u2030\u0160\u2039\u0152\x8D\u017D\x8F' +
  '\x90\u2018\u2019\u201C\u201D\u2022\u2013\u2014\u02DC\u2122\u0161\u203A\u0153\x9D\u017E\u0178'

export function decodeWindows1252(chunk?: Buffer): string {
  const text = chunk?.toString('latin1') ?? ''
  return text.replace(/[\x80-\x9F]/g, character => WINDOWS_1252[character.charCodeAt(0) - 0x80]!)
}
