/**
 * Whether parsed JSON is certainly free of everything that {@link scan} refuses, found out at a fraction of the cost of
 * parsing. `false` means that the scan has to look, and not that something is wrong.
 */
export function isPlainJson(bytes: Uint8Array, text: string, value: unknown, maxDepth: number): boolean {
  const seen = { keys: 0, zeros: 0 }
  return (
    isPlainValue(value, maxDepth, seen) &&
    // A key that is given twice is one in the object and two in the text.
    countKeys(bytes) === seen.keys &&
    !hasLongNumber(bytes) &&
    (seen.zeros === 0 || !hasVanishingNumber(text)) &&
    // A backslash is rare and quickly found; NUL and surrogates cannot come in but by an escape.
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

/** A number of which nothing is left: `1e-400`. The first pattern is fast; the second tells numbers from UUIDs. */
function hasVanishingNumber(text: string): boolean {
  return /[\d.]e-\d{3}/i.test(text) && /(?:^|[:,[\s])-?\d[\d.]*e-\d{3}/i.test(text)
}

const SPACE = 0x20
const QUOTE = 0x22
const COLON = 0x3a

/**
 * Counts `":`, or answers -1 where a colon stands behind white space. Of the two bytes one has an odd index, so that
 * every other byte is enough. A string that holds `":` itself makes the count wrong, which only costs a scan.
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

/** A number needs 16 characters or more to have digits that a double drops. */
const LONG = 16

/** Whether a number outside of a string may have more digits than a double keeps: 17 characters, or 16 and an exponent. */
function hasLongNumber(bytes: Uint8Array): boolean {
  // So long a run has a byte at one of every 16 positions.
  for (let i = LONG - 1; i < bytes.length; i += LONG) {
    if (!isDigit(bytes[i])) continue
    let start = i
    while (isDigit(bytes[start - 1])) start--
    let end = i + 1
    while (isDigit(bytes[end])) end++
    const length = end - start
    if ((length > LONG || (length === LONG && isExponent(bytes[end]))) && startsNumber(bytes, start)) return true
    // On from the end of the run, or a megabyte of digits in a string would be walked again and again.
    i = end - 1
  }
  return false
}

/** A digit or the point. */
function isDigit(byte: number | undefined): boolean {
  return byte !== undefined && byte <= 0x39 && (byte >= 0x30 || byte === 0x2e)
}

function isExponent(byte: number | undefined): boolean {
  return byte === 0x65 || byte === 0x45
}

/** Also true behind a blank in a string, which only costs a scan. */
function startsNumber(bytes: Uint8Array, start: number): boolean {
  const before = bytes[start - 1] === 0x2d ? bytes[start - 2] : bytes[start - 1]
  return before === undefined || before <= SPACE || NUMBER_FOLLOWS.includes(before)
}

/** Colon, comma, bracket, and the end of a byte order mark. */
const NUMBER_FOLLOWS: readonly number[] = [COLON, 0x2c, 0x5b, 0xbf]
