import * as z from 'zod'
import { type Message, message } from '../core/messages/message.ts'
import { shownValue } from '../core/text.ts'
import { asItIs, withoutComma } from './cells.ts'
import { withoutCurrency } from './currency.ts'
import { NUMBERS } from './integers.ts'
import { type Kind, ordinary } from './kind.ts'
import { typeError } from './schema-parts.ts'

export const float: Kind = {
  ...ordinary,
  name: 'float',
  tabular: 'float',
  schema: () => z.preprocess(readLarge, z.number(typeError(notNumber))),
  plainCheck: () => value => typeof value === 'number' && Number.isFinite(value),
  jsonSchema: () => ({
    input: { anyOf: [{ type: 'number' }, { type: 'string', pattern: '^-?[0-9]{16,309}$' }] },
    // Stored floats may be NaN or infinite, which JSON cannot write as numbers.
    output: { anyOf: [{ type: 'number' }, { type: 'string', enum: ['NaN', 'Infinity', '-Infinity'] }] },
  }),
  readText: (_info, text) => (NUMBER.test(text) ? Number(text) : undefined),
  expected: () => message('expected.number'),
  textSchema: () => ({ type: 'number' }),
  readCell,
  note: () => message('template.number'),
  examples: () => [1.5, 0.5, ...NUMBERS],
}

function notNumber(value: unknown): Message {
  const isQuoted = typeof value === 'string' && NUMBER.test(value)
  return message(isQuoted ? 'invalid_number.quoted' : 'invalid_number', { value: shownValue(value) })
}

const NUMBER = /^[+-]?\d{1,300}(\.\d{1,300})?(e[+-]?\d{1,3})?$/i

/** A whole number beyond 2^53 arrives as a string, because a JSON number of this size may be inexact. */
function readLarge(value: unknown): unknown {
  if (typeof value !== 'string' || !/^-?\d{16,309}$/.test(value)) return value
  return Number.isSafeInteger(Number(value)) ? value : Number(value)
}

function readCell(cell: unknown): unknown {
  if (typeof cell !== 'string') return asItIs(cell)
  const text = cell.trim()
  const number = withoutCurrency(text)
  return /^[+-]?(\d+(\.\d*)?|\.\d+)(e[+-]?\d{1,3})?$/i.test(number) ? Number(number) : withoutComma(text)
}
