import { ALIGNMENTS, type TabularColumn } from '../table.ts'

export const STYLE = {
  general: 0,
  header: 1,
  rightHeader: 2,
  text: 3,
  lines: 4,
  integer: 5,
  date: 6,
  timestamp: 7,
  boolean: 8,
  requiredHeader: 9,
  rightRequiredHeader: 10,
  shrunk: 11,
} as const

const FIRST_SCALE = 12
const LARGEST_SCALE = 15

/** A column of a sheet. */
export interface SheetColumn extends TabularColumn {
  /** Whether it is left-aligned and follows a right-aligned column, so that a gap separates their values. */
  readonly isIndented?: boolean
}

export function withIndents(columns: readonly TabularColumn[]): readonly SheetColumn[] {
  return columns.map((column, index) => {
    const before = columns[index - 1]
    return before && isRight(before) && isLeft(column) ? { ...column, isIndented: true } : column
  })
}

function isRight({ kind, align }: TabularColumn): boolean {
  const isText = kind === 'text' || kind === 'boolean' || kind === 'mixed'
  return align === undefined ? !isText : align === 'right'
}

/** Spreadsheet programs center booleans, and align mixed cells by their values. */
function isLeft({ kind, align }: TabularColumn): boolean {
  return align === undefined ? kind === 'text' : align === 'left'
}

export function headerStyle(column: SheetColumn): number {
  const { kind, required } = column
  const isLeft = kind === 'text' || kind === 'boolean' || kind === 'mixed'
  const [left, right] = required ? [STYLE.requiredHeader, STYLE.rightRequiredHeader] : [STYLE.header, STYLE.rightHeader]
  return aligned(isLeft ? left : right, column)
}

function aligned(style: number, { align, isIndented }: Pick<SheetColumn, 'align' | 'isIndented'>): number {
  if (isIndented) return style + INDENTED
  return align === undefined ? style : style + cellFormats.length * (1 + ALIGNMENTS.indexOf(align))
}

/** A style as the cells of a column have it. */
export function styleIn(column: SheetColumn, style: number): number {
  if (column.isLocked) return style + (column.isIndented ? GREY_INDENTED : GREY)
  return aligned(style, column)
}

/** The style of a column's cells, also of empty ones, for values typed later. */
export function columnStyle(column: SheetColumn): number {
  return styleIn(column, kindStyle(column))
}

function kindStyle({ kind, scale, isShrunk }: TabularColumn): number {
  if (isShrunk) return STYLE.shrunk
  if (kind === 'decimal') return scale && scale <= LARGEST_SCALE ? FIRST_SCALE + scale - 1 : STYLE.general
  return kind === 'float' || kind === 'mixed' ? STYLE.general : STYLE[kind]
}

// 49 is the built-in format `@`: typed values stay text, so 00123 keeps its zeros. 1 is `0`.
const TEXT_FORMAT = 49
const INTEGER_FORMAT = 1
const OWN_FORMATS = 164
const decimalFormats = Array.from({ length: LARGEST_SCALE }, (_, index) => `0.${'0'.repeat(index + 1)}`)
const kindFormats = [
  'yyyy\\-mm\\-dd',
  'yyyy\\-mm\\-dd\\ hh:mm:ss',
  // LibreOffice shows 1 and 0 without it. Excel ignores it.
  '&quot;TRUE&quot;;&quot;TRUE&quot;;&quot;FALSE&quot;',
]
const ownFormats = [...kindFormats, ...decimalFormats]
const header = (fill: number) => `fontId="1" fillId="${fill}" borderId="1" applyFont="1" applyFill="1" applyBorder="1"`
const RIGHT = 'horizontal="right"'

type CellFormat = (horizontal?: string) => string

const WRAPPED = 'vertical="top" wrapText="1"'

