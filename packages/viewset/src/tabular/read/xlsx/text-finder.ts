import { TabularError } from '../../errors.ts'
import { documentTypeRefused } from './xml.ts'

const LESS = 0x3c
const GREATER = 0x3e
const SLASH = 0x2f
const EXCLAMATION = 0x21
const COLON = 0x3a
const SPACE = 0x20
const S = 0x73
const I = 0x69
/** Bytes by which a tag is known. */
const LOOK_AHEAD = 64

/** A shared text as the document has it: `<si>...</si>`. */
export interface FoundText {
  readonly index: number
  readonly xml: Buffer
}

/**
 * Finds some of the texts that the sheets of a workbook share, by their numbers. All others are only counted: that costs
 * a tenth of reading them, and there may be millions.
 */
export class TextFinder {
  /** In their order. */
  readonly #wanted: readonly number[]
  readonly #longest: number
  #rest: Buffer = Buffer.alloc(0)
  /** The number of the next text. */
  #index = 0
  #found = 0

  /** @param longest bytes of a text */
  constructor(wanted: Iterable<number>, longest: number) {
    this.#wanted = [...wanted].sort((a, b) => a - b)
    this.#longest = longest
  }

  /** Whether all were found. */
  get isDone(): boolean {
    return this.#found === this.#wanted.length
  }

  /** The last texts, when there is no more of the document. */
  end(): readonly FoundText[] {
    return this.find(Buffer.alloc(LOOK_AHEAD, SPACE))
  }

  /** The texts that end in this chunk of the document. */
  find(chunk: Buffer): readonly FoundText[] {
    const bytes = this.#rest.length > 0 ? Buffer.concat([this.#rest, chunk]) : chunk
    const found: FoundText[] = []
    // Nothing but local variables: it is done for each byte.
    const last = bytes.length - LOOK_AHEAD
    let index = this.#index
    let wanted = this.#wanted[this.#found]
    let start = -1
    let at = 0
    for (; at < bytes.length; at++) {
      if (bytes[at] !== LESS) continue
      if (at > last) break
      const next = bytes[at + 1]
      if (next === EXCLAMATION) {
        const end = markupEnd(bytes, at)
        if (end === -1) break
        at = end - 1
      } else if (next === SLASH) {
        if (start === -1 || !isText(bytes, at + 2)) continue
        found.push({ index: index++, xml: bytes.subarray(start, bytes.indexOf(GREATER, at) + 1) })
        wanted = this.#wanted[++this.#found]
        start = -1
      } else if (start === -1 && isText(bytes, at + 1)) {
        if (index !== wanted) index++
        else if (bytes[bytes.indexOf(GREATER, at) - 1] !== SLASH) start = at
        else {
          index++
          wanted = this.#wanted[++this.#found]
        }
      }
    }
    this.#index = index
    this.#rest = bytes.subarray(start === -1 ? at : start)
    if (this.#rest.length > this.#longest)
      throw new TabularError('too_large', 'The workbook has a text that is too long.')
    return found
  }
}

/** Whether the tag whose name begins at `from` is that of a text, with or without a prefix. */
function isText(bytes: Buffer, from: number): boolean {
  // The name of most of them, which is that of no text.
  if (bytes[from + 1] === GREATER) return false
  let end = from
  for (; end < from + LOOK_AHEAD; end++) {
    const byte = bytes[end] as number
    if (byte <= SPACE || byte === GREATER || byte === SLASH) break
  }
  if (bytes[end - 1] !== I || bytes[end - 2] !== S) return false
  return end - 2 === from || (end - 2 > from && bytes[end - 3] === COLON)
}

/** Where a comment or a CDATA section ends, in which tags are none; -1 when its end is not there yet. */
function markupEnd(bytes: Buffer, at: number): number {
  const mark = bytes.toString('latin1', at, at + 9)
  const close = mark.startsWith('<!--') ? '-->' : mark === '<![CDATA[' ? ']]>' : documentTypeRefused()
  const end = bytes.indexOf(close, at + 4)
  return end === -1 ? -1 : end + close.length
}
