import { message } from '../../../core/messages/message.ts'
import { TabularError } from '../../errors.ts'
import { documentTypeRefused } from './xml.ts'

const LESS = 0x3c
const GREATER = 0x3e
const SLASH = 0x2f
const EXCLAMATION = 0x21
const QUESTION = 0x3f
const SPACE = 0x20
const LOOK_AHEAD = 64

export interface FoundText {
  readonly index: number
  readonly xml: Buffer
}

/**
 * Finds some shared texts of a workbook by number and only counts the others, at a tenth of the cost of reading them.
 * There may be millions.
 */
export class TextFinder {
  readonly #wanted: readonly number[]
  readonly #longest: number
  #rest: Buffer = Buffer.alloc(0)
  #index = 0
  #found = 0
  #root: Buffer | undefined
  #name: Buffer = Buffer.alloc(0)

  constructor(wanted: Iterable<number>, longest: number) {
    this.#wanted = [...wanted].sort((a, b) => a - b)
    this.#longest = longest
  }

  /** Whether it has got no bytes yet. */
  get isNew(): boolean {
    return this.#rest.length === 0 && this.#root === undefined
  }

  get isDone(): boolean {
    return this.#found === this.#wanted.length
  }

  get root(): Buffer {
    return this.#root ?? Buffer.alloc(0)
  }

  end(): readonly FoundText[] {
    return this.find(Buffer.alloc(LOOK_AHEAD + this.#name.length, SPACE))
  }

  find(chunk: Buffer): readonly FoundText[] {
    const bytes = this.#rest.length > 0 ? Buffer.concat([this.#rest, chunk]) : chunk
    this.#root ??= rootTag(bytes)
    if (!this.#root) {
      this.#keep(bytes)
      return []
    }
    if (this.#name.length === 0) this.#name = nameOfTexts(this.#root)
    const found: FoundText[] = []
    // Local variables only: this runs for each byte.
    const name = this.#name
    const last = bytes.length - LOOK_AHEAD - name.length
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
        if (start === -1 || !isNamed(bytes, at + 2, name)) continue
        found.push({ index: index++, xml: bytes.subarray(start, bytes.indexOf(GREATER, at) + 1) })
        wanted = this.#wanted[++this.#found]
        start = -1
      } else if (start === -1 && isNamed(bytes, at + 1, name)) {
        if (index !== wanted) index++
        else if (bytes[bytes.indexOf(GREATER, at) - 1] !== SLASH) start = at
        else {
          index++
          wanted = this.#wanted[++this.#found]
        }
      }
    }
    this.#index = index
    this.#keep(bytes.subarray(start === -1 ? at : start))
    return found
  }

  #keep(rest: Buffer): void {
    this.#rest = rest
    if (rest.length > this.#longest) throw new TabularError('too_large', message('too_large.long_text'))
  }
}

/** The tag of the root; `undefined` before its end has arrived. */
function rootTag(bytes: Buffer): Buffer | undefined {
  for (let at = bytes.indexOf(LESS); at !== -1 && at <= bytes.length - LOOK_AHEAD; at = bytes.indexOf(LESS, at)) {
    const next = bytes[at + 1]
    if (next === EXCLAMATION) at = markupEnd(bytes, at)
    else if (next === QUESTION) at = bytes.indexOf('?>', at)
    else {
      const end = bytes.indexOf(GREATER, at)
      return end === -1 ? undefined : Buffer.from(bytes.subarray(at, end + 1))
    }
    if (at === -1) return undefined
  }
  return undefined
}

/** Another prefix belongs to a foreign element. */
function nameOfTexts(root: Buffer): Buffer {
  const [, prefix = ''] = /^<([^\s:>]+:)?/.exec(root.toString()) ?? []
  return Buffer.from(`${prefix}si`)
}

function isNamed(bytes: Buffer, from: number, name: Buffer): boolean {
  for (let i = 0; i < name.length; i++) if (bytes[from + i] !== name[i]) return false
  const behind = bytes[from + name.length] as number
  return behind <= SPACE || behind === GREATER || behind === SLASH
}

/** The end of a comment or CDATA section, which contain no tags; -1 before it has arrived. */
function markupEnd(bytes: Buffer, at: number): number {
  const mark = bytes.toString('latin1', at, at + 9)
  const close = mark.startsWith('<!--') ? '-->' : mark === '<![CDATA[' ? ']]>' : documentTypeRefused()
  const end = bytes.indexOf(close, at + 4)
  return end === -1 ? -1 : end + close.length
}
