import { TabularError } from '../../errors.ts'
import { cellText, decoded, type XmlHandler } from './xml.ts'

/** Reads `xl/sharedStrings.xml`: texts that cells refer to by their number. */
export class SharedStringsHandler implements XmlHandler {
  readonly #strings: string[] = []
  wantsText = false
  readonly #longest: number
  readonly #wanted: ReadonlySet<number> | undefined
  readonly #last: number
  #text = ''
  #isPhonetic = false

  /**
   * @param longest characters of a text
   * @param wanted the numbers of the texts that are needed; by default all are
   */
  constructor(longest: number, wanted?: ReadonlySet<number>) {
    this.#longest = longest
    this.#wanted = wanted
    this.#last = wanted ? [...wanted].reduce((last, index) => Math.max(last, index), -1) : Number.POSITIVE_INFINITY
  }

  /** Whether all that is needed was read. */
  get isDone(): boolean {
    return this.#strings.length > this.#last
  }

  at(index: number): string | undefined {
    return this.#strings[index]
  }

  open(name: string): void {
    if (name === 'si') this.#text = ''
    else if (name === 'rPh') this.#isPhonetic = true
    else if (name === 't') this.wantsText = !this.#isPhonetic && this.#isWanted()
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

  #isWanted(): boolean {
    return this.#wanted === undefined || this.#wanted.has(this.#strings.length)
  }
}
