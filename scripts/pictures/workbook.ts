import { readFileSync, writeFileSync } from 'node:fs'
import { convert, firstPage } from './tools.ts'

const GRID = '#d0d7de'
/** Inches of the column with the numbers of rows. */
const ROW_NUMBERS = 0.5

/** What LibreOffice shows of a workbook: its first rows, with the names of columns and the numbers of rows, as SVG. */
export function workbookPicture(file: string, height: number): string {
  const sheet = convert(file, 'fods')
  const text = readFileSync(sheet, 'utf8')
  const page = [
    `fo:page-width="${widthOf(text) + ROW_NUMBERS}in" fo:page-height="${height}in"`,
    ...['top', 'bottom', 'left', 'right'].map(side => `fo:margin-${side}="0.02in"`),
    'style:scale-to="100%" style:print="objects grid headers zero-values"',
  ]
  const layout = `<style:page-layout-properties ${page.join(' ')}/>`
  // The picture is cut below the last row, so the footer must not be printed.
  const shown = text.replace(/<style:footer(?=[ >])/g, '<style:footer style:display="false"')
  writeFileSync(sheet, shown.replace(/<style:page-layout-properties [^>]*\/>/g, layout))
  // LibreOffice prints the grid in black; on the screen it is grey.
  return firstPage(convert(sheet, 'pdf')).replace(/stroke="rgb\(0%, 0%, 0%\)"/g, `stroke="${GRID}"`)
}

/** Inches of all columns that have cells. */
function widthOf(sheet: string): number {
  const widths = new Map(
    Array.from(
      sheet.matchAll(/<style:style style:name="(co\d+)".*?style:column-width="([\d.]+)in"/gs),
      ([, name = '', width]) => [name, Number(width)] as const,
    ),
  )
  const [first = ''] = sheet.split('<table:table-row')
  const columns = Array.from(first.matchAll(/<table:table-column table:style-name="(co\d+)"([^>]*)>/g))
  return columns
    .map(([, name = '', rest = '']) => ({ width: widths.get(name) ?? 0, repeated: timesOf(rest) }))
    .filter(({ repeated }) => repeated < 100)
    .reduce((sum, { width, repeated }) => sum + width * repeated, 0)
}

function timesOf(attributes: string): number {
  return Number(/number-columns-repeated="(\d+)"/.exec(attributes)?.[1] ?? 1)
}
