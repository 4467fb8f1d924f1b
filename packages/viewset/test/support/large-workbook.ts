import { createHash } from 'node:crypto'
import { createWriteStream } from 'node:fs'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { ZipWriter } from '../../src/tabular/xlsx/zip.ts'
import { workbookParts } from '../tabular/workbook-xml.ts'

const HEADER = ['name', 'district', 'plate', 'population', 'area', 'kind', 'iso2', 'mayor']
/** Those of its columns that have a text of their own in each row. */
const TEXTS = ['name', 'district', 'plate', 'mayor']
/** Rows that are made at once. */
const STEP = 5_000

/**
 * Writes a workbook of cities, each with four texts that stand in the table of shared texts: in the order in which they
 * are needed, as programs write them, or with the header's at the end, as where somebody has changed it.
 */
export async function writeLargeWorkbook(path: string, rows: number, headerTexts: 'first' | 'last'): Promise<void> {
  const firstHeader = headerTexts === 'first' ? 0 : rows * TEXTS.length
  const firstOther = headerTexts === 'first' ? HEADER.length : 0
  const rowXml = (row: number) => {
    const cells = HEADER.map((header, column) => {
      const at = `${String.fromCharCode(65 + column)}${row + 2}`
      const text = TEXTS.indexOf(header)
      if (text === -1) return `<c r="${at}"><v>${(row * 7919) % 1_000_003}</v></c>`
      return `<c r="${at}" t="s"><v>${firstOther + row * TEXTS.length + text}</v></c>`
    })
    return `<row r="${row + 2}">${cells.join('')}</row>`
  }
  const textXml = (row: number) => {
    // What cannot be packed well, as the texts of people.
    const noise = createHash('sha1').update(String(row)).digest('base64')
    return TEXTS.map((header, at) => `<si><t>${header} ${noise.slice(at * 7, at * 7 + 7)}</t></si>`).join('')
  }
  async function* many(before: string, xml: (row: number) => string, after: string) {
    yield before
    for (let row = 0; row < rows; row += STEP) {
      yield Array.from({ length: Math.min(STEP, rows - row) }, (_, at) => xml(row + at)).join('')
    }
    yield after
  }
  const headerCells = HEADER.map(
    (_, at) => `<c r="${String.fromCharCode(65 + at)}1" t="s"><v>${firstHeader + at}</v></c>`,
  )
  const headerXml = HEADER.map(header => `<si><t>${header}</t></si>`).join('')
  const [before, after] = headerTexts === 'first' ? [headerXml, ''] : ['', headerXml]
  const zip = new ZipWriter(6)
  async function* parts() {
    for (const [name, content] of Object.entries(workbookParts(''))) {
      if (name === 'xl/worksheets/sheet1.xml') {
        const start = `<worksheet><sheetData><row r="1">${headerCells.join('')}</row>`
        yield* zip.stream(name, many(start, rowXml, '</sheetData></worksheet>'))
      } else if (name === 'xl/sharedStrings.xml') {
        yield* zip.stream(name, many(`<sst>${before}`, textXml, `${after}</sst>`))
      } else yield* zip.text(name, content)
    }
    yield zip.end()
  }
  await pipeline(Readable.from(parts()), createWriteStream(path))
}
