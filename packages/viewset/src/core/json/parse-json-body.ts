import { ValidationError } from '../errors.ts'
import { type Message, message } from '../messages/message.ts'
import { parseJson } from './parse-json.ts'
import { placeIn, scan } from './scan.ts'

interface JsonBodyOptions {
  /** Most arrays and objects inside one another: 64 by default, at most 1,000. */
  readonly maxDepth?: number
}

export const DEFAULT_DEPTH = 64
const DEEPEST = 1000

const utf8 = new TextDecoder('utf-8', { fatal: true })

/**
 * Reads the body of a request as JSON (RFC 8259). Rejects values that JavaScript would change while it reads them.
 *
 * - Text: UTF-8 without NUL and lone surrogates, also as an escape, in strings and in keys. A byte order mark is
 * skipped, as RFC 8259 allows: PowerShell and Excel macros write one.
 *
 * - Numbers: exactly what a double holds. `0.1` and `6.02e23` pass; `1e999`, an integer beyond 2^53 - 1 and
 * `12345678901234567.89` do not. Send such digits in a string.
 *
 * - Keys: a repeated key is rejected, because `JSON.parse` and a proxy in front may take different ones. `__proto__`,
 * and `prototype` inside of `constructor`, are rejected: code that merges objects could change a prototype.
 *
 * Errors stand under the dotted path of the value (`author.name`, `3.title`), up to 1,000 together. Other errors stand
 * under `non_field_errors`, with line and column.
 *
 * @throws ValidationError
 * @example
 * parseJsonBody(Buffer.from('{"title":"Dune"}')) // { title: 'Dune' }
 * parseJsonBody(Buffer.from('[{"id":9007199254740993}]')) // ValidationError: errors['0.id']
 */
export function parseJsonBody(bytes: Uint8Array, { maxDepth = DEFAULT_DEPTH }: JsonBodyOptions = {}): unknown {
  if (!(maxDepth >= 1 && maxDepth <= DEEPEST)) throw new RangeError(`maxDepth must be from 1 to ${DEEPEST}.`)
  const text = decode(bytes)
  const value = parse(text, maxDepth)
  // The engine's parser is fastest. The exact scan runs only if the text looks unusual.
  if (!isPlainJson(bytes, text, value, maxDepth)) scan(text, maxDepth)
  return value
}

function decode(bytes: Uint8Array): string {
  try {
    return utf8.decode(bytes)
  } catch {
    throw new ValidationError(message('malformed.utf8', { place: placeOfInvalid(bytes) }))
  }
}

function parse(text: string, maxDepth: number): unknown {
  try {
    return parseJson(text)
  } catch {
    // The engine's messages change between versions, and some have no position.
    scan(text, maxDepth)
    throw new ValidationError(message('malformed.json'))
  }
}

function placeOfInvalid(bytes: Uint8Array): Message {
  const repaired = new TextEncoder().encode(new TextDecoder('utf-8', { ignoreBOM: true }).decode(bytes))
  const end = repaired.findIndex((byte, at) => byte !== bytes[at])
  // In stream mode, a character cut in half is skipped instead of an error.
  const valid = new TextDecoder('utf-8', { fatal: true }).decode(bytes.subarray(0, end), { stream: true })
  return placeIn(valid, valid.length)
}

/** A quick check that {@link scan} would accept the JSON. `false` means unknown: the scan decides. */
function isPlainJson(bytes: Uint8Array, text: string, value: unknown, maxDepth: number): boolean {
  const seen = { keys: 0, zeros: 0 }
  return (
    isPlainValue(value, maxDepth, seen) &&
    countKeys(bytes) === seen.keys &&
    !hasLongNumber(bytes) &&
    (seen.zeros === 0 || !hasVanishingNumber(text)) &&
    // Backslashes are rare. NUL and surrogates can only come from an escape.
    (!text.includes('\\u') || !/\\u(?:0000|d[89a-f])/i.test(text))
  )
}

/** Below it a double holds fewer and fewer digits. */
const SMALLEST = 1e-290

interface Seen {
  keys: number
  zeros: number
}

function isPlainValue(value: unknown, depth: number, seen: Seen): boolean {
  switch (typeof value) {
    case 'number':
      return isPlainNumber(value, seen)
    case 'object':
      return value === null || (depth > 0 && isPlainContainer(value, depth - 1, seen))
    default:
      return true
  }
}

function isPlainContainer(container: object, depth: number, seen: Seen): boolean {
  if (Array.isArray(container)) {
    for (const item of container) if (!isPlainValue(item, depth, seen)) return false
    return true
  }
  for (const key in container) {
    if (key === '__proto__' || key === 'constructor') return false
    seen.keys++
    if (!isPlainValue((container as Record<string, unknown>)[key], depth, seen)) return false
  }
  return true
}

function isPlainNumber(value: number, seen: Seen): boolean {
  if (value === 0) seen.zeros++
  const size = Math.abs(value)
  return size <= Number.MAX_SAFE_INTEGER && (size > SMALLEST || size === 0)
}

/** A number that becomes 0: `1e-400`. The first pattern is fast; the second excludes UUIDs. */
function hasVanishingNumber(text: string): boolean {
  return /[\d.]e-\d{3}/i.test(text) && /(?:^|[:,[\s])-?\d[\d.]*e-\d{3}/i.test(text)
}

const SPACE = 0x20
const QUOTE = 0x22
const COLON = 0x3a

/**
 * Counts `":`; -1 if white space stands before a colon. One of the two bytes has an odd index, so every other byte is
 * enough. A string that contains `":` makes the count wrong, which only costs a scan.
 */
function countKeys(bytes: Uint8Array): number {
  const { length } = bytes
  let count = 0
  for (let i = 1; i < length; i += 2) {
    const byte = bytes[i] as number
    if (byte <= QUOTE) {
      if (bytes[i + 1] !== COLON) continue
      if (byte === QUOTE) count++
      else if (byte <= SPACE) return -1
    } else if (byte === COLON) {
      const before = bytes[i - 1] as number
      if (before === QUOTE) count++
      else if (before <= SPACE) return -1
    }
  }
  return count
}

/** Shorter numbers have no digits that a double drops. */
const LONG = 16

/** Whether a number outside of strings has more digits than a double keeps: 17 characters, or 16 and an exponent. */
function hasLongNumber(bytes: Uint8Array): boolean {
  // So long a run covers one of every 16 positions.
  for (let i = LONG - 1; i < bytes.length; i += LONG) {
    if (!isDigit(bytes[i])) continue
    let start = i
    while (isDigit(bytes[start - 1])) start--
    let end = i + 1
    while (isDigit(bytes[end])) end++
    const length = end - start
    if ((length > LONG || (length === LONG && isExponent(bytes[end]))) && startsNumber(bytes, start)) return true
    // Continue after the run, or the time for a megabyte of digits would be quadratic.
    i = end - 1
  }
  return false
}

function isDigit(byte: number | undefined): boolean {
  return byte !== undefined && byte <= 0x39 && (byte >= 0x30 || byte === 0x2e)
}

function isExponent(byte: number | undefined): boolean {
  return byte === 0x65 || byte === 0x45
}

/** Also true after a blank in a string, which only costs a scan. */
function startsNumber(bytes: Uint8Array, start: number): boolean {
  const before = bytes[start - 1] === 0x2d ? bytes[start - 2] : bytes[start - 1]
  return before === undefined || before <= SPACE || NUMBER_FOLLOWS.includes(before)
}

/** Colon, comma, bracket, and the end of a byte order mark. */
const NUMBER_FOLLOWS: readonly number[] = [COLON, 0x2c, 0x5b, 0xbf]
