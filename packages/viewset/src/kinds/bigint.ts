import type * as z from 'zod'
import { asItIs, withoutComma } from './cells.ts'
import type { Kind } from './kind.ts'
import { ordinary } from './ordinary.ts'
import { parsed } from './schema-parts.ts'
import { expectedWhole, IN_PATH, IN_QUERY, NUMBERS, readWhole, wholeNumbers } from './whole-numbers.ts'

const LIMIT = 2n ** 63n
const SAFE = { type: 'integer', minimum: Number.MIN_SAFE_INTEGER, maximum: Number.MAX_SAFE_INTEGER }
const SCHEMA = {
  anyOf: [SAFE, { type: 'string', pattern: '^-?[0-9]{16,19}$' }],
  description: 'An integer of 64 bits, which is text where it is beyond 2^53.',
}

/** 64-bit integers beyond 2^53 are strings on the wire, in both directions; smaller ones are numbers. */
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
  // All numbers of 18 digits are such integers, and most programs have no number for one of 19.
  textSchema: () => ({ anyOf: [SAFE, { type: 'string', pattern: '^-?[0-9]{1,19}$' }] }),
  readKey: (info, text) => readWhole(info, text, IN_PATH),
  readCell,
  note: () => 'A whole number.',
  examples: () => NUMBERS,
  line: () => wholeNumbers(LIMIT, place => place),
}

function bigintSchema(): z.ZodType {
  return parsed((value: unknown) => {
    if (typeof value === 'number') return Number.isSafeInteger(value) ? BigInt(value) : undefined
    if (typeof value !== 'string' || !/^-?\d{16,19}$/.test(value)) return undefined
    const integer = BigInt(value)
    return Number.isSafeInteger(Number(integer)) ? undefined : integer
  }, 'A valid integer is required.')
    .refine(value => value < LIMIT, `Ensure this value is less than or equal to ${LIMIT - 1n}.`)
    .refine(value => value >= -LIMIT, `Ensure this value is greater than or equal to ${-LIMIT}.`)
}

function readCell(cell: unknown): unknown {
  if (typeof cell !== 'string') return asItIs(cell)
  const text = cell.trim()
  if (!/^[+-]?\d{1,19}$/.test(text)) return withoutComma(text)
  const integer = BigInt(text.replace('+', ''))
  // As JSON has it: a number where that is exact.
  return Number.isSafeInteger(Number(integer)) ? Number(integer) : String(integer)
}
