import { TabularError } from '../../errors.ts'
import type { XmlHandler } from './xml.ts'
import { cellText, decoded } from './xml-text.ts'

/** Reads `xl/sharedStrings.xml`: texts that cells refer to by their number. */
export class SharedStringsHandler implements XmlHandler {
  readonly #strings: string[] = []
  wantsText = false
  readonly #longest: number
  #text = ''
  #isPhonetic = false

  /** @param longest characters of a text */
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
    throw new TabularError('too_large', `The workbook has a text of more than ${this.#longest} characters.`)
  }

  close(name: string): void {
    if (name === 'si') this.#strings.push(cellText(this.#text))
    else if (name === 'rPh') this.#isPhonetic = false
    else if (name === 't') this.wantsText = false
  }
}
