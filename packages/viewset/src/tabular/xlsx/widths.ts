import { type CellRow, isColored, type TabularColumn } from '../table.ts'
import { displayWidth } from './cells.ts'

const LEAST = 8
const MOST = 60
/** Texts wrap well in a column of this width. */
const LEAST_WRAPPED = 20
/** Characters of a page in landscape, in letters of 8 points. */
const READABLE = 200
const BUTTON = 2
const FIRST_ROWS = 1_000
/** The share of cells that fit on one line. */
const SHARE = 0.95

/**
 * The widths of columns, in characters. One without a width of its own has room for nearly all of the first rows; longer
 * texts wrap. If a printed page would be hard to read, the widest columns become narrower.
 */
export function columnWidths(columns: readonly TabularColumn[], rows: readonly CellRow[]): readonly number[] {
  const needs = columns.map((column, index) => neededWidth(column, index, rows))
  const widthsUpTo = (most: number) => needs.map(({ least, wanted }) => Math.max(least, Math.min(wanted, most)))
  let most = MOST
  let widths = widthsUpTo(most)
  while (most > LEAST_WRAPPED && totalWidth(widths) > READABLE) widths = widthsUpTo(--most)
  return widths
}

export function totalWidth(widths: readonly number[]): number {
  return widths.reduce((sum, width) => sum + width, 0)
}

/** The lines of a header in a column, beside the button of its filter. Bold letters are wider. */
export function headerLines(header: string, columnWidth: number): number {
  const width = columnWidth - BUTTON
  let lines = 1
  let used = 0
  for (const word of header.split(/\s+/)) {
    const length = boldWidth(word)
    if (used > 0 && used + 1 + length > width) {
      lines++
      used = length
    } else used += (used > 0 ? 1 : 0) + length
  }
  return lines
}

interface Needed {
  /** Numbers, dates and the words of the header cannot wrap. */
  readonly least: number
  readonly wanted: number
}

function neededWidth({ header, kind, width }: TabularColumn, index: number, rows: readonly CellRow[]): Needed {
  if (width !== undefined) {
    const given = clamp(width, 1, 255)
    return { least: given, wanted: given }
  }
  const word = header.split(/\s+/).reduce((most, word) => Math.max(most, boldWidth(word)), 0)
  const { fixed, wrapped } =
    kind === 'timestamp' || kind === 'date' ? momentWidths(kind) : cellWidths(kind, index, rows)
  const widthOf = (...needs: readonly number[]) => clamp(Math.ceil(Math.max(...needs)) + BUTTON, LEAST, MOST)
  return { least: widthOf(word, fixed), wanted: widthOf(boldWidth(header), fixed, wrapped) }
}

/** The widths of cells that cannot wrap, and of those that can. */
interface Widths {
  readonly fixed: number
  readonly wrapped: number
}

function momentWidths(kind: 'timestamp' | 'date'): Widths {
  return { fixed: kind === 'timestamp' ? 19 : 10, wrapped: 0 }
}

function cellWidths(kind: TabularColumn['kind'], index: number, rows: readonly CellRow[]): Widths {
  const canWrap = kind === 'text' || kind === 'mixed'
  const wrapped: number[] = []
  let fixed = 0
  for (const row of rows.slice(0, FIRST_ROWS)) {
    const given = row[index] ?? null
    const cell = isColored(given) ? given.value : given
    if (cell === null || cell === '') continue
    const width = displayWidth(String(cell))
    if (canWrap && typeof cell === 'string') wrapped.push(width)
    else fixed = Math.max(fixed, width)
  }
  const at = Math.ceil(wrapped.length * SHARE) - 1
  return { fixed, wrapped: wrapped.sort((a, b) => a - b)[at] ?? 0 }
}

function boldWidth(text: string): number {
  return displayWidth(text) * 1.1
}

function clamp(value: number, least: number, most: number): number {
  return Math.min(Math.max(value, least), most)
}