// In the order of STYLE. Without wrapping, a text of several lines appears as one or covers the rows below.
const cellFormats: readonly CellFormat[] = [
  cellFormat(0),
  cellFormat(TEXT_FORMAT, header(2), { others: WRAPPED }),
  cellFormat(TEXT_FORMAT, header(2), { horizontal: RIGHT, others: WRAPPED }),
  cellFormat(TEXT_FORMAT),
  cellFormat(TEXT_FORMAT, undefined, { others: WRAPPED }),
  cellFormat(INTEGER_FORMAT),
  ...kindFormats.map((_, index) => cellFormat(OWN_FORMATS + index)),
  cellFormat(TEXT_FORMAT, header(3), { others: WRAPPED }),
  cellFormat(TEXT_FORMAT, header(3), { horizontal: RIGHT, others: WRAPPED }),
  cellFormat(TEXT_FORMAT, undefined, { others: 'vertical="top" shrinkToFit="1"' }),
  ...decimalFormats.map((_, index) => cellFormat(OWN_FORMATS + kindFormats.length + index)),
]

const INDENT = 'horizontal="left" indent="1"'
const HORIZONTALS = [undefined, ...ALIGNMENTS.map(align => `horizontal="${align}"`), INDENT]
const INDENTED = cellFormats.length * (HORIZONTALS.length - 1)
/** A style plus this is the same style in red. Red and grey cells have no alignment of their own. */
export const RED = cellFormats.length * HORIZONTALS.length
export const GREY = RED + cellFormats.length
const GREY_INDENTED = GREY + cellFormats.length

const font = (bold: string) => `<font>${bold}<sz val="11"/><name val="Calibri"/><family val="2"/></font>`
const solid = (rgb: string) =>
  `<fill><patternFill patternType="solid"><fgColor rgb="${rgb}"/><bgColor indexed="64"/></patternFill></fill>`
const border = (bottom: string) => `<border><left/><right/><top/>${bottom}<diagonal/></border>`

export const stylesXml =
  '<?xml version="1.0" encoding="UTF-8" standalone="yes"?>\n' +
  '<styleSheet xmlns="http://schemas.openxmlformats.org/spreadsheetml/2006/main">' +
  list(
    'numFmts',
    ownFormats.map((code, index) => `<numFmt numFmtId="${OWN_FORMATS + index}" formatCode="${code}"/>`),
  ) +
  list('fonts', [font(''), font('<b/>')]) +
  // The first two fills are reserved.
  list('fills', [
    '<fill><patternFill patternType="none"/></fill>',
    '<fill><patternFill patternType="gray125"/></fill>',
    solid('FFE7ECF2'),
    solid('FFFFE8B3'),
    solid('FFFFC7CE'),
    solid('FFEDEDED'),
  ]) +
  list('borders', [border('<bottom/>'), border('<bottom style="thin"><color rgb="FF8A97A8"/></bottom>')]) +
  list('cellStyleXfs', ['<xf numFmtId="0" fontId="0" fillId="0" borderId="0"/>']) +
  list('cellXfs', [
    ...HORIZONTALS.flatMap(horizontal => cellFormats.map(format => format(horizontal))),
    ...filled(4),
    ...filled(5),
    ...filled(5, INDENT),
  ]) +
  list('cellStyles', ['<cellStyle name="Normal" xfId="0" builtinId="0"/>']) +
  '</styleSheet>'

function cellFormat(
  id: number,
  looks = 'fontId="0" fillId="0" borderId="0"',
  alignments: { readonly horizontal?: string; readonly others?: string } = {},
): CellFormat {
  const attributes = `numFmtId="${id}" ${looks} xfId="0" applyNumberFormat="1"`
  return (horizontal = alignments.horizontal) => {
    const { others = 'vertical="top"' } = alignments
    const alignment = horizontal === undefined ? others : `${horizontal} ${others}`
    return `<xf ${attributes} applyAlignment="1"><alignment ${alignment}/></xf>`
  }
}

/** All formats with a background. */
function filled(fill: number, horizontal?: string): readonly string[] {
  return cellFormats.map(format => format(horizontal).replace('fillId="0"', `fillId="${fill}" applyFill="1"`))
}

function list(name: string, elements: readonly string[]): string {
  return `<${name} count="${elements.length}">${elements.join('')}</${name}>`
}
