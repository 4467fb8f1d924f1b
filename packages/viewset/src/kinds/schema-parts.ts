import * as z from 'zod'
import { fromText, type Message, message, type Text } from '../core/messages/message.ts'
import { shorten, shownValue } from '../core/text.ts'

export const REQUIRED: Message = message('required')
const NULL: Message = message('null')
export const BLANK: Message = message('blank')
const INVALID: Message = message('invalid')

/** The message for a value. */
export type Problem = Message | ((value: unknown) => Message)

/** The `error` of a Zod schema. A missing value and null have messages of their own. */
export function typeError(problem: Problem) {
  return { error: ({ input }: { readonly input?: unknown }) => String(problemOf(input, problem)) }
}

/** The `error` of a Zod check, which sees neither missing values nor null. */
export function checkError(problem: Problem) {
  return { error: ({ input }: { readonly input?: unknown }) => String(made(problem, input)) }
}

function problemOf(input: unknown, problem: Problem): Message {
  return input === undefined ? REQUIRED : input === null ? NULL : made(problem, input)
}

function made(problem: Problem, input: unknown): Message {
  return typeof problem === 'function' ? problem(input) : problem
}

/**
 * A schema for values that `read` accepts.
 *
 * @param problem the message for other values
 */
export function parsed<T>(read: (value: unknown) => T | undefined, problem: Problem) {
  return z.unknown().transform((value, context): T => {
    const result = value === undefined || value === null ? undefined : read(value)
    if (result !== undefined) return result
    context.addIssue({ code: 'custom', message: String(problemOf(value, problem)) })
    return z.NEVER
  })
}

export function anySchema() {
  return z
    .unknown()
    .refine(value => value !== undefined, checkError(REQUIRED))
    .refine(value => value !== null, checkError(NULL))
}

/** An option of `safeParse`: messages of the catalogue for Zod's own checks, unless the schema has its own. */
export const CATALOGUE = {
  error: (issue: z.core.$ZodRawIssue) => {
    const found = messageOf(issue)
    return found && String(found)
  },
}

/** The texts of issues that a schema found with {@link CATALOGUE}. */
export function textsOf(issues: readonly z.core.$ZodIssue[]): Text[] {
  return issues.map(textOf)
}

export function textOf(issue: z.core.$ZodIssue): Text {
  return fromText(issue.message)
}

function messageOf(issue: z.core.$ZodRawIssue): Message | undefined {
  const { code, input } = issue
  switch (code) {
    case 'invalid_type':
      return typeMessage(issue.expected, input)
    case 'invalid_value':
      return problemOf(input, value => choiceMessage(value, issue.values))
    case 'too_big':
      return tooBig(issue)
    case 'too_small':
      return tooSmall(issue)
    case 'not_multiple_of':
      return message('multiple_of', { of: String(issue.divisor) })
    case 'invalid_format':
      return message(FORMATS[issue.format] ?? 'invalid_format', { value: shownValue(input) })
    case 'unrecognized_keys':
      return unknownKeys(issue)
    default:
      return INVALID
  }
}

/** Messages whose only parameter is the value. */
type ValueMessage =
  | `invalid_${'email' | 'url' | 'uuid' | 'date' | 'datetime' | 'time' | 'address'}`
  | `invalid_${'text' | 'number' | 'integer' | 'boolean'}`

const FORMATS: Readonly<Record<string, ValueMessage>> = {
  email: 'invalid_email',
  url: 'invalid_url',
  uuid: 'invalid_uuid',
  date: 'invalid_date',
  datetime: 'invalid_datetime',
  time: 'invalid_time',
  ipv4: 'invalid_address',
}

const MOST_KEYS = 20

/** The message for keys that a strict object does not have. */
function unknownKeys({ keys, inst }: z.core.$ZodRawIssue<z.core.$ZodIssueUnrecognizedKeys>): Message {
  // Not by class: the package loads Zod's functions only.
  const shape: unknown = inst && Reflect.get(inst, 'shape')
  const known = typeof shape === 'object' && shape !== null ? Object.keys(shape) : []
  if (known.length === 0) return INVALID
  const names = keys.slice(0, MOST_KEYS).map(shorten)
  return message('unknown_field', { names, more: keys.length - names.length, known: known.join(', ') })
}

const OF_LISTS = ['array', 'set']

function tooBig({ origin, maximum, exact, inclusive }: z.core.$ZodRawIssue<z.core.$ZodIssueTooBig>): Message {
  const max = Number(maximum)
  if (origin === 'string') return exact ? message('exact_length', { length: max }) : message('max_length', { max })
  if (OF_LISTS.includes(origin)) return message('max_length.items', { max })
  return message(inclusive ? 'max_value' : 'max_value.exclusive', { max: limitText(origin, maximum) })
}

function tooSmall({ origin, minimum, exact, inclusive }: z.core.$ZodRawIssue<z.core.$ZodIssueTooSmall>): Message {
  const min = Number(minimum)
  if (origin === 'string') return exact ? message('exact_length', { length: min }) : message('min_length', { min })
  if (OF_LISTS.includes(origin)) return message('min_length.items', { min })
  return message(inclusive ? 'min_value' : 'min_value.exclusive', { min: limitText(origin, minimum) })
}

/** Zod has the limits of dates as milliseconds. */
function limitText(origin: string, limit: unknown): string {
  return origin === 'date' ? new Date(Number(limit)).toISOString() : String(limit)
}

const MOST_CHOICES = 20

/** The message for a value that is none of `choices`. */
export function choiceMessage(value: unknown, choices: readonly unknown[]): Message {
  const shown = choices.slice(0, MOST_CHOICES).map(String).join(', ')
  const more = choices.length > MOST_CHOICES ? ', ...' : ''
  return message('invalid_choice', { value: shownValue(value), choices: shown + more })
}

function typeMessage(expected: string, input: unknown): Message {
  if (OBJECTS.includes(expected)) return message('not_an_object', { found: jsonType(input) })
  if (LISTS.includes(expected)) return message('not_a_list', { found: jsonType(input) })
  const name = TYPES[expected]
  return problemOf(input, value => (name ? message(name, { value: shownValue(value) }) : INVALID))
}

const OBJECTS = ['object', 'record']
const LISTS = ['array', 'tuple']
const TYPES: Readonly<Record<string, ValueMessage>> = {
  string: 'invalid_text',
  number: 'invalid_number',
  int: 'invalid_integer',
  bigint: 'invalid_integer',
  boolean: 'invalid_boolean',
  date: 'invalid_date',
}

/** What `not_an_object` and `not_a_list` say was found. */
export function jsonType(input: unknown) {
  if (input === undefined) return 'nothing'
  if (input === null) return 'null'
  if (Array.isArray(input)) return 'array'
  const type = typeof input
  return type === 'string' || type === 'number' || type === 'boolean' ? type : 'object'
}
