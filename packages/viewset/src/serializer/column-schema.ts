import * as z from 'zod'
import { currentContext } from '../core/context.ts'
import { readUuid } from '../model/keys.ts'
import type { ColumnInfo } from '../model/model-info.ts'
import { takes } from '../model/own-types.ts'
import { textForm } from '../model/text-forms.ts'
import { readTimestamp } from '../model/timestamps.ts'
import { NULL, REQUIRED } from './drf-messages.ts'

/** DRF's wording for a value of the wrong type; a missing value and a null have their own. */
export function typeError(message: string) {
  return {
    error: ({ input }: { readonly input?: unknown }) =>
      input === undefined ? REQUIRED : input === null ? NULL : message,
  }
}

/**
 * The schema of a column's value as a client sends it; its output is the value as a record holds it (DESIGN, rule 12).
 * Nothing is coerced: `"5"` is not an integer (CONTRACT, "Writing"). Messages are DRF's.
 */
export function columnSchema(column: ColumnInfo, refinement?: z.ZodType): z.ZodType {
  const { ownType } = column
  const kindSchema = valueSchema(column)
  const schema = ownType ? kindSchema.transform(value => ownType.toRecord(value)) : kindSchema
  const refined = refinement ? schema.pipe(refinement as z.ZodType<unknown, unknown>) : schema
  return column.nullable ? refined.nullable() : refined
}

function valueSchema(column: ColumnInfo): z.ZodType {
  switch (column.kind) {
    case 'text':
      return textSchema(column.length)
    case 'enumeration':
      return z.enum(column.values as readonly [string, ...string[]], {
        error: ({ input }) =>
          input === undefined ? REQUIRED : input === null ? NULL : `"${shorten(input)}" is not a valid choice.`,
      })
    case 'integer':
      return integerSchema(column.bits === 16 ? 16 : 32)
    case 'bigint':
      return bigintSchema()
    case 'decimal':
      return decimalSchema(column.precision, column.scale)
    case 'float':
      return z.number(typeError('A valid number is required.'))
    case 'boolean':
      return z.boolean(typeError('Must be a valid boolean.'))
    case 'timestamp':
      return parsed(
        value => readTimestamp(value, currentContext().settings.COMMON.TIME_ZONE),
        'Datetime has wrong format. Use one of these formats instead: YYYY-MM-DDThh:mm[:ss[.uuuuuu]][+HH:MM|-HH:MM|Z].',
      )
    case 'date':
      return parsed(readDate, 'Date has wrong format. Use one of these formats instead: YYYY-MM-DD.')
    case 'uuid':
      return parsed(readUuid, 'Must be a valid UUID.')
    case 'other':
      return (
        formSchema(column.sqlType) ??
        anySchema().refine(value => isNothing(value) || takes(column.column, value), 'Not a valid value.')
      )
    default:
      return anySchema()
  }
}

function anySchema() {
  return z
    .unknown()
    .refine(value => value !== undefined, REQUIRED)
    .refine(value => value !== null, NULL)
}

/** A type whose texts only the database reads, where it is known how they are written. */
function formSchema(sqlType: string): z.ZodType | undefined {
  const form = textForm(sqlType)
  return form && parsed(value => (typeof value === 'string' && form.accepts(value) ? value : undefined), form.message)
}

function isNothing(value: unknown): boolean {
  return value === undefined || value === null
}

function textSchema(length: number | undefined): z.ZodType {
  const text = z
    .string(typeError('Not a valid string.'))
    .refine(value => !value.includes('\0'), 'Null characters are not allowed.')
  if (length === undefined) return text
  // Databases count characters, JavaScript counts UTF-16 units; only long texts need the slow count.
  return text.refine(
    value => value.length <= length || [...value].length <= length,
    `Ensure this field has no more than ${length} characters.`,
  )
}

function integerSchema(bits: 16 | 32): z.ZodType {
  const limit = 2 ** (bits - 1)
  return z
    .number(typeError('A valid integer is required.'))
    .refine(Number.isInteger, 'A valid integer is required.')
    .max(limit - 1, `Ensure this value is less than or equal to ${limit - 1}.`)
    .min(-limit, `Ensure this value is greater than or equal to ${-limit}.`)
}

const BIGINT_LIMIT = 2n ** 63n

/** 64-bit integers beyond 2^53 are strings on the wire, in both directions; smaller ones are numbers. */
function bigintSchema(): z.ZodType {
  return parsed((value: unknown) => {
    if (typeof value === 'number') return Number.isSafeInteger(value) ? BigInt(value) : undefined
    if (typeof value !== 'string' || !/^-?\d{16,19}$/.test(value)) return undefined
    const integer = BigInt(value)
    return Number.isSafeInteger(Number(integer)) ? undefined : integer
  }, 'A valid integer is required.')
    .refine(value => value < BIGINT_LIMIT, `Ensure this value is less than or equal to ${BIGINT_LIMIT - 1n}.`)
    .refine(value => value >= -BIGINT_LIMIT, `Ensure this value is greater than or equal to ${-BIGINT_LIMIT}.`)
}

function decimalSchema(precision: number | undefined, scale: number | undefined): z.ZodType {
  const number = parsed(readDecimal, 'A valid number is required.')
  if (precision === undefined || scale === undefined) return number
  const whole = precision - scale
  return number
    .refine(value => fits(value, 'fraction', scale), `Ensure that there are no more than ${scale} decimal places.`)
    .refine(
      value => fits(value, 'whole', whole),
      `Ensure that there are no more than ${whole} digits before the decimal point.`,
    )
}

/** A schema for values that `read` understands; `undefined` from `read` is an error. */
export function parsed<T>(read: (value: unknown) => T | undefined, message: string) {
  return z.unknown().transform((value, context): T => {
    const result = value === undefined || value === null ? undefined : read(value)
    if (result !== undefined) return result
    context.addIssue({ code: 'custom', message: value === undefined ? REQUIRED : value === null ? NULL : message })
    return z.NEVER
  })
}

function readDecimal(value: unknown): string | undefined {
  const text = typeof value === 'number' && Number.isFinite(value) ? String(value) : value
  return typeof text === 'string' && /^-?\d{1,1000}(\.\d{1,1000})?$/.test(text) ? text : undefined
}

/** Zeros at either end do not count. */
function fits(decimal: string, part: 'whole' | 'fraction', limit: number): boolean {
  const point = decimal.indexOf('.')
  const end = point === -1 ? decimal.length : point
  // Most values are short enough as they stand.
  if (part === 'whole') return end <= limit || decimal.slice(0, end).replace(/^-?0*/, '').length <= limit
  return decimal.length - end - 1 <= limit || decimal.slice(end + 1).replace(/0+$/, '').length <= limit
}

function readDate(value: unknown): string | undefined {
  if (typeof value !== 'string' || !/^(?!0000)\d{4}-\d{2}-\d{2}$/.test(value)) return undefined
  const date = new Date(`${value}T00:00:00Z`)
  return !Number.isNaN(date.getTime()) && date.toISOString().startsWith(value) ? value : undefined
}

function shorten(input: unknown): string {
  const text = typeof input === 'string' ? input : JSON.stringify(input)
  return text.length > 50 ? `${text.slice(0, 50)}...` : text
}
