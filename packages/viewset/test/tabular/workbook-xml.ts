import { crc32 } from 'node:zlib'
import { ZipWriter } from '../../src/tabular/xlsx/zip.ts'

const MAIN = 'http://schemas.openxmlformats.org/spreadsheetml/2006/main'
const PACKAGE = 'http://schemas.openxmlformats.org/package/2006'
const OFFICE = 'http://schemas.openxmlformats.org/officeDocument/2006/relationships'

/** The parts of a workbook with one sheet, whose `sheetData` is given; `parts` replaces or adds some, by their path. */
export function workbookParts(sheetData: string, parts: Record<string, string> = {}): Record<string, string> {
  return {
    '[Content_Types].xml': `<Types xmlns="${PACKAGE}/content-types"/>`,
    '_rels/.rels': relationships({ type: 'officeDocument', target: 'xl/workbook.xml' }),
    'xl/workbook.xml': `<workbook xmlns="${MAIN}" xmlns:r="${OFFICE}"><sheets><sheet name="A" sheetId="1" r:id="rId1"/></sheets></workbook>`,
    'xl/_rels/workbook.xml.rels': relationships(
      { type: 'worksheet', target: 'worksheets/sheet1.xml' },
      { type: 'sharedStrings', target: '/xl/sharedStrings.xml' },
      { type: 'styles', target: 'styles.xml' },
    ),
    'xl/sharedStrings.xml': '<sst/>',
    'xl/styles.xml': '<styleSheet/>',
    'xl/worksheets/sheet1.xml': `<worksheet xmlns="${MAIN}"><sheetData>${sheetData}</sheetData></worksheet>`,
    ...parts,
  }
}

/** A ZIP archive with these entries. */
export function zipped(entries: Record<string, string>): Buffer {
  const zip = new ZipWriter(6)
  const data = Object.entries(entries).flatMap(([name, content]) => [...zip.text(name, content)])
  return Buffer.concat([...data, zip.end()])
}

/** A ZIP archive with these entries, which are not compressed. */
export function stored(entries: Readonly<Record<string, Buffer>>): Buffer {
  const parts: Buffer[] = []
  const directory: Buffer[] = []
  let offset = 0
  for (const [name, data] of Object.entries(entries)) {
    const fields = Buffer.alloc(26)
    fields.writeUInt16LE(20, 0)
    fields.writeUInt32LE(crc32(data), 10)
    fields.writeUInt32LE(data.length, 14)
    fields.writeUInt32LE(data.length, 18)
    fields.writeUInt16LE(name.length, 22)
    const entry = Buffer.concat([Buffer.from('504b0304', 'hex'), fields, Buffer.from(name), data])
    const place = Buffer.alloc(14)
    place.writeUInt32LE(offset, 10)
    directory.push(Buffer.concat([Buffer.from('504b01021400', 'hex'), fields, place, Buffer.from(name)]))
    parts.push(entry)
    offset += entry.length
  }
  const end = Buffer.alloc(18)
  end.writeUInt16LE(directory.length, 4)
  end.writeUInt16LE(directory.length, 6)
  end.writeUInt32LE(Buffer.concat(directory).length, 8)
  end.writeUInt32LE(offset, 12)
  return Buffer.concat([...parts, ...directory, Buffer.from('504b0506', 'hex'), end])
}

/** A workbook with one sheet. */
export function workbook(sheetData: string, parts?: Record<string, string>): Buffer {
  return zipped(workbookParts(sheetData, parts))
}

/** A styles part whose styles 0, 1, ... have these number formats: the id of a built-in one, or a format code. */
export function styles(...formats: (number | string)[]): string {
  const codes = formats.map((format, i) =>
    typeof format === 'string' ? `<numFmt numFmtId="${200 + i}" formatCode="${format}"/>` : '',
  )
  const ids = formats.map((format, i) => `<xf numFmtId="${typeof format === 'string' ? 200 + i : format}"/>`)
  return `<styleSheet><numFmts>${codes.join('')}</numFmts><cellStyleXfs><xf numFmtId="14"/></cellStyleXfs><cellXfs>${ids.join('')}</cellXfs></styleSheet>`
}

function relationships(...relations: { type: string; target: string }[]): string {
  const elements = relations.map(
    ({ type, target }, i) => `<Relationship Id="rId${i + 1}" Type="${OFFICE}/${type}" Target="${target}"/>`,
  )
  return `<Relationships xmlns="${PACKAGE}/relationships">${elements.join('')}</Relationships>`
}
