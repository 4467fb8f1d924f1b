import * as z from 'zod'
import { asItIs, withoutComma } from './cells.ts'
import type { JsonSchema } from './json-schema.ts'
import type { Kind, ValueInfo } from './kind.ts'
import { ordinary } from './ordinary.ts'
import { typeError } from './schema-parts.ts'
import { expectedWhole, IN_PATH, IN_QUERY, limitOf, NUMBERS, readWhole, wholeNumbers } from './whole-numbers.ts'

export const integer: Kind = {
  ...ordinary,
  name: 'integer',
  tabular: 'integer',
  schema: info => {
    const limit = safeLimit(info)
    return z
      .number(typeError('A valid integer is required.'))
      .refine(Number.isInteger, 'A valid integer is required.')
      .max(limit - 1, `Ensure this value is less than or equal to ${limit - 1}.`)
      .min(-limit, `Ensure this value is greater than or equal to ${-limit}.`)
  },
  plainCheck: info => {
    const limit = safeLimit(info)
    return value => Number.isInteger(value) && (value as number) < limit && (value as number) >= -limit
  },
  // What others have stored, or an expression has computed, may be larger.
  jsonSchema: info => ({ input: integerSchema(info), output: { type: 'integer' }, heldAsSent: true }),
  readText: (info, text) => asNumber(readWhole(info, text, IN_QUERY)),
  expected: expectedWhole,
  textSchema: integerSchema,
  readKey: (info, text) => asNumber(readWhole(info, text, IN_PATH)),
  readCell,
  note: () => 'A whole number.',
  examples: () => NUMBERS,
  line: info => wholeNumbers(limitOf(info), Number),
}

/** An integer has 16 or 32 bits, which a number of JavaScript holds. */
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

/** `5` and `5.0`, which programs write for an integer in a column with gaps; neither `1E5` nor `5,000`. */
function readCell(cell: unknown): unknown {
  if (typeof cell !== 'string') return asItIs(cell)
  const text = cell.trim()
  return /^[+-]?\d{1,17}(\.0+)?$/.test(text) ? Number(text) : withoutComma(text)
}
