import { isUtf8 } from 'node:buffer'
import { createReadStream } from 'node:fs'
import { message } from '../../core/messages/message.ts'
import { TabularError } from '../errors.ts'

export interface TextEncoding {
  /** As `TextDecoder` names it, or `utf-32le` or `utf-32be`. */
  readonly name: string
  /** Bytes of the byte order mark. */
  readonly bom: number
  /** Whether neither a mark nor a person names it, and other encodings are possible. */
  readonly isGuessed: boolean
  /** Whether all bytes are known to be text in it. Otherwise ask {@link isDecodable}. */
  readonly isChecked: boolean
}

/** What people say about the encoding of a file. */
export interface EncodingChoice {
  /** That of this file. A byte order mark still counts. */
  readonly encoding?: string | undefined
  /** That of files which are not Unicode. */
  readonly usualEncoding?: string | undefined
}

const MARKS: readonly (readonly [mark: string, name: string])[] = [
  ['fffe0000', 'utf-32le'],
  ['0000feff', 'utf-32be'],
  ['efbbbf', 'utf-8'],
  ['fffe', 'utf-16le'],
  ['feff', 'utf-16be'],
]

/**
 * The encoding of a text file: that of its byte order mark, the chosen one, or UTF-8 if the whole file is valid UTF-8.
 * Otherwise it is the usual one, or windows-1252, which Excel writes in the West.
 *
 * @throws TabularError `unreadable` if the file cannot be windows-1252
 */
export async function detectEncoding(
  path: string,
  head: Buffer,
  { encoding, usualEncoding }: EncodingChoice,
  signal?: AbortSignal,
): Promise<TextEncoding> {
  const known = { bom: 0, isGuessed: false, isChecked: false }
  const mark = markOf(head)
  if (mark) return { ...known, ...mark }
  if (encoding !== undefined) return { ...known, name: encodingNamed(encoding) ?? encoding }
  const wide = wideEncoding(head)
  if (wide !== undefined) return { ...known, name: wide, isGuessed: true }
  if (await isWhollyUtf8(path, signal)) return { ...known, name: UTF_8, isChecked: true }
  const bytes = await countBytes(path, signal)
  // A damaged file: other encodings hardly ever have such sequences of bytes.
  if (bytes.utf8 > bytes.others) return { ...known, name: UTF_8 }
  if (usualEncoding !== undefined) return { ...known, name: encodingNamed(usualEncoding) ?? usualEncoding }
  if (!looksWestern(bytes)) throw new TabularError('unreadable', message('unreadable.encoding'))
  return { name: WINDOWS_1252, bom: 0, isGuessed: true, isChecked: true }
}

const UTF_8 = 'utf-8'
const WINDOWS_1252 = 'windows-1252'

/** The name of an encoding that a file may have; `undefined` if it is not known. */
export function encodingNamed(label: string): string | undefined {
  const plain = label.trim().toLowerCase()
  if (/^utf-?32/.test(plain)) return /be$/.test(plain) ? 'utf-32be' : 'utf-32le'
  try {
    return new TextDecoder(plain).encoding
  } catch {
    return undefined
  }
}

export function markOf(head: Buffer): { readonly name: string; readonly bom: number } | undefined {
  const start = head.toString('hex', 0, 4)
  const [mark, name] = MARKS.find(([bytes]) => start.startsWith(bytes)) ?? []
  return mark === undefined || name === undefined ? undefined : { name, bom: mark.length / 2 }
}

/** The encoding of a text without a mark whose characters have two or four bytes, by the places of its NUL bytes. */
export function wideEncoding(head: Buffer): string | undefined {
  if (head.length < 8 || !head.includes(0)) return undefined
  const places = [0, 0, 0, 0]
  for (let at = 0; at < head.length; at++) if (head[at] === 0) places[at % 4]!++
  const [first = 0, second = 0, third = 0, fourth = 0] = places
  const quarter = Math.floor(head.length / 4)
  const candidates = [
    third >= quarter && fourth >= quarter && 'utf-32le',
    first >= quarter && second >= quarter && 'utf-32be',
    first + third === 0 && 'utf-16le',
    second + fourth === 0 && 'utf-16be',
  ]
  return candidates.find(
    (name): name is string => name !== false && isPlainText(decoderOf(name)(head.subarray(0, quarter * 4))),
  )
}

