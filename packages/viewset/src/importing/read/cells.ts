import type * as z from 'zod'
import { ValidationError } from '../../core/errors.ts'
import { DEFAULT_DEPTH, parseJsonBody } from '../../core/json/parse-json-body.ts'
import type { ColumnInfo } from '../../model/model-info.ts'
import { drfMessage, NULL } from '../../serializer/drf-messages.ts'
import { plainCheck } from '../../serializer/plain-check.ts'
import { type ReadCell, SheetMoment } from '../../tabular/read/file.ts'

/** Why a cell is not acceptable. */
export class CellProblem {
  readonly message: string

  constructor(message: string) {
    this.message = message
  }
}

/** From a cell to a record's value, or to what is wrong with it; `undefined` leaves the column to its default. */
export type CellReader = (cell: unknown) => unknown

/**
 * Reads cells as a column's type has them (CONTRACT, "Import"), by the same rules and with the same messages as JSON.
 * Text stays as it is; of other types it is the text's meaning that counts, where it has exactly one.
 *
 * @param schema the column's own schema, perhaps refined by a serializer
 * @param isRefined whether the schema says more than the column's type
 * @param takesBlank whether an empty cell is the empty text
 */
export function cellReader(column: ColumnInfo, schema: z.ZodType, isRefined: boolean, takesBlank = false): CellReader {
  const empty = takesBlank ? schema.parse('') : emptyValue(column)
  const parse = PARSERS[column.kind] ?? asItIs
  const isPlainlyRight = isRefined ? undefined : plainCheck(column)
  const isText = column.kind === 'text' || column.kind === 'enumeration'
  return cell => {
    if (cell === null || cell === undefined) return empty
    if (!isText && typeof cell === 'string' && cell.trim() === '') return empty
    const value = parse(cell)
    if (value instanceof CellProblem || isPlainlyRight?.(value)) return value
    const result = schema.safeParse(value, { error: drfMessage })
    return result.success ? result.data : new CellProblem(result.error.issues[0]?.message ?? 'Invalid value.')
  }
}

/** An empty cell is null, or the column's default where it has one. */
function emptyValue({ nullable, hasDefault, createValue, hasPlainDefault }: ColumnInfo): unknown {
  // A default that is a plain value also counts for a record that is updated; one that is made anew, only for new ones.
  if (hasPlainDefault) return createValue?.()
  if (hasDefault || createValue) return undefined
  return nullable ? null : new CellProblem(NULL)
}

const asItIs = (cell: unknown): unknown => (cell instanceof SheetMoment ? cell.text : cell)

const PARSERS: { readonly [K in ColumnInfo['kind']]?: (cell: unknown) => unknown } = {
  text: readText,
  enumeration: readText,
  uuid: trimmed,
  integer: readInteger,
  bigint: readBigint,
  decimal: readDecimal,
  float: readFloat,
  boolean: readBoolean,
  date: readDay,
  timestamp: readMoment,
  json: readJson,
}

/** Text as a person sees it in the cell. */
function readText(cell: unknown): unknown {
  if (typeof cell === 'string') return cell.isWellFormed() ? cell : new CellProblem('Not a valid string.')
  // A sheet has no other numbers, but a transform may.
  if (typeof cell === 'number')
    return Number.isFinite(cell) ? plainNumber(cell) : new CellProblem('Not a valid string.')
  if (typeof cell === 'boolean') return cell ? 'TRUE' : 'FALSE'
  return asItIs(cell)
}

function trimmed(cell: unknown): unknown {
  return typeof cell === 'string' ? cell.trim() : asItIs(cell)
}

const WITH_COMMA = /^[+-]?[\d.,\s']*,[\d.,\s']*$/

/** Whether a comma is a point or separates thousands depends on who wrote it: a guess could be wrong by a thousand. */
function withoutComma(text: string): string | CellProblem {
  if (!WITH_COMMA.test(text)) return text
  return new CellProblem('A valid number is required: with a point and without thousands separators, such as 1234.5.')
}

