import * as z from 'zod'
import { type Message, message } from '../core/messages/message.ts'
import { shownValue } from '../core/text.ts'
import { asItIs, CellProblem, lostDigits, withoutComma, withoutNoise } from './cells.ts'
import { withoutCurrencySign } from './currency.ts'
import type { JsonSchema } from './json-schema.ts'
import { type Kind, ordinary, type ValueInfo, type ValueLine } from './kind.ts'
import { checkError, parsed, typeError } from './schema-parts.ts'

export const integer: Kind = {
  ...ordinary,
  name: 'integer',
  tabular: 'integer',
  schema: info => {
    const limit = safeLimit(info)
    return z
      .number(typeError(notWhole))
      .refine(Number.isInteger, checkError(notWhole))
      .max(limit - 1, checkError(message('max_value', { max: String(limit - 1) })))
      .min(-limit, checkError(message('min_value', { min: String(-limit) })))
  },
  plainCheck: info => {
    const limit = safeLimit(info)
    return value => Number.isInteger(value) && (value as number) < limit && (value as number) >= -limit
  },
  // Stored and computed values may exceed the range.
  jsonSchema: info => ({ input: integerSchema(info), output: { type: 'integer' }, heldAsSent: true }),
  readText: (info, text) => asNumber(readWhole(info, text, IN_QUERY)),
  expected: expectedWhole,
  textSchema: integerSchema,
  readKey: (info, text) => asNumber(readWhole(info, text, IN_PATH)),
  readCell: readIntegerCell,
  note: () => message('template.whole'),
  examples: () => NUMBERS,
  line: info => wholeNumbers(limitOf(info), Number),
}

function notWhole(value: unknown): Message {
  const isQuoted = typeof value === 'string' && IN_QUERY.test(value)
  return message(isQuoted ? 'invalid_integer.quoted' : 'invalid_integer', { value: shownValue(value) })
}

function safeLimit({ bits }: ValueInfo): number {
  return 2 ** ((bits === 16 ? 16 : 32) - 1)
}

function integerSchema(info: ValueInfo): JsonSchema {
  const limit = safeLimit(info)
  return { type: 'integer', minimum: -limit, maximum: limit - 1 }
}

function asNumber(whole: bigint | undefined): number | undefined {
  return whole === undefined ? undefined : Number(whole)
}

/** `5`, `5 €` and `5.0`, which programs write for an integer in a column with gaps. Not `1E5` nor `5,000`. */
function readIntegerCell(cell: unknown): unknown {
  if (typeof cell !== 'string') return withoutNoise(asItIs(cell))
  const text = cell.trim()
  const number = withoutCurrencySign(text)
  return /^[+-]?\d{1,17}(\.0+)?$/.test(number) ? Number(number) : withoutComma(text, 'invalid_integer.comma')
}

const LIMIT = 2n ** 63n
const SAFE = { type: 'integer', minimum: Number.MIN_SAFE_INTEGER, maximum: Number.MAX_SAFE_INTEGER }
const SCHEMA = {
  anyOf: [SAFE, { type: 'string', pattern: '^-?[0-9]{16,19}$' }],
  description: 'An integer of 64 bits, which is text where it is beyond 2^53.',
}

/** Integers beyond 2^53 are strings in JSON, in both directions; smaller ones are numbers. */
export const bigint: Kind = {
  ...ordinary,
  name: 'bigint',
  traits: ['comparable'],
  comparedAs: 'integer',
  tabular: 'integer',
  recordTypes: { number: { toRecord: Number, fromRecord: (value: number) => BigInt(value) } },
  schema: bigintSchema,
  jsonSchema: () => ({ input: SCHEMA, output: SCHEMA }),
  readText: (info, text) => readWhole(info, text, IN_QUERY),
  expected: expectedWhole,
  // JSON Schema has no number for the limits of 64 bits, so 19 digits pass here.
  textSchema: () => ({ anyOf: [SAFE, { type: 'string', pattern: '^-?[0-9]{1,19}$' }] }),
  readKey: (info, text) => readWhole(info, text, IN_PATH),
  readCell: readBigintCell,
  note: () => message('template.whole'),
  examples: () => NUMBERS,
  line: () => wholeNumbers(LIMIT, place => place),
}

function bigintSchema(): z.ZodType {
  return parsed((value: unknown) => {
    if (typeof value === 'number') return Number.isSafeInteger(value) ? BigInt(value) : undefined
    if (typeof value !== 'string' || !/^-?\d{16,19}$/.test(value)) return undefined
    const integer = BigInt(value)
    return Number.isSafeInteger(Number(integer)) ? undefined : integer
  }, notWhole)
    .refine(value => value < LIMIT, checkError(message('max_value', { max: String(LIMIT - 1n) })))
    .refine(value => value >= -LIMIT, checkError(message('min_value', { min: String(-LIMIT) })))
}

function readBigintCell(cell: unknown): unknown {
  if (typeof cell === 'number' && Math.abs(cell) > Number.MAX_SAFE_INTEGER) return new CellProblem(lostDigits(cell))
  if (typeof cell !== 'string') return withoutNoise(asItIs(cell))
  const text = cell.trim()
  const number = withoutCurrencySign(text)
  if (!/^[+-]?\d{1,19}$/.test(number)) return withoutComma(text, 'invalid_integer.comma')
  const integer = BigInt(number.replace('+', ''))
  return Number.isSafeInteger(Number(integer)) ? Number(integer) : String(integer)
}

/** Examples for integers and the numbers around them. */
export const NUMBERS = [1, 0, 2, 5, 10, 50, 100, 1_000, -1, 1_000_000]

function limitOf({ bits = 32 }: ValueInfo): bigint {
  return 2n ** BigInt(bits - 1)
}

function readWhole(info: ValueInfo, text: string, form: RegExp): bigint | undefined {
  if (!form.test(text)) return undefined
  const integer = BigInt(text.replace('+', ''))
  return BigInt.asIntN(info.bits ?? 32, integer) === integer ? integer : undefined
}

const IN_QUERY = /^[+-]?\d{1,19}$/
const IN_PATH = /^-?\d{1,19}$/

/** A number of at least 16 bits. Only such a number can be out of range. */
const LARGE = /^[\s\d+,-]*\d{5}[\s\d+,-]*$/

function expectedWhole(info: ValueInfo, sent = ''): Message {
  if (!LARGE.test(sent)) return message('expected.whole_number')
  const limit = limitOf(info)
  return message('expected.whole', { min: String(-limit), max: String(limit - 1n) })
}

/** The whole numbers below `limit`, on both sides of 0. */
export function wholeNumbers(limit: bigint, valueAt: (place: bigint) => unknown): ValueLine {
  const place = (value: unknown) => BigInt(String(value).replace(/\..*$/, ''))
  return { lowest: 1n - limit, highest: limit - 1n, place, valueAt }
}