function isPlainText(text: string): boolean {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: no text has them.
  return !/[\0-\x08\x0B\x0E-\x19\uFFFD]/.test(text)
}

async function isWhollyUtf8(path: string, signal: AbortSignal | undefined): Promise<boolean> {
  let isValid = true
  for await (const bytes of characters(path, signal)) {
    if (bytes.includes(0)) throw new TabularError('unreadable', HAS_NUL)
    isValid &&= isUtf8(bytes)
  }
  return isValid
}

/** The bytes of a file in parts that divide no character of UTF-8. */
async function* characters(path: string, signal: AbortSignal | undefined): AsyncGenerator<Buffer, void> {
  let rest: Buffer = Buffer.alloc(0)
  for await (const chunk of createReadStream(path, { highWaterMark: 128 * 1024, signal }) as AsyncIterable<Buffer>) {
    const bytes = rest.length > 0 ? Buffer.concat([rest, chunk]) : chunk
    const end = lastCharacterEnd(bytes)
    yield bytes.subarray(0, end)
    rest = bytes.subarray(end)
  }
  if (rest.length > 0) yield rest
}

function lastCharacterEnd(bytes: Buffer): number {
  for (let back = 1; back <= 3 && back <= bytes.length; back++) {
    const byte = bytes[bytes.length - back]!
    if (byte < 0x80) return bytes.length
    if (byte >= 0xc0) return bytes.length - back
  }
  return bytes.length
}

/** The bytes above 127 of a file. */
interface HighBytes {
  all: number
  /** Characters of UTF-8, and bytes that belong to none. */
  utf8: number
  others: number
  /** Those that windows-1252 does not define. */
  unassigned: number
  /** Those side by side with at least two others. */
  inRuns: number
  /** Those that stand in a word and, in windows-1252, in no word. */
  odd: number
}

async function countBytes(path: string, signal: AbortSignal | undefined): Promise<HighBytes> {
  const counts: HighBytes = { all: 0, utf8: 0, others: 0, unassigned: 0, inRuns: 0, odd: 0 }
  for await (const bytes of characters(path, signal)) {
    let run = 0
    for (let at = 0; at <= bytes.length; at++) {
      const byte = bytes[at] ?? 0
      if (byte >= 0x80) {
        run++
        counts.all++
        if (UNASSIGNED.has(byte)) counts.unassigned++
        if (isOdd(bytes[at - 1] ?? 0, byte, bytes[at + 1] ?? 0)) counts.odd++
      } else if (run > 0) {
        if (run >= 3) counts.inRuns += run
        countCharacters(bytes.subarray(at - run, at), counts)
        run = 0
      }
    }
  }
  return counts
}

function countCharacters(run: Buffer, counts: HighBytes): void {
  for (let at = 0; at < run.length; ) {
    const first = run[at]!
    const length = first >= 0xf0 ? 4 : first >= 0xe0 ? 3 : 2
    const isOne = first >= 0xc2 && at + length <= run.length && isUtf8(run.subarray(at, at + length))
    if (isOne) counts.utf8++
    else counts.others++
    at += isOne ? length : 1
  }
}

const UNASSIGNED = new Set([0x81, 0x8d, 0x8f, 0x90, 0x9d])
/** The letters of windows-1252 below 0xC0. */
const LETTERS = new Set([0x8a, 0x8c, 0x8e, 0x9a, 0x9c, 0x9e, 0x9f])
const CAPITALS = new Set([0x8a, 0x8c, 0x8e, 0x9f])
/** Apostrophes, hyphens and other signs that words have. */
const IN_WORDS = new Set([0x85, 0x91, 0x92, 0x96, 0x97, 0xa0, 0xaa, 0xad, 0xb0, 0xb4, 0xb7, 0xba])

function isOdd(before: number, byte: number, after: number): boolean {
  if (!isLetter(before) || !isLetter(after)) return false
  if (!isLetter(byte)) return !IN_WORDS.has(byte)
  const isCapital = CAPITALS.has(byte) || (byte >= 0xc0 && byte <= 0xde)
  return isCapital && isLower(before) && isLower(after)
}

function isLetter(byte: number): boolean {
  if (byte >= 0xc0) return byte !== 0xd7 && byte !== 0xf7
  return isLower(byte | 0x20) || LETTERS.has(byte)
}

function isLower(byte: number): boolean {
  return byte >= 0x61 && byte <= 0x7a
}

