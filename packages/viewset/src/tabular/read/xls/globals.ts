import { message } from '../../../core/messages/message.ts'
import { TabularError } from '../../errors.ts'
import { decodeWindows1252 } from '../csv-encoding.ts'
import { type NumberFormat, numberFormats } from '../number-format.ts'
import { type Content, RECORD, Records, VERSION_5, VERSION_8 } from './records.ts'

export interface XlsGlobals {
  readonly sheets: readonly { readonly name: string; readonly isHidden: boolean; readonly start: number }[]
  readonly texts: readonly string[]
  /** The format of each style. */
  readonly formats: readonly NumberFormat[]
  readonly countsFrom1904: boolean
  readonly readText: ReadText
}

/** Reads the text of a record: its length in two bytes, or in one, and its characters. */
export type ReadText = (content: Content, lengthBytes?: 1 | 2, mayEnd?: boolean) => string

/** The records before the sheets. @throws TabularError `encrypted`; RangeError for a damaged workbook */
export function xlsGlobals(stream: Buffer): XlsGlobals {
  const records = new Records(stream, 0)
  const hasBegin = records.next() && records.id === RECORD.begin
  if (!hasBegin) throw new RangeError('The workbook has no beginning.')
  const version = stream.readUInt16LE(records.at)
  if (version !== VERSION_8 && version !== VERSION_5) throw new RangeError('The workbook is of another version.')
  const sheets: XlsGlobals['sheets'][number][] = []
  const texts: string[] = []
  const codes = new Map<number, string>()
  const ids: number[] = []
  let countsFrom1904 = false
  let decode = decoderOf(1252)
  const is8 = version === VERSION_8
  const readText: ReadText = (content, lengthBytes = 2, mayEnd = false) => {
    const length = lengthBytes === 1 ? content.byte() : content.short()
    return is8 ? content.text(length, mayEnd) : decode(content.bytes(length))
  }
  while (records.next() && records.id !== RECORD.end) {
    const { id, at } = records
    if (id === RECORD.password) throw new TabularError('encrypted', message('encrypted'))
    if (id === RECORD.dateSystem) countsFrom1904 = stream.readUInt16LE(at) === 1
    else if (id === RECORD.codePage) decode = decoderOf(stream.readUInt16LE(at))
    else if (id === RECORD.numberFormat) {
      codes.set(stream.readUInt16LE(at), readText(skipping(records, 2), is8 ? 2 : 1, true))
    } else if (id === RECORD.cellFormat) ids.push(stream.readUInt16LE(at + 2))
    else if (id === RECORD.sheet) {
      // The lowest two bits: visible, hidden, very hidden. Other kinds of sheets are charts and macros.
      const isHidden = (stream.readUInt8(at + 4) & 3) !== 0
      const name = readText(skipping(records, 6), 1)
      if (stream.readUInt8(at + 5) === 0) sheets.push({ name, isHidden, start: stream.readUInt32LE(at) })
    } else if (id === RECORD.sharedTexts) {
      const content = skipping(records, 8)
      const count = stream.readUInt32LE(at + 4)
      while (texts.length < count && !content.isAtEnd) texts.push(readText(content))
    }
  }
  return { sheets, texts, formats: numberFormats(ids, codes), countsFrom1904, readText }
}

function skipping(records: Records, bytes: number): Content {
  const content = records.whole()
  content.skip(bytes)
  return content
}

/** The names of Windows code pages whose number is not part of the name. */
const CODE_PAGES: ReadonlyMap<number, string> = new Map([
  [866, 'ibm866'],
  [874, 'windows-874'],
  [932, 'shift_jis'],
  [936, 'gbk'],
  [949, 'euc-kr'],
  [950, 'big5'],
  [10_000, 'macintosh'],
  [0x8000, 'macintosh'],
])

function decoderOf(codePage: number): (bytes: Buffer) => string {
  const isWindows = codePage >= 1250 && codePage <= 1258
  const name = isWindows ? `windows-${codePage}` : (CODE_PAGES.get(codePage) ?? 'windows-1252')
  if (name === 'windows-1252') return decodeWindows1252
  const decoder = new TextDecoder(name)
  return bytes => decoder.decode(bytes)
}
