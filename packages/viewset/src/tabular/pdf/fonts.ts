import { directedParts } from './direction.ts'
import { graphemes } from './page-layout.ts'
import { type PdfDocument, PdfFont } from './pdfkit.ts'

interface Face {
  readonly font: PdfFont
  /** By character of the basic plane: 0 unknown, 1 missing, 2 present. */
  readonly coverage: Uint8Array
}

interface Run {
  readonly face: Face
  text: string
}

export interface FontFiles {
  readonly regular: string
  readonly bold: string
  readonly fallbacks: readonly string[]
}

export type Weight = 'regular' | 'bold'

const MOST_MISSING = 1000
const CONTROL = /\p{Cc}/u
const IGNORABLE = /\p{Default_Ignorable_Code_Point}/u

/** Sets each part of a text in the first font with its characters. */
export class Fonts {
  readonly missing = new Set<string>()
  readonly #chains: Readonly<Record<Weight, readonly Face[]>>

  constructor(document: PdfDocument, files: FontFiles) {
    const open = (path: string): Face => ({ font: new PdfFont(document, path), coverage: new Uint8Array(0x10000) })
    const regular = open(files.regular)
    const bold = files.bold === files.regular ? regular : open(files.bold)
    const fallbacks = files.fallbacks.map(open)
    this.#chains = { regular: [regular, ...fallbacks], bold: [bold, ...fallbacks] }
  }

  main(weight: Weight): PdfFont {
    return this.#chains[weight][0]!.font
  }

  /** Whether some font has each character. */
  covers(text: string): boolean {
    return [...text].every(character => this.#chains.regular.some(face => covers(face, character)))
  }

  mainCovers(text: string): boolean {
    return covers(this.#chains.regular[0]!, text)
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
    const chain = this.#chains[weight]
    const main = chain[0]!
    if (covers(main, text)) return [{ face: main, text }]
    const runs: Run[] = []
    const add = (face: Face, piece: string) => {
      const last = runs.at(-1)
      if (last?.face === face) last.text += piece
      else runs.push({ face, text: piece })
    }
    // A letter and its marks need the same font.
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
    add(chain[0]!, this.missingSign)
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
  // Some fonts have an empty glyph for control characters, which would hide them.
  if (CONTROL.test(character)) return false
  // Joiners are invisible, so no font needs them.
  return font.has(codePoint) || IGNORABLE.test(character)
}
