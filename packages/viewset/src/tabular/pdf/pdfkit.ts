// All use of pdfkit's private data stands here, because pdfkit has no public access to a font's glyphs. The range of
// the peer dependency is narrow for this reason.
import type { Readable } from 'node:stream'
import { TabularError } from '../errors.ts'

/** The used part of a pdfkit document, in points from the top left corner. */
export interface PdfDocument extends Readable {
  readonly page: {
    readonly height: number
    readonly fonts: Record<string, PdfReference>
    readonly xobjects: Record<string, PdfReference>
  }
  addPage(options: { size: [number, number]; margin: number }): this
  addContent(operators: string): this
  ref(data: Record<string, unknown>): PdfReference
  registerFont(name: string, path: string, member?: string): this
  font(name: string): this
  fontSize(size: number): this
  text(text: string, x: number, y: number, options: Record<string, unknown>): this
  rect(x: number, y: number, width: number, height: number): this
  fill(color: string): this
  fillColor(color: string): this
  end(): void
}

export interface PdfReference {
  end(content?: string): void
}

interface EmbeddedFont {
  readonly id: string
  readonly font: { hasGlyphForCodePoint(codePoint: number): boolean }
  /** The glyphs of a text as hexadecimal strings for the operator `Tj`. */
  encode(text: string, features: readonly string[]): [hex: string[], positions: Position[]]
  widthOfString(text: string, size: number, features: readonly string[]): number
  ref(): PdfReference
}

interface Position {
  readonly xAdvance: number
  readonly xOffset: number
  readonly yOffset: number
}

interface SimpleGlyph {
  readonly hex: string
  readonly advance: number
}

/** Scripts that need no shaping: no marks, no contextual forms, left to right. */
const SIMPLE =
  /^[\x20-\x7E\xA0-\xAC\xAE-\u02FF\u0370-\u0482\u048A-\u0588\u10A0-\u10FF\u1E00-\u1FFF\u2010-\u2027\u2030-\u205E\u2070-\u20CF\u2100-\u2BFF\u3000-\u3029\u3030-\u3098\u309B-\u9FFF\uAC00-\uD7A3\uF900-\uFAFF\uFF01-\uFFEF\uFFFD]$/

/** A list, even an empty one, makes pdfkit set a text as a whole instead of word by word. */
const FEATURES: readonly string[] = []

export async function createDocument(info: { readonly title: string }): Promise<PdfDocument> {
  const { default: PDFDocument } = await import('pdfkit').catch((cause: unknown) => {
    throw new TabularError('missing_package', 'PDF files need the package pdfkit: npm install pdfkit', cause)
  })
  const options = {
    autoFirstPage: false,
    bufferPages: false,
    // The cache would keep every word.
    fontLayoutCache: false,
    // Otherwise every file contains Helvetica.
    font: '',
    pdfVersion: '1.7',
    displayTitle: true,
    info: { Title: info.title, Producer: 'Viewset', Creator: 'Viewset' },
  } as const
  return new PDFDocument(options) as unknown as PdfDocument
}

/**
 * A font of a document. Text in simple scripts is set from a cache of character glyphs, because shaping each word takes
 * 4 times as long (measured over 10,000 rows). pdfkit sets other text.
 */
export class PdfFont {
  readonly #document: PdfDocument
  readonly #name: string
  readonly #embedded: EmbeddedFont
  /** By character; `undefined` for one that needs shaping. */
  readonly #glyphs = new Map<string, SimpleGlyph | undefined>()

  /**
   * @param path of the font file; `fonts.ttc#Name` is one of a collection
   * @throws TabularError `bad_font` for a file that is missing or not a TrueType or OpenType font.
   */
  constructor(document: PdfDocument, path: string) {
    const [, file = path, member] = /^(.*\.ttc)#(.+)$/i.exec(path) ?? []
    try {
      document.registerFont(path, file, member).font(path)
      this.#embedded = (document as unknown as { _font: EmbeddedFont })._font
    } catch (cause) {
      const message = `The font ${path} cannot be used: it must be a .ttf or .otf file, or .ttc#Name.`
      throw new TabularError('bad_font', message, cause)
    }
    this.#document = document
    this.#name = path
  }

  get id(): string {
    return this.#embedded.id
  }

  get reference(): PdfReference {
    return this.#embedded.ref()
  }

  has(codePoint: number): boolean {
    return this.#embedded.font.hasGlyphForCodePoint(codePoint)
  }

  width(text: string, size: number): number {
    let advance = 0
    for (const character of text) {
      const glyph = this.#glyph(character)
      if (!glyph) return this.#embedded.widthOfString(text, size, FEATURES)
      advance += glyph.advance
    }
    return (advance * size) / 1000
  }

  /** The operand of `Tj` for text in a simple script; otherwise `undefined`. */
  encode(text: string): string | undefined {
    let hex = ''
    for (const character of text) {
      const glyph = this.#glyph(character)
      if (!glyph) return undefined
      hex += glyph.hex
    }
    return `<${hex}>`
  }

  draw(text: string, x: number, baseline: number, size: number): void {
    const operand = this.encode(text)
    if (operand === undefined) {
      const options = { lineBreak: false, baseline: 'alphabetic', features: FEATURES }
      this.#document.font(this.#name).fontSize(size).text(text, x, baseline, options)
      return
    }
    this.#document.page.fonts[this.id] ??= this.reference
    // The page counts from the top, so text must be flipped.
    const matrix = `1 0 0 -1 ${x.toFixed(2)} ${baseline.toFixed(2)}`
    this.#document.addContent(`BT /${this.id} ${size} Tf ${matrix} Tm ${operand} Tj ET`)
  }

  #glyph(character: string): SimpleGlyph | undefined {
    const known = this.#glyphs.get(character)
    if (known || this.#glyphs.has(character)) return known
    const glyph = SIMPLE.test(character) ? this.#encodeCharacter(character) : undefined
    this.#glyphs.set(character, glyph)
    return glyph
  }

  #encodeCharacter(character: string): SimpleGlyph | undefined {
    const [hex, positions] = this.#embedded.encode(character, FEATURES)
    const [position] = positions
    if (!position || positions.length > 1 || position.xOffset !== 0 || position.yOffset !== 0) return undefined
    return { hex: hex.join(''), advance: position.xAdvance }
  }
}
