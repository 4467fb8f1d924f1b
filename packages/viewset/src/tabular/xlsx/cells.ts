import { SheetError, SheetMoment, SheetNumber } from '../read/file.ts'
import { type Cell, isColored, type PlainCell, WrongCell } from '../table.ts'
import { fitCell, type WriteOptions } from '../writer.ts'
import { dateSerial, serialText, timestampSerial } from './serial.ts'
import { columnStyle, GREY, RED, type SheetColumn, STYLE, styleIn } from './styles.ts'

type CellWriter = (cell: Cell, reference: string) => string

interface CellOptions {
  /** A longer text is wrapped. */
  readonly width?: number | undefined
  readonly localTime?: WriteOptions['localTime']
}

/**
 * Writes the cells of a column. Its kind decides how text is read: `'12.50'` is a number in a decimal column and text
 * in a text column. Values that a double would alter, or of another kind, stay text.
 */
export function cellWriter(
  column: SheetColumn,
  onCut: () => void,
  { width = Number.POSITIVE_INFINITY, localTime }: CellOptions = {},
): CellWriter {
  const isWrapped = (text: string) => text.length > width || text.includes('\n')
  const writeMixed = (cell: Cell, reference: string) => mixedCell(cell, reference, isWrapped)
  if (column.kind === 'mixed') return writeMixed
  const style = columnStyle(column)
  const { kind } = column
  const numeric = kind === 'integer' || kind === 'decimal' || kind === 'float'
  // An indent is for texts.
  const plain = { ...column, isIndented: false }
  const numberStyle = numeric ? style : styleIn(plain, STYLE.general)
  const booleanStyle = styleIn(plain, STYLE.boolean)
  const textStyle = styleIn(column, column.isShrunk ? STYLE.shrunk : STYLE.text)
  const linesStyle = column.isShrunk ? textStyle : styleIn(column, STYLE.lines)
  return (cell, reference) => {
    if (cell === null) return ''
    if (isColored(cell)) return writeMixed(cell, reference)
    switch (typeof cell) {
      case 'boolean':
        return `<c r="${reference}" s="${booleanStyle}" t="b"><v>${cell ? 1 : 0}</v></c>`
      case 'number':
        // A float is a double. Of other numbers Excel keeps 15 digits.
        if (!Number.isFinite(cell) || (kind !== 'float' && Math.abs(cell) >= 1e15)) break
        return numberCell(cell, reference, numberStyle)
      case 'bigint':
        if (isExact(String(cell))) return numberCell(String(cell), reference, numberStyle)
        break
      case 'string': {
        if (numeric && isExact(cell)) return numberCell(cell, reference, style)
        const moment = kind === 'timestamp' && localTime && HAS_OFFSET.test(cell) ? localTime(cell) : cell
        if (moment === undefined) break
        const serial = kind === 'date' ? dateSerial(moment) : kind === 'timestamp' ? timestampSerial(moment) : undefined
        if (serial !== undefined) return numberCell(serialText(serial, moment), reference, style)
      }
    }
    const text = fitCell(String(cell), onCut)
    return textCell(text, reference, isWrapped(text) ? linesStyle : textStyle)
  }
}

const HAS_OFFSET = /(?:Z|[+-]\d\d:?\d\d)$/

type IsWrapped = (text: string) => boolean

function mixedCell(cell: Cell, reference: string, isWrapped: IsWrapped): string {
  if (!isColored(cell)) return typedCell(cell, reference, isWrapped)
  const color = cell instanceof WrongCell ? RED : GREY
  // An empty cell has the color, too.
  return cell.value === null
    ? `<c r="${reference}" s="${STYLE.text + color}"/>`
    : typedCell(cell.value, reference, isWrapped, color)
}

