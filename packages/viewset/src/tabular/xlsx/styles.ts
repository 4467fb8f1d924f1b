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
} as const

const FIRST_SCALE = 11
const LARGEST_SCALE = 15

export function headerStyle(column: TabularColumn): number {
  const { kind, required } = column
  const isLeft = kind === 'text' || kind === 'boolean' || kind === 'mixed'
  const [left, right] = required ? [STYLE.requiredHeader, STYLE.rightRequiredHeader] : [STYLE.header, STYLE.rightHeader]
  return aligned(isLeft ? left : right, column)
}

export function aligned(style: number, { align }: Pick<TabularColumn, 'align'>): number {
  return align === undefined ? style : style + cellFormats.length * (1 + ALIGNMENTS.indexOf(align))
}

/** The style of a column's cells, also of empty ones, for values typed later. */
export function columnStyle(column: TabularColumn): number {
  const style = kindStyle(column)
  return column.isLocked ? style + GREY : aligned(style, column)
}

function kindStyle({ kind, scale }: TabularColumn): number {
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

// In the order of STYLE. Without wrapping, a text of several lines appears as one or covers the rows below.
const cellFormats: readonly CellFormat[] = [
  cellFormat(0),
  cellFormat(TEXT_FORMAT, header(2)),
  cellFormat(TEXT_FORMAT, header(2), { horizontal: RIGHT }),
  cellFormat(TEXT_FORMAT),
  cellFormat(TEXT_FORMAT, undefined, { others: 'vertical="top" wrapText="1"' }),
  cellFormat(INTEGER_FORMAT),
  ...kindFormats.map((_, index) => cellFormat(OWN_FORMATS + index)),
  cellFormat(TEXT_FORMAT, header(3)),
  cellFormat(TEXT_FORMAT, header(3), { horizontal: RIGHT }),
  ...decimalFormats.map((_, index) => cellFormat(OWN_FORMATS + kindFormats.length + index)),
]

/** A style plus this is the same style in red. Red and grey cells have no alignment of their own. */
export const RED = cellFormats.length * (1 + ALIGNMENTS.length)
export const GREY = RED + cellFormats.length

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
    ...[undefined, ...ALIGNMENTS].flatMap(align => cellFormats.map(format => format(align && `horizontal="${align}"`))),
    ...[4, 5].flatMap(fill =>
      cellFormats.map(format => format().replace('fillId="0"', `fillId="${fill}" applyFill="1"`)),
    ),
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

function list(name: string, elements: readonly string[]): string {
  return `<${name} count="${elements.length}">${elements.join('')}</${name}>`
}
