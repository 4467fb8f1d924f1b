import { graphemes } from './graphemes.ts'

/** The width of a piece of text, in the unit of the width that it has to fit. */
export type Measure = (text: string) => number

// A line may break behind blanks, and behind each character of the scripts that are written without them, where the
// signs that close a phrase stay with what they close.
const SCRIPT = '\\u2E80-\\u9FFF\\uF900-\\uFAFF\\uFF66-\\uFF9F'
const CLOSING = '\\u3001\\u3002\\u300D\\u300F\\uFF09\\uFF0C\\uFF0E'
const PIECES = new RegExp(`[${SCRIPT}][${CLOSING}]*\\s*|[^\\s${SCRIPT}]+\\s*|\\s+`, 'gu')
/** Parts of a word that is too long for a line, such as an address. */
const PARTS = /[^-/\\_@.,;:&?=|+]*[-/\\_@.,;:&?=|+]+|[^-/\\_@.,;:&?=|+]+/g

/**
 * Breaks text into lines no wider than `width`: at its line ends, between words, inside a word only where it alone is
 * too wide. Nothing is left out but blanks at a break.
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

/** A piece of text, cut into several if it is wider than a line. */
function fittingPieces(piece: string, width: number, measure: Measure): readonly string[] {
  if (measure(piece.trimEnd()) <= width) return [piece]
  const parts = piece.match(PARTS) ?? [piece]
  if (parts.length > 1) return parts.flatMap(part => fittingPieces(part, width, measure))
  return graphemes(piece)
}
