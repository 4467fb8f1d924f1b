import { directedParts } from './direction.ts'
import { graphemes } from './page-layout.ts'
import { type PdfDocument, PdfFont } from './pdfkit.ts'

interface Face {
  readonly font: PdfFont
  /** Whether it has a character of the basic plane: 0 is not known, 1 no, 2 yes. */
  readonly coverage: Uint8Array
}

interface Run {
  readonly face: Face
  text: string
}

/** Paths of the font files of a document. */
export interface FontFiles {
  readonly regular: string
  /** For headings. */
  readonly bold: string
  /** For the characters that those do not have, in order of preference. */
  readonly fallbacks: readonly string[]
}

export type Weight = 'regular' | 'bold'

/** More kinds of characters than this are not reported. */
const MOST_MISSING = 1000
const CONTROL = /\p{Cc}/u
const IGNORABLE = /\p{Default_Ignorable_Code_Point}/u

/** The fonts of one document: sets each part of a text in the first font that has its characters. */
export class Fonts {
  /** Characters that no font has; a replacement character stands for them. */
  readonly missing = new Set<string>()
  readonly #chains: Readonly<Record<Weight, readonly Face[]>>

  /** @throws TabularError `bad_font` */
  constructor(document: PdfDocument, files: FontFiles) {
    const open = (path: string): Face => ({ font: new PdfFont(document, path), coverage: new Uint8Array(0x10000) })
    const regular = open(files.regular)
    const bold = files.bold === files.regular ? regular : open(files.bold)
    const fallbacks = files.fallbacks.map(open)
    this.#chains = { regular: [regular, ...fallbacks], bold: [bold, ...fallbacks] }
  }

  /** The font of text that needs no fallback, such as page numbers. */
  main(weight: Weight): PdfFont {
    return this.#chains[weight][0]!.font
  }

  /** The width of a line in points. */
  width(line: string, size: number, weight: Weight): number {
    let width = 0
    for (const { face, text } of this.#runs(line, weight)) width += face.font.width(text, size)
    return width
  }

  /** Draws a line with its left end at `x` and its letters standing on `baseline`. */
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
    const chain = this.#chains[weight]
    const main = chain[0]!
    if (covers(main, text)) return [{ face: main, text }]
    const runs: Run[] = []
    const add = (face: Face, piece: string) => {
      const last = runs.at(-1)
      if (last?.face === face) last.text += piece
      else runs.push({ face, text: piece })
    }
    // A letter stays together with its marks, so that one font can place them.
    for (const segment of graphemes(text)) {
      const face = chain.find(candidate => covers(candidate, segment))
      if (face) add(face, segment)
      else for (const character of segment) this.#addCharacter(character, chain, add)
    }
    return runs
  }

  #addCharacter(character: string, chain: readonly Face[], add: (face: Face, text: string) => void): void {
    const face = chain.find(candidate => covers(candidate, character))
    if (face) {
      add(face, character)
      return
    }
    if (this.missing.size < MOST_MISSING) this.missing.add(character)
    const main = chain[0]!
    add(main, main.font.has(0xfffd) ? '\uFFFD' : '?')
  }
}

function covers({ font, coverage }: Face, text: string): boolean {
  for (let i = 0; i < text.length; i++) {
    const code = text.codePointAt(i)!
    if (code > 0xffff) {
      if (!hasCharacter(font, code)) return false
      i++
      continue
    }
    if (coverage[code] === 0) coverage[code] = hasCharacter(font, code) ? 2 : 1
    if (coverage[code] === 1) return false
  }
  return true
}

function hasCharacter(font: PdfFont, codePoint: number): boolean {
  const character = String.fromCodePoint(codePoint)
  // Some fonts have an empty glyph for control characters: then nothing would show that there is one.
  if (CONTROL.test(character)) return false
  // Joiners and the like have no look of their own, so no font has to have them.
  return font.has(codePoint) || IGNORABLE.test(character)
}
