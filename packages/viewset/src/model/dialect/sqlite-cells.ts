import { getTableName } from 'drizzle-orm'
import { bigintJson, jsonOf } from '../../core/json/json-of.ts'
import { parseJson } from '../../core/json/parse-json.ts'
import { isPlainDecimal } from '../../core/json/scan.ts'
import { shortenJson } from '../../core/json/shorten.ts'
import { readTimestamp } from '../../kinds/timestamp.ts'
import { decimalFromNumber, numberIfSafe } from '../values.ts'
import type { Decoder, ExpressionValue, JsonWriter, StoredValue } from './dialect.ts'
import { jsonString, quoted } from './json-text.ts'

// SQLite does not enforce column types: any cell can be a text, a number or bytes. A value that is not of its column's
// kind is read as text, and JSON shows it as text.

type Reader<T> = { read(raw: unknown): T | undefined }['read']

export function sqliteKindDecoder(info: StoredValue): Decoder {
  return orText(info, readerOf(info))
}

export function sqliteDecoder(info: StoredValue): Decoder {
  const { ownType } = info
  const read = readerOf(info)
  if (!ownType) return orText(info, read)
  return orText(info, raw => {
    const value = read(raw)
    return value === undefined ? undefined : attempt(() => ownType.toRecord(value))
  })
}

function orText(info: StoredValue, read: Reader<unknown>): Decoder {
  return raw => {
    const value = read(raw)
    return value === undefined ? textOfOtherType(info, raw) : value
  }
}

export function sqliteJsonWriter(info: StoredValue): JsonWriter {
  const write = writerOf(info)
  return raw => write(raw) ?? jsonString(textOfOtherType(info, raw))
}

function readerOf(info: StoredValue): Reader<unknown> {
  switch (info.kind) {
    case 'integer':
      return raw => (isInteger(raw) ? Number(raw) : undefined)
    case 'bigint':
      return raw => (isInteger(raw) ? BigInt(raw) : undefined)
    case 'float':
      return raw => (isNumber(raw) ? Number(raw) : undefined)
    case 'boolean':
      return raw => (isNumber(raw) ? Number(raw) !== 0 : undefined)
    case 'decimal':
      return decimalReader(info)
    case 'date':
      return dateText
    case 'timestamp':
      return isNumberTimestamp(info) ? numberTimestampReader(info) : timestampText
    case 'time':
      return timeText
    case 'json':
      return raw => attempt(() => parseJson(jsonSource(raw)))
    case 'array':
      return arrayReader(info)
    case 'binary':
      return raw => (raw instanceof Uint8Array ? Buffer.from(raw).toString('base64') : undefined)
    case 'other':
      return raw => attempt(() => info.column.mapFromDriverValue(numberIfSafe(raw)) ?? null)
    default:
      return raw => (typeof raw === 'string' ? raw : undefined)
  }
}

function writerOf(info: StoredValue): Reader<string> {
  switch (info.kind) {
    case 'integer':
    case 'bigint':
      return raw => {
        if (typeof raw !== 'bigint') return Number.isInteger(raw) ? String(raw) : undefined
        const text = String(raw)
        return text.length < SAFE_LENGTH ? text : bigintJson(raw)
      }
    case 'float':
      return raw => (isNumber(raw) ? (Number.isFinite(Number(raw)) ? String(raw) : quoted(String(raw))) : undefined)
    case 'boolean':
      return raw => (isNumber(raw) ? String(Number(raw) !== 0) : undefined)
    case 'json':
      return raw => attempt(() => validJson(jsonSource(raw)))
    case 'array': {
      const read = readerOf(info)
      return raw => {
        const items = read(raw)
        return items === undefined ? undefined : JSON.stringify(items)
      }
    }
    case 'decimal':
    case 'date':
    case 'time':
    case 'binary':
    case 'timestamp': {
      const read = readerOf(info)
      return raw => {
        const text = read(raw)
        return text === undefined ? undefined : quoted(text as string)
      }
    }
    case 'other': {
      const read = readerOf(info)
      return raw =>
        attempt(() => {
          const value = read(raw)
          return value === undefined ? undefined : jsonOf(value)
        })
    }
    default:
      return raw => (typeof raw === 'string' ? jsonString(raw) : undefined)
  }
}

