/** The records of XLS files that matter for the values of cells, by their numbers in Excel's binary format. */
export const RECORD = {
  formula: 0x06,
  end: 0x0a,
  dateSystem: 0x22,
  password: 0x2f,
  continue: 0x3c,
  codePage: 0x42,
  column: 0x7d,
  sheet: 0x85,
  numbers: 0xbd,
  richText: 0xd6,
  cellFormat: 0xe0,
  merged: 0xe5,
  sharedTexts: 0xfc,
  sharedText: 0xfd,
  number: 0x203,
  text: 0x204,
  truthOrError: 0x205,
  /** The numbers of older versions, which some programs still write. */
  formula3: 0x206,
  textResult: 0x207,
  row: 0x208,
  array: 0x221,
  table: 0x236,
  shortNumber: 0x27e,
  formula4: 0x406,
  numberFormat: 0x41e,
  sharedFormula: 0x4bc,
  begin: 0x809,
} as const

export const VERSION_5 = 0x500
export const VERSION_8 = 0x600

/** Steps through the records of a workbook. */
export class Records {
  readonly stream: Buffer
  id: number = 0
  /** The position of the record's content. */
  at: number
  end: number

  constructor(stream: Buffer, start: number) {
    this.stream = stream
    this.at = start
    this.end = start
  }

  /** Goes to the next record. @returns false at the end of the stream @throws RangeError if it ends amid a record */
  next(): boolean {
    const { stream, end } = this
    if (end + 4 > stream.length) return false
    this.id = stream.readUInt16LE(end)
    this.at = end + 4
    this.end = this.at + stream.readUInt16LE(end + 2)
    if (this.end > stream.length) throw new RangeError('The record is cut off.')
    return true
  }

  /** The content of this record and of those that continue it, because a record ends after 8,224 bytes. */
  whole(): Content {
    const parts = [this.stream.subarray(this.at, this.end)]
    for (let at = this.end; at + 4 <= this.stream.length; ) {
      if (this.stream.readUInt16LE(at) !== RECORD.continue) break
      const end = at + 4 + this.stream.readUInt16LE(at + 2)
      parts.push(this.stream.subarray(at + 4, end))
      at = end
    }
    return new Content(parts)
  }
}

const IS_WIDE = 1
const HAS_PHONETIC = 4
const HAS_RUNS = 8

/** Reads texts of Excel 97 and later from a record and its continuations. */
export class Content {
  readonly #parts: readonly Buffer[]
  #part = 0
  #at = 0

  constructor(parts: readonly Buffer[]) {
    this.#parts = parts
  }

  get #bytes(): Buffer {
    return this.#parts[this.#part]!
  }

  get isAtEnd(): boolean {
    this.#toContent()
    return this.#at >= this.#bytes.length
  }

  skip(count: number): void {
    for (let left = count; left > 0; ) {
      this.#toContent()
      const step = Math.min(left, this.#bytes.length - this.#at)
      if (step === 0) return
      this.#at += step
      left -= step
    }
  }

  byte(): number {
    this.#toContent()
    return this.#bytes.readUInt8(this.#at++)
  }

  short(): number {
    return this.byte() + this.byte() * 0x100
  }

  long(): number {
    return this.short() + this.short() * 0x10000
  }

  /** @throws RangeError if there are fewer */
  bytes(count: number): Buffer {
    const found = this.#bytes.subarray(this.#at, this.#at + count)
    if (found.length < count) throw new RangeError('The text is cut off.')
    this.#at += count
    return found
  }

  /**
   * A text with its flags. In a continuation, the flags of its characters come first again.
   *
   * @param mayEnd whether the text may be shorter, as some programs count one character too many
   */
  text(length: number, mayEnd = false): string {
    const flags = this.byte()
    const runs = flags & HAS_RUNS ? this.short() : 0
    const phonetic = flags & HAS_PHONETIC ? this.long() : 0
    let isWide = (flags & IS_WIDE) !== 0
    let text = ''
    while (text.length < length) {
      if (this.#at >= this.#bytes.length && this.#hasNext) {
        this.#part++
        this.#at = 0
        isWide = (this.byte() & IS_WIDE) !== 0
      }
      const size = isWide ? 2 : 1
      const count = Math.min(length - text.length, Math.floor((this.#bytes.length - this.#at) / size))
      if (count === 0) {
        if (mayEnd) break
        throw new RangeError('The text is cut off.')
      }
      text += this.#bytes.toString(isWide ? 'utf16le' : 'latin1', this.#at, this.#at + count * size)
      this.#at += count * size
    }
    this.skip(runs * 4 + phonetic)
    return text
  }

  get #hasNext(): boolean {
    return this.#part + 1 < this.#parts.length
  }

  #toContent(): void {
    while (this.#at >= this.#bytes.length && this.#hasNext) {
      this.#part++
      this.#at = 0
    }
  }
}