/**
 * Whether bytes may be windows-1252. Texts of Western languages have few other letters than ASCII's, and these stand
 * alone. Russian, Greek or Chinese texts, and those of old Macs, differ.
 */
function looksWestern({ all, unassigned, inRuns, odd }: HighBytes): boolean {
  return unassigned === 0 && inRuns * 2 < all && (odd < 2 || odd * 10 <= all)
}

/** Whether all bytes of a file are text in its encoding. */
export async function isDecodable(path: string, encoding: TextEncoding, signal?: AbortSignal): Promise<boolean> {
  if (encoding.name === UTF_8) return isWhollyUtf8(path, signal)
  // A Unicode text may have these characters itself.
  const isFatal = encoding.name.startsWith('utf-16')
  try {
    for await (const text of decoded(path, encoding, { isFatal, signal })) {
      if (text.includes('\0')) throw new TabularError('unreadable', HAS_NUL)
      if (!isFatal && FAULT.test(text)) return false
    }
    return true
  } catch (error) {
    if (isFatal && error instanceof TypeError) return false
    throw error
  }
}

/** The text of a file up to its first fault. */
export async function* textBeforeFault(path: string, encoding: TextEncoding): AsyncGenerator<string> {
  for await (const text of decoded(path, encoding)) {
    const fault = text.search(encoding.name === UTF_8 ? REPLACED : FAULT)
    yield fault === -1 ? text : text.slice(0, fault)
    if (fault !== -1) return
  }
}

const REPLACED = /\uFFFD/
/** Bytes without a character become U+FFFD or, in encodings of one byte, a control character. */
const FAULT = /[\x80-\x9F\uFFFD]/

const HAS_NUL = message('unreadable.nul')

/** The content of a file whose bytes {@link isDecodable}; that of UTF-8 as bytes. */
export async function* textChunks(
  path: string,
  encoding: TextEncoding,
  signal?: AbortSignal,
): AsyncGenerator<Buffer | string> {
  const { name, bom } = encoding
  if (name === UTF_8) yield* createReadStream(path, { start: bom, signal }) as AsyncIterable<Buffer>
  else yield* decoded(path, encoding, { signal })
}

async function* decoded(
  path: string,
  { name, bom }: TextEncoding,
  { isFatal = false, signal }: { readonly isFatal?: boolean; readonly signal?: AbortSignal | undefined } = {},
): AsyncGenerator<string> {
  const decode = decoderOf(name, isFatal)
  for await (const chunk of createReadStream(path, { start: bom, signal }) as AsyncIterable<Buffer>) yield decode(chunk)
  yield decode()
}

function decoderOf(name: string, fatal = false): (chunk?: Buffer) => string {
  if (name === WINDOWS_1252) return decodeWindows1252
  if (name.startsWith('utf-32')) return utf32Decoder(name === 'utf-32be')
  const decoder = new TextDecoder(name, { fatal, ignoreBOM: true })
  return chunk => decoder.decode(chunk, { stream: chunk !== undefined })
}

function utf32Decoder(isBig: boolean): (chunk?: Buffer) => string {
  let rest: Buffer = Buffer.alloc(0)
  return chunk => {
    if (!chunk) return rest.length > 0 ? '\uFFFD' : ''
    const bytes = rest.length > 0 ? Buffer.concat([rest, chunk]) : chunk
    const end = bytes.length - (bytes.length % 4)
    rest = bytes.subarray(end)
    let text = ''
    for (let at = 0; at < end; at += 4) {
      const code = isBig ? bytes.readUInt32BE(at) : bytes.readUInt32LE(at)
      text += code <= 0x10ffff ? String.fromCodePoint(code) : '\uFFFD'
    }
    return text.toWellFormed()
  }
}

// In some releases of Node, TextDecoder reads these bytes as control characters.
const FROM_0X80 =
  '\u20AC\x81\u201A\u0192\u201E\u2026\u2020\u2021\u02C6\u2030\u0160\u2039\u0152\x8D\u017D\x8F' +
  '\x90\u2018\u2019\u201C\u201D\u2022\u2013\u2014\u02DC\u2122\u0161\u203A\u0153\x9D\u017E\u0178'

export function decodeWindows1252(chunk?: Buffer): string {
  const text = chunk?.toString('latin1') ?? ''
  return text.replace(/[\x80-\x9F]/g, character => FROM_0X80[character.charCodeAt(0) - 0x80]!)
}