const SAFE_LENGTH = 16

function isNumber(raw: unknown): raw is number | bigint {
  return typeof raw === 'bigint' || typeof raw === 'number'
}

/** Includes whole floats, which expressions can return. */
function isInteger(raw: unknown): raw is number | bigint {
  return typeof raw === 'bigint' || Number.isInteger(raw)
}

function decimalReader({ scale }: StoredValue): Reader<string> {
  return raw => {
    if (typeof raw === 'string') return isPlainDecimal(raw) ? raw : undefined
    return isNumber(raw) && (typeof raw === 'bigint' || Number.isFinite(raw))
      ? decimalFromNumber(raw, scale)
      : undefined
  }
}

function dateText(raw: unknown): string | undefined {
  return typeof raw === 'string' && /^\d{4}-\d\d-\d\d$/.test(raw) ? raw : undefined
}

function timeText(raw: unknown): string | undefined {
  return typeof raw === 'string' && /^\d\d:\d\d:\d\d(\.\d{1,6})?$/.test(raw) ? raw : undefined
}

function arrayReader({ item }: StoredValue): Reader<readonly unknown[]> {
  const info = (item ?? { kind: 'text' }) as ExpressionValue
  const read = readerOf(info)
  return raw => {
    const items = attempt<unknown>(() => JSON.parse(jsonSource(raw)))
    if (!Array.isArray(items)) return undefined
    const values = items.map(held => (held === null ? null : read(asCell(info, held))))
    return values.includes(undefined) ? undefined : values
  }
}

/** SQLite holds some values as numbers that are texts or booleans in JSON. */
function asCell({ kind }: ExpressionValue, held: unknown): unknown {
  if (typeof held === 'boolean') return Number(held)
  return kind === 'decimal' && typeof held === 'string' && isPlainDecimal(held) ? Number(held) : held
}

const STORED_TIMESTAMP = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{6}Z$/

/** Stored timestamps are in UTC, including those of SQLite's CURRENT_TIMESTAMP. */
function timestampText(raw: unknown): string | undefined {
  if (typeof raw !== 'string') return undefined
  return STORED_TIMESTAMP.test(raw) ? raw : readTimestamp(raw)
}

/** The one form in which timestamps are stored, so that their texts compare like their times. Other texts stay. */
export function storedTimestamp(value: unknown): unknown {
  return timestampText(value) ?? value
}

/** Drizzle's `integer({ mode: 'timestamp' })`: seconds or milliseconds. The column knows which. */
export function isNumberTimestamp({ kind, column }: StoredValue): boolean {
  return kind === 'timestamp' && column?.columnType === 'SQLiteTimestamp'
}

function numberTimestampReader({ ownType, column }: StoredValue): Reader<string> {
  return raw => {
    if (!isNumber(raw)) return undefined
    const iso = attempt(() => String(ownType?.fromRecord(column?.mapFromDriverValue(Number(raw)))))
    // A year of five digits or more has a sign.
    return iso !== undefined && STORED_TIMESTAMP.test(iso) ? iso : undefined
  }
}

/** JSON text. A column without a type can also hold a number. */
function jsonSource(raw: unknown): string {
  if (typeof raw === 'string' || isNumber(raw)) return String(raw)
  throw new TypeError('Bytes are no JSON.')
}

function validJson(text: string): string {
  JSON.parse(text)
  return shortenJson(text)
}

function attempt<T>(read: () => T): T | undefined {
  try {
    return read()
  } catch {
    return undefined
  }
}

const warned = new WeakSet<StoredValue>()

/**
 * The text of a cell that is not of its column's type. Emits a process warning once for each column, without the value:
 * warnings go to stderr or to `process.on('warning', ...)`.
 */
function textOfOtherType(info: StoredValue, raw: unknown): string {
  // An `ExpressionField` checks its values itself.
  if (info.column && !warned.has(info)) {
    warned.add(info)
    process.emitWarning(
      `Column "${getTableName(info.column.table)}.${info.column.name}" holds a value that is no ${info.kind}; it is shown as text. (This is said once for a column.)`,
      { type: 'ViewsetWarning', code: 'VIEWSET_STRANGE_CELL' },
    )
  }
  return raw instanceof Uint8Array ? Buffer.from(raw).toString() : String(raw)
}