/** `5` and `5.0`, which programs write for an integer in a column with gaps; neither `1E5` nor `5,000`. */
function readInteger(cell: unknown): unknown {
  if (typeof cell !== 'string') return asItIs(cell)
  const text = cell.trim()
  return /^[+-]?\d{1,17}(\.0+)?$/.test(text) ? Number(text) : withoutComma(text)
}

function readBigint(cell: unknown): unknown {
  if (typeof cell !== 'string') return asItIs(cell)
  const text = cell.trim()
  if (!/^[+-]?\d{1,19}$/.test(text)) return withoutComma(text)
  const integer = BigInt(text.replace('+', ''))
  // As JSON has it: a number where that is exact.
  return Number.isSafeInteger(Number(integer)) ? Number(integer) : String(integer)
}

function readDecimal(cell: unknown): unknown {
  if (typeof cell === 'number') return plainNumber(cell)
  if (typeof cell !== 'string') return asItIs(cell)
  return withoutComma(cell.trim().replace(/^\+(?=\d)/, ''))
}

function readFloat(cell: unknown): unknown {
  if (typeof cell !== 'string') return asItIs(cell)
  const text = cell.trim()
  return /^[+-]?(\d+\.?\d*|\.\d+)(e[+-]?\d{1,3})?$/i.test(text) ? Number(text) : withoutComma(text)
}

const WORDS = new Map<unknown, boolean>([
  ['true', true],
  ['1', true],
  ['yes', true],
  ['false', false],
  ['0', false],
  ['no', false],
])

function readBoolean(cell: unknown): unknown {
  if (typeof cell === 'boolean') return cell
  const word = String(asItIs(cell)).trim().toLowerCase()
  return WORDS.get(word) ?? new CellProblem('Must be a valid boolean: true or false, yes or no, 1 or 0.')
}

/** A day; a workbook may have it with the midnight that it begins with. */
function readDay(cell: unknown): unknown {
  if (cell instanceof SheetMoment) return cell.text.replace(/T00:00:00$/, '')
  return trimmed(cell)
}

/** A point in time; a day alone is the midnight that it begins with, as a workbook shows that. */
function readMoment(cell: unknown): unknown {
  const text = trimmed(cell)
  return typeof text === 'string' && /^\d{4}-\d{2}-\d{2}$/.test(text) ? `${text}T00:00:00` : text
}

function readJson(cell: unknown): unknown {
  if (typeof cell !== 'string') {
    const value = asItIs(cell)
    return isJson(value) ? value : new CellProblem('Value must be valid JSON.')
  }
  try {
    return parseJsonBody(Buffer.from(cell))
  } catch (error) {
    if (error instanceof ValidationError) return new CellProblem('Value must be valid JSON.')
    throw error
  }
}

/** Whether it is what a transform may return for JSON: of a promise or a map, `JSON.stringify` would make an empty object. */
function isJson(value: unknown, depth = 0): boolean {
  if (typeof value === 'number') return Number.isFinite(value)
  if (value === null || typeof value === 'string' || typeof value === 'boolean') return true
  if (typeof value !== 'object' || depth > DEFAULT_DEPTH) return false
  if (Array.isArray(value)) return value.every(item => isJson(item, depth + 1))
  const prototype: unknown = Object.getPrototypeOf(value)
  if (prototype !== Object.prototype && prototype !== null) return false
  return Object.values(value).every(item => item === undefined || isJson(item, depth + 1))
}

/** A number with the 15 digits that a sheet shows, since 0.1 + 0.2 is 0.3 to whoever looks at it; never as `1e+21`. */
function plainNumber(value: number): string {
  const shown = Number(value.toPrecision(15))
  const text = String(shown)
  if (!text.includes('e')) return text
  return Math.abs(shown) >= 1 ? String(BigInt(shown)) : shown.toFixed(100).replace(/0+$/, '')
}

/** What a transform gets of a cell; see `ImportCell`. */
export function plainCell(cell: ReadCell | undefined): string | number | boolean | null {
  return cell instanceof SheetMoment ? cell.text : (cell ?? null)
}

/** What a transform returned, as if it had stood in the file. */
export function cellOf(value: unknown): unknown {
  if (value === undefined || value === '') return null
  if (typeof value === 'bigint') return String(value)
  return value instanceof Date ? value.toISOString() : value
}
