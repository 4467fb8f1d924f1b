import { message } from '../../core/messages/message.ts'
import { TabularError } from '../errors.ts'
import { directedParts } from './direction.ts'
import { graphemes } from './page-layout.ts'
import { type PdfDocument, PdfFont } from './pdfkit.ts'
import { SystemFonts } from './system-fonts.ts'

interface Face {
  readonly font: PdfFont
  /** By character of the basic plane: 0 unknown, 1 missing, 2 present. */
  readonly coverage: Uint8Array
  /** The characters of other planes that are present. */
  readonly others: Set<number>
}

interface Run {
  readonly face: Face
  text: string
}

export interface FontFiles {
  readonly regular: string
  readonly bold: string
  readonly fallbacks: readonly string[]
  /** Whether fonts of the system come after these, or the folders that have them. */
  readonly system: boolean | readonly string[]
}

export type Weight = 'regular' | 'bold'

const MOST_MISSING = 1000
/** Each takes up to 0.3 ms. Long texts in Chinese have some 7,000. */
const MOST_CHARACTERS = 20_000
const CONTROL = /\p{Cc}/u
const IGNORABLE = /\p{Default_Ignorable_Code_Point}/u
const INVISIBLE = /\p{Default_Ignorable_Code_Point}/gu

/** Sets each part of a text in the first font with its characters. */
export class Fonts {
  readonly missing = new Set<string>()
  readonly #chains: Readonly<Record<Weight, readonly Face[]>>
  readonly #document: PdfDocument
  readonly #system: SystemFonts | undefined
  /** Fonts of the system that the document uses, for both weights. */
  readonly #found: Face[] = []
  /** The number of different characters, in all fonts. */
  #characters = 0

  constructor(document: PdfDocument, { regular: path, bold: boldPath, fallbacks, system }: FontFiles) {
    this.#document = document
    const regular = this.#open(path)
    const bold = boldPath === path ? regular : this.#open(boldPath)
    const others = fallbacks.map(other => this.#open(other))
    this.#chains = { regular: [regular, ...others], bold: [bold, ...others] }
    if (system !== false) this.#system = new SystemFonts(system === true ? undefined : system)
  }

  #open(path: string): Face {
    return { font: new PdfFont(this.#document, path), coverage: new Uint8Array(0x10000), others: new Set() }
  }

  main(weight: Weight): PdfFont {
    return this.#chains[weight][0]!.font
  }

  /** Whether some font has each character. */
  covers(text: string): boolean {
    return [...text].every(character => this.#faceFor(character, 'regular') !== undefined)
  }

  mainCovers(text: string): boolean {
    return this.#covers(this.#chains.regular[0]!, text)
  }

  /** Shown in place of a character that no font has. */
  get missingSign(): string {
    return this.main('regular').has(0xfffd) ? '\uFFFD' : '?'
  }

  width(line: string, size: number, weight: Weight): number {
    let width = 0
    for (const { face, text } of this.#runs(line, weight)) width += face.font.width(text, size)
    return width
  }

  draw(line: string, x: number, baseline: number, size: number, weight: Weight): void {
    let left = x
    for (const part of directedParts(line)) {
      const runs = this.#runs(part.text, weight)
      for (const { face, text } of part.isRightToLeft ? runs.reverse() : runs) {
        face.font.draw(text, left, baseline, size)
        left += face.font.width(text, size)
      }
    }
  }

  #runs(text: string, weight: Weight): Run[] {
    if (text === '') return []
    const main = this.#chains[weight][0]!
    if (this.#covers(main, text)) return [{ face: main, text }]
    const runs: Run[] = []
    const add = (face: Face, piece: string) => {
      const last = runs.at(-1)
      if (last?.face === face) last.text += piece
      else runs.push({ face, text: piece })
    }
    // A letter and its marks need the same font.
    for (const segment of graphemes(text)) {
      const face = this.#faceFor(segment, weight)
      if (face) add(face, segment)
      else for (const character of segment) this.#addCharacter(character, weight, add)
    }
    return runs
  }

  #addCharacter(character: string, weight: Weight, add: (face: Face, text: string) => void): void {
    const face = this.#faceFor(character, weight)
    if (face) {
      add(face, character)
      return
    }
    if (this.missing.size < MOST_MISSING) this.missing.add(character)
    add(this.#chains[weight][0]!, this.missingSign)
  }

  /** The first font with all characters of a text: of the application, then of the system. */
  #faceFor(text: string, weight: Weight): Face | undefined {
    const has = (face: Face) => this.#covers(face, text)
    const known = this.#chains[weight].find(has) ?? this.#found.find(has)
    if (known || CONTROL.test(text)) return known
    const path = this.#system?.find(text.replaceAll(INVISIBLE, ''))
    if (path === undefined) return undefined
    const face = this.#open(path)
    this.#found.push(face)
    return face
  }

  /** @throws TabularError `too_large` for too many different characters */
  #covers({ font, coverage, others }: Face, text: string): boolean {
    for (let i = 0; i < text.length; i++) {
      const code = text.codePointAt(i)!
      if (code > 0xffff) {
        i++
        if (others.has(code)) continue
        if (!hasCharacter(font, code)) return false
        others.add(code)
        this.#count()
        continue
      }
      if (coverage[code] === 0) {
        coverage[code] = hasCharacter(font, code) ? 2 : 1
        if (coverage[code] === 2) this.#count()
      }
      if (coverage[code] === 1) return false
    }
    return true
  }

  #count(): void {
    if (++this.#characters <= MOST_CHARACTERS) return
    throw new TabularError('too_large', message('too_large.pdf_characters', { max: MOST_CHARACTERS }))
  }
}

function hasCharacter(font: PdfFont, codePoint: number): boolean {
  const character = String.fromCodePoint(codePoint)
  // Some fonts have an empty glyph for control characters, which would hide them.
  if (CONTROL.test(character)) return false
  // Joiners are invisible, so no font needs them.
  return font.has(codePoint) || IGNORABLE.test(character)
}
