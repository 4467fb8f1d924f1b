import { createReadStream } from 'node:fs'
import { TabularError } from '../errors.ts'
import type { ImportFormat } from './file.ts'
import { readZipDirectory } from './xlsx/zip.ts'

export type Content = ImportFormat | OtherContent

interface OtherContent {
  readonly other: string | undefined
  /** Whether it is a spreadsheet, which its program can save in a readable format. */
  readonly isSpreadsheet?: boolean
}

const OLE = 'd0cf11e0a1b11ae1'
/** An archive starts with an entry. An empty one starts with its end. */
const ZIP = /^504b(?:0304|0506)/

const SIGNATURES: readonly (readonly [start: string, name: string])[] = [
  ['25504446', 'a PDF document'],
  ['89504e47', 'a PNG picture'],
  ['ffd8ff', 'a JPEG picture'],
  ['47494638', 'a GIF picture'],
  ['1f8b', 'a gzip archive'],
  ['425a68', 'a bzip2 archive'],
  ['377abcaf271c', 'a 7-Zip archive'],
  ['526172211a07', 'a RAR archive'],
  ['7b5c727466', 'an RTF document'],
  ['53514c69746520666f726d6174', 'a SQLite database'],
  ['50415231', 'a Parquet file'],
  ['7f454c46', 'a program'],
  ['4d5a9000', 'a program'],
]

const TEXTS: readonly (readonly [start: RegExp, name: string])[] = [
  [/^\s*<\?xml/i, 'an XML document'],
  [/^\s*<(?:!doctype|html|head|body|table|meta|style|!--)/i, 'a web page (HTML)'],
  [/^\s*(?:\{\s*"|\[\s*[[{])/, 'JSON'],
]

/**
 * Detects the format from the content.
 *
 * @param head its first bytes
 * @throws TabularError `unreadable`, `encrypted` or `too_large` for a workbook that is certainly not readable
 */
export async function detectContent(path: string, head: Buffer, maxInflatedBytes: number): Promise<Content> {
  const start = head.toString('hex', 0, 16)
  if (ZIP.test(start)) return zipContent([...(await readZipDirectory(path, maxInflatedBytes)).keys()])
  if (start.startsWith(OLE)) return await oleContent(path)
  const signature = SIGNATURES.find(([bytes]) => start.startsWith(bytes))
  if (signature) return { other: signature[1] }
  // UTF-16 text has NUL bytes and begins with a byte order mark.
  if (/^(?:fffe|feff)/.test(start)) return 'csv'
  if (head.includes(0)) return { other: undefined }
  const text = head.toString('latin1').replace(/^\xEF\xBB\xBF/, '')
  const other = TEXTS.find(([pattern]) => pattern.test(text))
  return other ? { other: other[1] } : 'csv'
}

/** Names of streams identify an OLE file. Their directory may be anywhere in the file. */
const OLE_STREAMS = [
  ['EncryptedPackage', undefined],
  ['WordDocument', 'a Word document'],
  ['PowerPoint Document', 'a presentation'],
] as const
const LONGEST_STREAM_NAME = 64

async function oleContent(path: string): Promise<Content> {
  let end: Buffer = Buffer.alloc(0)
  for await (const chunk of createReadStream(path) as AsyncIterable<Buffer>) {
    const bytes = Buffer.concat([end, chunk])
    const found = OLE_STREAMS.find(([name]) => bytes.includes(name, 0, 'utf16le'))
    if (found) {
      const [, other] = found
      if (other) return { other }
      throw new TabularError('encrypted', 'The workbook is protected by a password: save it without one.')
    }
    end = bytes.subarray(-LONGEST_STREAM_NAME)
  }
  return 'xls'
}

function zipContent(names: readonly string[]): Content {
  const has = (start: string) => names.some(name => name.startsWith(start))
  if (has('xl/workbook.bin')) return { other: 'a binary workbook (XLSB)', isSpreadsheet: true }
  if (has('[content_types].xml') && names.some(name => /(?:^|\/)workbook\d*\.xml$/.test(name))) return 'xlsx'
  if (has('word/')) return { other: 'a Word document' }
  if (has('ppt/')) return { other: 'a presentation' }
  // OpenDocument files contain these two entries.
  if (has('mimetype') && has('content.xml')) return { other: 'an OpenDocument spreadsheet (ODS)', isSpreadsheet: true }
  return { other: 'a ZIP archive' }
}

const NAMES: Readonly<Record<ImportFormat, string>> = { csv: 'CSV', xls: 'XLS', xlsx: 'XLSX' }

/** @throws TabularError `wrong_format` unless `content` is one of `formats` */
export function expectFormat(content: Content, formats: readonly ImportFormat[]): asserts content is ImportFormat {
  if (typeof content === 'string' && formats.includes(content)) return
  const { other: found, isSpreadsheet = false } =
    typeof content === 'string' ? { other: `${content === 'csv' ? 'a' : 'an'} ${NAMES[content]} file` } : content
  const is = found === undefined ? 'is neither text nor a workbook' : `seems to be ${found}`
  throw new TabularError(
    'wrong_format',
    `The file ${is}. ${isSpreadsheet ? saveAs(formats) : `Send ${oneOf(formats)}.`}`,
  )
}

function saveAs(formats: readonly ImportFormat[]): string {
  const format = (['xlsx', 'csv', 'xls'] as const).find(each => formats.includes(each)) ?? 'xlsx'
  return `Open it in a spreadsheet program, save it as ${NAMES[format]} (Save As, .${format}) and send the new file.`
}

function oneOf(formats: readonly ImportFormat[]): string {
  const names = formats.map(format => NAMES[format])
  const last = names.pop() ?? ''
  return names.length === 0 ? last : `${names.join(', ')} or ${last}`
}
