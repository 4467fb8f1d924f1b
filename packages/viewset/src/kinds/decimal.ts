import type * as z from 'zod'
import { message } from '../core/messages/message.ts'
import { shownValue } from '../core/text.ts'
import { asItIs, numberText, withoutComma } from './cells.ts'
import { withoutCurrency } from './currency.ts'
import { NUMBERS, wholeNumbers } from './integers.ts'
import type { JsonSchema } from './json-schema.ts'
import { type Kind, ordinary, type ValueInfo } from './kind.ts'
import { checkError, parsed } from './schema-parts.ts'

const DECIMAL = /^-?\d{1,1000}(\.\d{1,1000})?$/
const DESCRIPTION = 'A decimal number as text, which keeps all of its digits.'

export const decimal: Kind = {
  ...ordinary,
  name: 'decimal',
  tabular: 'decimal',
  recordTypes: {
    number: { toRecord: Number, fromRecord: String },
    bigint: { toRecord: BigInt, fromRecord: String },
  },
  schema: decimalSchema,
  plainCheck: info => {
    const plain = plainPattern(info)
    return plain && (value => typeof value === 'string' && plain.test(value))
  },
  jsonSchema: info => ({
    input: { anyOf: [{ type: 'string', pattern: patternOf(info) }, numberSchema(info)], description: DESCRIPTION },
    // SQLite computes floats, which may have an exponent. A NaN is no decimal number: no request can store one.
    output: {
      type: 'string',
      description: DESCRIPTION,
      pattern: `^-?[0-9]+(\\.[0-9]+)?${info.scale === undefined ? '(e[+-][0-9]+)?' : ''}$`,
    },
  }),
  readText: (_info, text) =>
    /^[+-]?\d{1,100}(\.\d{1,100})?(e[+-]?\d{1,2})?$/i.test(text) ? withoutExponent(text) : undefined,
  expected: () => message('expected.number'),
  textSchema: () => ({ type: 'string', pattern: '^-?[0-9]{1,100}(\\.[0-9]{1,100})?([eE][+-]?[0-9]{1,2})?$' }),
  readCell,
  asStored: (value, { scale = 0 }) => (typeof value === 'string' ? atScale(value, scale) : value),
  note: ({ scale }) => (scale ? message('template.decimal', { digits: scale }) : message('template.whole')),
  examples: ({ precision = Number.POSITIVE_INFINITY, scale }) => [
    ...(scale && precision - scale >= 2 ? [(12.5).toFixed(scale)] : []),
    ...(scale ? [`0.${'5'.padStart(1 + Math.max(scale - precision, 0), '0').padEnd(scale, '0')}`] : []),
    ...NUMBERS.map(number => number.toFixed(scale)),
  ],
  identity: value => withoutZeros(String(value)),
  line: ({ precision, scale = 0 }) =>
    wholeNumbers(10n ** BigInt(precision === undefined ? 15 : Math.max(precision - scale, 0)), String),
}

/** The digits of a column. With a scale below 0, PostgreSQL rounds to tens or hundreds and stores a whole number. */
export function decimalLimits(precision: number, scale: number): Pick<ValueInfo, 'precision' | 'scale'> {
  return scale < 0 ? { precision: precision - scale, scale: 0 } : { precision, scale }
}

/**
 * Matches only numbers that surely fit, without counting zeros at the ends; `undefined` if the limits do not allow
 * that.
 */
function plainPattern({ precision, scale }: ValueInfo): RegExp | undefined {
  if (precision === undefined || scale === undefined) return DECIMAL
  if (precision < scale) return undefined
  const whole = precision > scale ? `\\d{1,${precision - scale}}` : '0'
  return new RegExp(`^-?${whole}${scale > 0 ? `(\\.\\d{1,${scale}})?` : ''}$`)
}

/** A text in which zeros at either end do not count. */
function patternOf({ precision, scale }: ValueInfo): string {
  if (precision === undefined || scale === undefined) return '^-?[0-9]{1,1000}(\\.[0-9]{1,1000})?$'
  const whole = precision > scale ? `0*[0-9]{1,${precision - scale}}` : '0+'
  const digits = `[0-9]{1,${Math.min(scale, precision)}}0*`
  const small = precision < scale ? `(0{${scale - precision}}${digits}|0+)` : digits
  const fraction = scale > 0 ? small : '0+'
  return `^-?${whole}(\\.${fraction})?$`
}

