import { ValidationError } from '../errors.ts'
import { isPlainJson } from './is-plain-json.ts'
import { parseJson } from './parse-json.ts'
import { placeIn } from './place.ts'
import { scan } from './scan.ts'

export interface JsonBodyOptions {
  /** How many arrays and objects may stand inside one another: 64 unless told, at most 1,000. */
  readonly maxDepth?: number
}

/** Levels of a JSON text that is read. */
export const DEFAULT_DEPTH = 64
const DEEPEST = 1000

const utf8 = new TextDecoder('utf-8', { fatal: true })

/**
 * Reads the body of a request as JSON (RFC 8259). Refuses values that JavaScript would change while it reads them.
 *
 * - Text: UTF-8 only; no NUL and no lone surrogate, also as an escape, in strings and in keys. A byte order mark is
 *   skipped, as RFC 8259 allows: PowerShell and Excel macros write one.
 * - Numbers: as a double holds them. `0.1` and `6.02e23` are; `1e999`, an integer beyond 2^53 - 1 and
 *   `12345678901234567.89` are not: such digits belong in a string.
 * - Keys: one that is given twice is refused, where `JSON.parse` drops the first value without a word and a proxy in
 *   front may have read that one. `__proto__` is refused, and so is `prototype` inside of `constructor`: the two ways
 *   to a prototype for code that merges objects. Alone, `constructor` and `prototype` are names like any other.
 *
 * Errors of values stand under their dotted path (`author.name`, `3.title`), up to 1,000 together; what belongs to no
 * value stands under `non_field_errors`, with line and column.
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
  // The engine's parser is the fastest there is, so it does the work; only what looks odd is read again, exactly.
  if (!isPlainJson(bytes, text, value, maxDepth)) scan(text, maxDepth)
  return value
}

function decode(bytes: Uint8Array): string {
  try {
    return utf8.decode(bytes)
  } catch {
    throw new ValidationError(`The body is not valid UTF-8 at ${placeOfInvalid(bytes)}.`)
  }
}

function parse(text: string, maxDepth: number): unknown {
  try {
    return parseJson(text)
  } catch {
    // The engine's messages change with its version, and some name no position.
    scan(text, maxDepth)
    throw new ValidationError('The body is not valid JSON.')
  }
}

function placeOfInvalid(bytes: Uint8Array): string {
  const repaired = new TextEncoder().encode(new TextDecoder('utf-8', { ignoreBOM: true }).decode(bytes))
  const end = repaired.findIndex((byte, at) => byte !== bytes[at])
  // As a stream, a character that the cut has halved is left out rather than an error.
  const valid = new TextDecoder('utf-8', { fatal: true }).decode(bytes.subarray(0, end), { stream: true })
  return placeIn(valid, valid.length)
}
