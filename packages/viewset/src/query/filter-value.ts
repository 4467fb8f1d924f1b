import { readUuid } from '../model/keys.ts'
import type { ColumnInfo } from '../model/model-info.ts'
import { readTimestamp } from '../model/timestamps.ts'

/** DRF's words; a browser sends `on` for a box that is ticked. */
const WORDS: ReadonlyMap<string, boolean> = new Map([
  ...['true', 't', 'yes', 'y', 'on', '1'].map(word => [word, true] as const),
  ...['false', 'f', 'no', 'n', 'off', '0'].map(word => [word, false] as const),
])

/** Reads a yes or no of the query string or of a form, in any case; `undefined` when it is neither. */
export function readBoolean(text: string): boolean | undefined {
  return WORDS.get(text.toLowerCase())
}

/**
 * Reads a value of a column from a query string; `undefined` when it is none. A datetime without an offset, or a date
 * for one, is read in `timeZone`.
 */
export function readFilterValue(column: ColumnInfo, text: string, timeZone: string): unknown {
  switch (column.kind) {
    case 'enumeration':
      return column.values?.includes(text) ? text : undefined
    case 'integer':
    case 'bigint':
      return readInteger(column, text)
    case 'decimal':
      return /^[+-]?\d{1,100}(\.\d{1,100})?$/.test(text) ? text : undefined
    case 'float':
      return /^[+-]?\d{1,300}(\.\d{1,300})?(e[+-]?\d{1,2})?$/i.test(text) ? Number(text) : undefined
    case 'boolean':
      return readBoolean(text)
    case 'timestamp':
      return readTimestamp(isDate(text) ? `${text}T00:00` : text, timeZone)
    case 'date':
      return isDate(text) ? text : undefined
    case 'uuid':
      return readUuid(text)
    default:
      return text
  }
}

/** What a value must look like, for the message that refuses another one. */
export function expectedForm(column: ColumnInfo): string {
  switch (column.kind) {
    case 'enumeration':
      return `one of: ${column.values?.join(', ')}`
    case 'integer':
    case 'bigint': {
      const limit = 2n ** BigInt((column.bits ?? 32) - 1)
      return `a whole number from ${-limit} to ${limit - 1n}`
    }
    case 'decimal':
    case 'float':
      return 'a number, such as 12.5'
    case 'boolean':
      return 'true or false'
    case 'timestamp':
      return 'a date or a datetime, such as 2026-01-15T10:30:00Z'
    case 'date':
      return 'a date, such as 2026-01-15'
    case 'uuid':
      return 'a valid UUID'
    default:
      return 'a text'
  }
}

function readInteger({ kind, bits = 32 }: ColumnInfo, text: string): number | bigint | undefined {
  if (!/^[+-]?\d{1,19}$/.test(text)) return undefined
  const integer = BigInt(text.replace('+', ''))
  if (BigInt.asIntN(bits, integer) !== integer) return undefined
  return kind === 'bigint' ? integer : Number(integer)
}

function isDate(text: string): boolean {
  return /^\d{4}-\d{2}-\d{2}$/.test(text) && readTimestamp(`${text}T00:00Z`) !== undefined
}
