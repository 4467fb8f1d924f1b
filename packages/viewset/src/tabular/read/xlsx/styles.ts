import { message } from '../../../core/messages/message.ts'
import { TabularError } from '../../errors.ts'
import { attribute, cellText, decoded, type XmlHandler } from './xml.ts'

/** Built-in formats for dates and times; 46 is a duration. */
const BUILT_IN = new Set([14, 15, 16, 17, 18, 19, 20, 21, 22, 45, 47])
/** Formats of East Asian Excel. */
const isEastAsian = (id: number) => (id >= 27 && id <= 36) || (id >= 50 && id <= 58)

/** Whether a number format shows a moment. Durations (`[h]:mm`) are numbers. */
export function isMomentFormat(code: string): boolean {
  const bare = code.replace(/"[^"]*"?|\\.|[_*]./g, '')
  if (/\[(?:h+|m+|s+)\]/i.test(bare)) return false
  return /[ymdhs]/i.test(bare.replace(/\[[^\]]*\]?/g, '').replace(/General/gi, ''))
}

export class StylesHandler implements XmlHandler {
  readonly wantsText = false
  readonly #formats = new Map<number, boolean>()
  readonly #ids: number[] = []
  /** Conditional styles have their own number formats, whose ids may repeat. */
  #isInNumberFormats = false
  #isInCellFormats = false

  open(name: string, tag: string): void {
    if (name === 'numFmts') this.#isInNumberFormats = true
    else if (name === 'numFmt' && this.#isInNumberFormats) {
      this.#formats.set(Number(attribute(tag, 'numFmtId')), isMomentFormat(attribute(tag, 'formatCode') ?? ''))
    } else if (name === 'cellXfs') this.#isInCellFormats = true
    else if (name === 'xf' && this.#isInCellFormats) this.#ids.push(Number(attribute(tag, 'numFmtId')))
  }

  close(name: string): void {
    if (name === 'numFmts') this.#isInNumberFormats = false
    else if (name === 'cellXfs') this.#isInCellFormats = false
  }

  moments(): boolean[] {
    return this.#ids.map(id => this.#formats.get(id) ?? (BUILT_IN.has(id) || isEastAsian(id)))
  }
}

export class SharedStringsHandler implements XmlHandler {
  readonly #strings: string[] = []
  wantsText = false
  readonly #longest: number
  #text = ''
  #isPhonetic = false

  constructor(longest: number) {
    this.#longest = longest
  }

  at(index: number): string | undefined {
    return this.#strings[index]
  }

  open(name: string): void {
    if (name === 'si') this.#text = ''
    else if (name === 'rPh') this.#isPhonetic = true
    else if (name === 't') this.wantsText = !this.#isPhonetic
  }

  text(text: string, isRaw: boolean): void {
    this.#text += isRaw ? text : decoded(text)
    if (this.#text.length <= this.#longest) return
    throw new TabularError('too_large', message('too_large.text', { max: this.#longest }))
  }

  close(name: string): void {
    if (name === 'si') this.#strings.push(cellText(this.#text))
    else if (name === 'rPh') this.#isPhonetic = false
    else if (name === 't') this.wantsText = false
  }
}
