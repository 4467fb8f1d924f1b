import type { PdfDocument, PdfFont, PdfReference } from './pdfkit.ts'

/**
 * "Page 3 of 12" on every page, although the number of pages is not known before the last one and no page is kept: each
 * has a place for a form (a drawing that stands elsewhere in the file), and the forms are written at the end.
 */
export class PageNumbers {
  readonly #document: PdfDocument
  readonly #font: PdfFont
  readonly #size: number
  readonly #forms: PdfReference[] = []

  constructor(document: PdfDocument, font: PdfFont, size: number) {
    this.#document = document
    this.#font = font
    this.#size = size
  }

  /** Pages so far. */
  get count(): number {
    return this.#forms.length
  }

  /** Keeps a place on the current page, for text that ends at `right` and stands on `baseline`. */
  reserve(right: number, baseline: number): void {
    const width = 100
    const form = this.#document.ref({
      Type: 'XObject',
      Subtype: 'Form',
      BBox: [-width, -this.#size, 0, this.#size],
      Resources: { Font: { [this.#font.id]: this.#font.reference } },
    })
    this.#document.page.xobjects.PageNumber = form
    // As in PdfFont.draw, the page counts from the top.
    this.#document.addContent(`q 1 0 0 -1 ${right} ${baseline} cm /PageNumber Do Q`)
    this.#forms.push(form)
  }

  end(): void {
    this.#forms.forEach((form, index) => {
      const text = `Page ${index + 1} of ${this.#forms.length}`
      const left = -this.#font.width(text, this.#size)
      const color = '0.39 0.45 0.55 rg'
      form.end(`${color} BT /${this.#font.id} ${this.#size} Tf ${left} 0 Td ${this.#font.encode(text) ?? '<>'} Tj ET`)
    })
  }
}
