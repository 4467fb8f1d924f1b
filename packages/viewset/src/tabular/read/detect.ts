import { type Message, message } from '../../core/messages/message.ts'
import { TabularError } from '../errors.ts'
import { markOf, wideEncoding } from './csv-encoding.ts'
import type { ImportFormat } from './file.ts'
import { OleFile } from './xls/ole.ts'
import { readZipDirectory } from './xlsx/zip.ts'

export type Content = ImportFormat | OtherContent

interface OtherContent {
  readonly other: Message | undefined
  /** Whether it is a spreadsheet, which its program can save in a readable format. */
  readonly isSpreadsheet?: boolean
}

const OLE = 'd0cf11e0a1b11ae1'
/** An archive starts with an entry. An empty one starts with its end. */
const ZIP = /^504b(?:0304|0506)/

const SIGNATURES: readonly (readonly [start: string, name: Message])[] = [
  ['25504446', message('content.pdf')],
  ['89504e47', message('content.png')],
  ['ffd8ff', message('content.jpeg')],
  ['47494638', message('content.gif')],
  ['1f8b', message('content.archive', { type: 'gzip' })],
  ['425a68', message('content.archive', { type: 'bzip2' })],
  ['377abcaf271c', message('content.archive', { type: '7-Zip' })],
  ['526172211a07', message('content.archive', { type: 'RAR' })],
  ['7b5c727466', message('content.rtf')],
  ['53514c69746520666f726d6174', message('content.sqlite')],
  ['50415231', message('content.parquet')],
  ['7f454c46', message('content.program')],
  ['4d5a9000', message('content.program')],
]

const TEXTS: readonly (readonly [start: RegExp, name: Message])[] = [
  [/^\s*<\?xml/i, message('content.xml')],
  [/^\s*<(?:!doctype|html|head|body|table|meta|style|!--)/i, message('content.html')],
  [/^\s*(?:\{\s*"|\[\s*[[{])/, message('content.json')],
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
  // Text in UTF-16 and UTF-32 has NUL bytes.
  const { name = wideEncoding(head) } = markOf(head) ?? {}
  if (name !== undefined && name !== 'utf-8') return 'csv'
  if (head.includes(0)) return { other: undefined }
  const text = head.toString('latin1').replace(/^\xEF\xBB\xBF/, '')
  const found = TEXTS.find(([pattern]) => pattern.test(text))
  if (!found) return 'csv'
  // Programs export tables as web pages under the name of a workbook.
  const [, other] = found
  return { other, isSpreadsheet: other.name === 'content.html' }
}

/** The streams of the root by which an OLE file is known. */
const OLE_STREAMS: readonly (readonly [stream: string, content: Content | 'encrypted'])[] = [
  ['encryptedpackage', 'encrypted'],
  ['workbook', 'xls'],
  ['book', 'xls'],
  ['worddocument', { other: message('content.word') }],
  ['powerpoint document', { other: message('content.presentation') }],
]

async function oleContent(path: string): Promise<Content> {
  const names = await oleStreams(path)
  // The reader of workbooks has a message for a damaged file.
  if (!names) return 'xls'
  const [, content] = OLE_STREAMS.find(([stream]) => names.has(stream)) ?? []
  if (content === 'encrypted') throw new TabularError('encrypted', message('encrypted'))
  return content ?? { other: undefined }
}

async function oleStreams(path: string): Promise<ReadonlySet<string> | undefined> {
  try {
    return await OleFile.use(path, async ({ names }) => new Set(names.map(name => name.toLowerCase())))
  } catch (error) {
    if (error instanceof RangeError) return undefined
    throw error
  }
}

function zipContent(names: readonly string[]): Content {
  const has = (start: string) => names.some(name => name.startsWith(start))
  if (has('xl/workbook.bin')) return { other: message('content.xlsb'), isSpreadsheet: true }
  if (has('[content_types].xml') && names.some(name => /(?:^|\/)workbook\d*\.xml$/.test(name))) return 'xlsx'
  if (has('word/')) return { other: message('content.word') }
  if (has('ppt/')) return { other: message('content.presentation') }
  // OpenDocument files contain these two entries.
  if (has('mimetype') && has('content.xml')) return { other: message('content.ods'), isSpreadsheet: true }
  return { other: message('content.archive', { type: 'ZIP' }) }
}

const NAMES: Readonly<Record<ImportFormat, string>> = { csv: 'CSV', xls: 'XLS', xlsx: 'XLSX' }

/** @throws TabularError `wrong_format` unless `content` is one of `formats` */
export function expectFormat(content: Content, formats: readonly ImportFormat[]): asserts content is ImportFormat {
  if (typeof content === 'string' && formats.includes(content)) return
  const { other: found, isSpreadsheet = false } =
    typeof content === 'string' ? { other: message(`content.${content}`), isSpreadsheet: true } : content
  throw new TabularError('wrong_format', wrongFormat(found, isSpreadsheet, formats))
}

function wrongFormat(found: Message | undefined, isSpreadsheet: boolean, formats: readonly ImportFormat[]): Message {
  const names = formats.map(format => NAMES[format])
  if (found === undefined) return message('wrong_format.unknown', { formats: names })
  if (!isSpreadsheet) return message('wrong_format', { found, formats: names })
  const format = (['xlsx', 'csv', 'xls'] as const).find(each => formats.includes(each)) ?? 'xlsx'
  return message('wrong_format.spreadsheet', { found, format: NAMES[format] })
}
