import { message } from '../../../core/messages/message.ts'
import { TabularError } from '../../errors.ts'
import { type NumberFormat, numberFormats } from '../number-format.ts'
import { attribute, cellText, decoded, type XmlHandler } from './xml.ts'

export class StylesHandler implements XmlHandler {
  readonly wantsText = false
  readonly #codes = new Map<number, string>()
  readonly #ids: number[] = []
  /** Conditional styles have their own number formats, whose ids may repeat. */
  #isInNumberFormats = false
  #isInCellFormats = false

  open(name: string, tag: string): void {
    if (name === 'numFmts') this.#isInNumberFormats = true
    else if (name === 'numFmt' && this.#isInNumberFormats) {
      this.#codes.set(Number(attribute(tag, 'numFmtId')), attribute(tag, 'formatCode') ?? '')
    } else if (name === 'cellXfs') this.#isInCellFormats = true
    else if (name === 'xf' && this.#isInCellFormats) this.#ids.push(Number(attribute(tag, 'numFmtId')))
  }

  close(name: string): void {
    if (name === 'numFmts') this.#isInNumberFormats = false
    else if (name === 'cellXfs') this.#isInCellFormats = false
  }

  /** The format of each style. */
  formats(): readonly NumberFormat[] {
    return numberFormats(this.#ids, this.#codes)
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
