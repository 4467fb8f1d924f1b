import { message } from '../../core/messages/message.ts'
import { TabularError } from '../errors.ts'
import type { TabularColumn } from '../table.ts'

/** Margins of a page and padding of a cell, in points. */
export const MARGIN = 36
export const PADDING = 5

/** In characters: the widest that a column without a width gets; longer text wraps. */
const WIDEST = 42
const HEADER = 18
/** In characters: a text column is at least as wide as its longest word, up to this. */
const NARROWEST = 12
/** In characters, on the largest page: a wider character becomes smaller, but not less than half. */
const LEAST = 0.5
/** The largest page of PDF. */
const LARGEST_PAGE = 14_400

/** The page size of a PDF. */
export type PageSize = 'A4' | 'LETTER'

/** Portrait width and height in points, and the double-sized sheet in landscape for many columns. */
const SIZES: Readonly<Record<PageSize, { readonly page: [number, number]; readonly large: [number, number] }>> = {
  A4: { page: [595.28, 841.89], large: [1190.55, 841.89] },
  LETTER: { page: [612, 792], large: [1224, 792] },
}

export interface PageLayout {
  readonly size: [number, number]
  readonly widths: readonly number[]
}

interface Need {
  readonly natural: number
  readonly least: number
  readonly isGiven: boolean
}

/**
 * Chooses the page and the column widths. The page is portrait if all columns fit unwrapped, else landscape, else
 * larger. At last it is wide enough for whole words. `texts` are the first rows by column.
 */
export function pageLayout(
  columns: readonly TabularColumn[],
  texts: readonly (readonly string[])[],
  measure: { readonly header: Measure; readonly body: Measure },
  pageSize: PageSize,
): PageLayout {
  const character = measure.body('0')
  const needs = columns.map((column, i) => columnNeed(column, texts[i] ?? [], measure, character))
  const padding = 2 * PADDING * columns.length
  const natural = sum(needs.map(need => need.natural)) + padding
  const least = sum(needs.map(need => need.least)) + padding
  const most = Math.floor((LARGEST_PAGE - 2 * MARGIN) / (LEAST * character + 2 * PADDING))
  if (columns.length > most) throw new TabularError('too_large', message('too_large.pdf_columns', { max: most }))
  const { page, large } = SIZES[pageSize]
  const room = ([width]: readonly [number, number]) => width - 2 * MARGIN
  const landscape: [number, number] = [page[1], page[0]]
  if (natural <= room(page)) return { size: page, widths: fittedWidths(needs, room(page)) }
  if (least <= room(landscape)) return { size: landscape, widths: fittedWidths(needs, room(landscape)) }
  const width = Math.min(Math.max(least + 2 * MARGIN, large[0]), LARGEST_PAGE)
  return { size: [width, large[1]], widths: fittedWidths(needs, width - 2 * MARGIN) }
}

function columnNeed(
  { header, width, kind }: TabularColumn,
  texts: readonly string[],
  measure: { readonly header: Measure; readonly body: Measure },
  character: number,
): Need {
  if (width !== undefined) {
    const given = Math.min(Math.max(width, 1), 255) * character
    return { natural: given, least: Math.min(given, NARROWEST * character), isGiven: true }
  }
  const lines = texts.flatMap(text => text.split('\n'))
  const headerWords = widest(words([header]), measure.header)
  const headerNeed = Math.min(measure.header(header), HEADER * character)
  const natural = Math.min(Math.max(widest(lines, measure.body), headerNeed), WIDEST * character)
  // Numbers, dates and times do not wrap; long words do.
  const least =
    kind === 'text'
      ? Math.min(Math.max(widest(words(lines), measure.body), headerWords), NARROWEST * character)
      : Math.max(widest(lines, measure.body), headerWords)
  return { natural, least: Math.min(least, natural), isGiven: false }
}

function fittedWidths(needs: readonly Need[], room: number): number[] {
  const free = room - 2 * PADDING * needs.length
  const natural = sum(needs.map(need => need.natural))
  const least = sum(needs.map(need => need.least))
  if (natural > free) {
    // On the largest page, columns may become narrower than their least width.
    const share = least >= free ? 0 : (free - least) / (natural - least)
    const shrink = least > free ? free / least : 1
    return needs.map(need => (need.least + (need.natural - need.least) * share) * shrink + 2 * PADDING)
  }
  const growing = sum(needs.filter(need => !need.isGiven).map(need => need.natural))
  const growth = growing === 0 ? 0 : (free - natural) / growing
  return needs.map(need => need.natural * (need.isGiven ? 1 : 1 + growth) + 2 * PADDING)
}

function words(texts: readonly string[]): string[] {
  return texts.flatMap(text => text.split(/\s+/))
}

function widest(texts: readonly string[], measure: Measure): number {
  return texts.reduce((most, text) => Math.max(most, measure(text)), 0)
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, number) => total + number, 0)
}

type Measure = (text: string) => number

// A line may break after blanks, and after each character of scripts without blanks. Closing punctuation stays with its
// phrase.
const SCRIPT = '\\u2E80-\\u9FFF\\uF900-\\uFAFF\\uFF66-\\uFF9F'
const CLOSING = '\\u3001\\u3002\\u300D\\u300F\\uFF09\\uFF0C\\uFF0E'
const PIECES = new RegExp(`[${SCRIPT}][${CLOSING}]*\\s*|[^\\s${SCRIPT}]+\\s*|\\s+`, 'gu')
/** Parts of a word that is too long for a line, such as a URL. */
const PARTS = /[^-/\\_@.,;:&?=|+]*[-/\\_@.,;:&?=|+]+|[^-/\\_@.,;:&?=|+]+/g

/**
 * Breaks text into lines no wider than `width`: at line ends and between words, inside a word only if it is too wide
 * alone. Only blanks at a break are dropped.
 */
export function wrapText(text: string, width: number, measure: Measure): string[] {
  const lines: string[] = []
  for (const paragraph of text.split('\n')) {
    if (measure(paragraph) <= width) lines.push(paragraph)
    else wrapParagraph(paragraph, width, measure, lines)
  }
  return lines
}

function wrapParagraph(paragraph: string, width: number, measure: Measure, lines: string[]): void {
  let line = ''
  let taken = 0
  const add = (piece: string, itsWidth: number) => {
    const visible = piece.trimEnd()
    const needed = visible.length === piece.length ? itsWidth : measure(visible)
    if (line !== '' && taken + needed > width) {
      lines.push(line.trimEnd())
      line = ''
      taken = 0
    }
    line += piece
    taken += itsWidth
  }
  for (const piece of paragraph.match(PIECES) ?? []) {
    for (const fitting of fittingPieces(piece, width, measure)) add(fitting, measure(fitting))
  }
  lines.push(line.trimEnd())
}

function fittingPieces(piece: string, width: number, measure: Measure): readonly string[] {
  if (measure(piece.trimEnd()) <= width) return [piece]
  const parts = piece.match(PARTS) ?? [piece]
  if (parts.length > 1) return parts.flatMap(part => fittingPieces(part, width, measure))
  return graphemes(piece)
}

let segmenter: Intl.Segmenter | undefined

/**
 * Splits text into user-perceived characters: letters with their marks and joiners.
 *
 * @example
 * graphemes('e\u0301a') // ['e\u0301', 'a']
 */
export function graphemes(text: string): string[] {
  // Creating it takes longer than setting a page of text.
  segmenter ??= new Intl.Segmenter(undefined, { granularity: 'grapheme' })
  return Array.from(segmenter.segment(text), ({ segment }) => segment)
}