function typedCell(cell: PlainCell, reference: string, isWrapped: IsWrapped, color = 0): string {
  if (cell instanceof SheetNumber && !cell.isCode) return typedCell(cell.value, reference, isWrapped, color)
  if (typeof cell === 'number') return numberCell(cell, reference, STYLE.general + color)
  if (typeof cell === 'boolean')
    return `<c r="${reference}" s="${STYLE.boolean + color}" t="b"><v>${cell ? 1 : 0}</v></c>`
  if (cell === null) return ''
  const text = String(cell)
  if (cell instanceof SheetError && ERRORS.has(text))
    return `<c r="${reference}" s="${STYLE.general + color}" t="e"><v>${text}</v></c>`
  if (cell instanceof SheetMoment) {
    const day = dateSerial(text)
    if (day !== undefined) return numberCell(day, reference, STYLE.date + color)
    const serial = timestampSerial(text)
    if (serial !== undefined) return numberCell(serialText(serial, text), reference, STYLE.timestamp + color)
  }
  return textCell(text, reference, (isWrapped(text) ? STYLE.lines : STYLE.text) + color)
}

/** All programs know these errors. For other errors, some programs report a damaged workbook. */
const ERRORS = new Set(['#NULL!', '#DIV/0!', '#VALUE!', '#REF!', '#NAME?', '#NUM!', '#N/A'])

/** No program reads this cell as a formula or a number. */
export function textCell(text: string, reference: string, style: number): string {
  return `<c r="${reference}" s="${style}" t="inlineStr"><is><t xml:space="preserve">${xmlText(text)}</t></is></c>`
}

function numberCell(value: number | string, reference: string, style: number): string {
  return style === 0
    ? `<c r="${reference}"><v>${value}</v></c>`
    : `<c r="${reference}" s="${style}"><v>${value}</v></c>`
}

/** No double has more characters. Searching a longer text for trailing zeros takes long. */
const LONGEST_NUMBER = 350

/** Whether a double keeps the digits: at most 15 significant ones in ordinary notation. */
export function isExact(text: string): boolean {
  if (text.length > LONGEST_NUMBER || !/^-?(?:0|[1-9]\d*)(?:\.\d+)?$/.test(text)) return false
  if (text.length <= 15) return true
  const [whole = '', fraction = ''] = text.replace('-', '').split('.')
  return (whole + fraction.replace(/0+$/, '')).replace(/^0+/, '').length <= 15 && whole.length <= 15
}

export function columnLetters(index: number): string {
  const last = String.fromCharCode(65 + (index % 26))
  return index < 26 ? last : columnLetters(Math.floor(index / 26) - 1) + last
}

// biome-ignore lint/suspicious/noControlCharactersInRegex: these are the ones that XML 1.0 cannot hold.
const UNSAFE = /[&<>"\x00-\x08\x0B-\x1F\uD800-\uDFFF\uFFFE\uFFFF]|_x[0-9A-Fa-f]{4}_/
// biome-ignore lint/suspicious/noControlCharactersInRegex: as above; a carriage return would come back as a line feed.
const ILLEGAL = /[\x00-\x08\x0B-\x1F\uFFFE\uFFFF]/g
const LOOKS_ESCAPED = /_(?=x[0-9A-Fa-f]{4}_)/g

/**
 * Text for XML of a workbook. Characters that XML 1.0 cannot contain are written `_xHHHH_`, as in Excel, and so is an
 * underscore before such a text. Lone surrogates become U+FFFD.
 */
export function xmlText(text: string): string {
  if (!UNSAFE.test(text)) return text
  return text
    .toWellFormed()
    .replace(LOOKS_ESCAPED, '_x005F_')
    .replace(ILLEGAL, character => `_x${character.charCodeAt(0).toString(16).toUpperCase().padStart(4, '0')}_`)
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;')
    .replaceAll('"', '&quot;')
}

/** The width in characters: the longest line, with East Asian characters counted twice. */
export function displayWidth(text: string): number {
  if (!/[\n\u1100-\uFFFF]/.test(text)) return text.length
  let widest = 0
  let width = 0
  // Longer text fills any column.
  for (const character of text.slice(0, 500)) {
    if (character === '\n') width = 0
    else width += /[\u1100-\u115F\u2E80-\uA4CF\uAC00-\uD7A3\uF900-\uFAFF\uFF00-\uFF60]/.test(character) ? 2 : 1
    if (width > widest) widest = width
  }
  return widest
}