/** The places after the point are not limited: floats are not multiples of 0.01. */
function numberSchema({ precision, scale }: ValueInfo): JsonSchema {
  if (precision === undefined || scale === undefined) return { type: 'number' }
  const limit = 10 ** Math.min(precision - scale, 300)
  return { type: scale > 0 ? 'number' : 'integer', exclusiveMinimum: -limit, exclusiveMaximum: limit }
}

function decimalSchema({ precision, scale }: ValueInfo): z.ZodType {
  const number = parsed(readDecimal, value => message('invalid_number', { value: shownValue(value) }))
  if (precision === undefined || scale === undefined) return number
  const whole = Math.max(precision - scale, 0)
  const zeros = Math.max(scale - precision, 0)
  return number
    .refine(value => beginsWithZeros(value, zeros), checkError(message('leading_zeros', { zeros })))
    .refine(value => fits(value, 'fraction', scale), checkError(message('max_decimal_places', { max: scale })))
    .refine(value => fits(value, 'whole', whole), checkError(message('max_whole_digits', { max: whole })))
}

function readDecimal(value: unknown): string | undefined {
  const text = typeof value === 'number' && Number.isFinite(value) ? String(value) : value
  if (typeof text !== 'string') return undefined
  const digits = withoutExponent(text)
  return DECIMAL.test(digits) ? digits : undefined
}

const EXPONENT = /^([+-]?)(\d{1,1000})(?:\.(\d{1,1000}))?e([+-]?\d{1,3})$/i

/**
 * `2E+1` as `20`: decimals of other languages and large numbers of JavaScript have this form. Other texts stay as they
 * are.
 */
function withoutExponent(text: string): string {
  const [, sign = '', whole, fraction = '', exponent] = EXPONENT.exec(text) ?? []
  if (whole === undefined) return text
  const places = fraction.length - Number(exponent)
  if (places <= 0) return sign + whole + fraction + '0'.repeat(-places)
  const digits = (whole + fraction).padStart(places + 1, '0')
  return `${sign}${digits.slice(0, -places)}.${digits.slice(-places)}`
}

/** `numeric(2, 4)` holds two digits: the third and the fourth after the point. */
function beginsWithZeros(decimal: string, zeros: number): boolean {
  const point = decimal.indexOf('.')
  return zeros === 0 || point === -1 || /^0*$/.test(decimal.slice(point + 1, point + 1 + zeros))
}

function fits(decimal: string, part: 'whole' | 'fraction', limit: number): boolean {
  const point = decimal.indexOf('.')
  const end = point === -1 ? decimal.length : point
  // Most values are short enough without counting.
  if (part === 'whole') return end <= limit || decimal.slice(0, end).replace(/^-?0*/, '').length <= limit
  return decimal.length - end - 1 <= limit || decimal.slice(end + 1).replace(/0+$/, '').length <= limit
}

/** `7.5` as `7.50`, which a column of two decimal places shows. */
function atScale(text: string, scale: number): string {
  const [, whole, fraction = ''] = /^(-?\d+)(?:\.(\d+))?$/.exec(text) ?? []
  if (whole === undefined || fraction.length > scale) return text
  return scale === 0 ? whole : `${whole}.${fraction.padEnd(scale, '0')}`
}

/** `7.50` and `07.5` are the same number. */
function withoutZeros(text: string): string {
  const digits = text.replace(/^(-?)0+(?=\d)/, '$1')
  return digits.includes('.') ? digits.replace(/\.?0+$/, '') : digits
}

function readCell(cell: unknown): unknown {
  if (typeof cell === 'number') return numberText(cell)
  if (typeof cell !== 'string') return asItIs(cell)
  const text = cell.trim()
  const number = unsigned(withoutCurrency(text))
  return DECIMAL.test(number) ? number : withoutComma(unsigned(text))
}

function unsigned(text: string): string {
  return text.replace(/^\+(?=\d)/, '')
}
