import { randomUUID } from 'node:crypto'
import * as z from 'zod'
import { asItIs, CellProblem, plainNumber } from './cells.ts'
import { bothWays, type JsonSchema } from './json-schema.ts'
import { type Kind, ordinary, type ValueInfo } from './kind.ts'
import { BLANK, NULL, REQUIRED, typeError } from './schema-parts.ts'
import { textExamples } from './text-examples.ts'

export const text: Kind = {
  ...ordinary,
  name: 'text',
  traits: ['comparable', 'text', 'item'],
  schema: textSchema,
  plainCheck: ({ length = Number.POSITIVE_INFINITY, trim = true, allowBlank = false }) => {
    return value =>
      typeof value === 'string' &&
      value.length <= length &&
      (allowBlank || value !== '') &&
      (!trim || value.trim().length === value.length) &&
      !value.includes('\0')
  },
  jsonSchema: info => {
    const output = { type: 'string', ...(info.length !== undefined && { maxLength: info.length }) }
    return { input: { ...output, ...notBlank(info) }, output, heldAsSent: true }
  },
  readCell: readText,
  note: ({ length }) => (length === undefined ? 'Text.' : `Text of up to ${length} characters.`),
  examples: ({ key = '', length = Number.POSITIVE_INFINITY }) =>
    textExamples(key).filter(example => example.length <= length),
  spare: ({ length = 36 }, index) => spareText(length, index),
}

export const SOME_CHARACTER = '\\S'

function notBlank({ trim = true, allowBlank = false }: ValueInfo): JsonSchema {
  if (allowBlank) return {}
  return trim ? { minLength: 1, pattern: SOME_CHARACTER } : { minLength: 1 }
}

/** The column info for reading stored values, which are not trimmed and may be blank. */
export function asStored<T extends ValueInfo>(info: T): T {
  return { ...info, trim: false, allowBlank: true }
}

function textSchema({ length, trim = true, allowBlank = false }: ValueInfo): z.ZodType {
  const sent = z.string(typeError('Not a valid string.'))
  const trimmed = trim ? sent.trim() : sent
  const filled = allowBlank ? trimmed : trimmed.refine(value => value !== '', { error: BLANK, abort: true })
  const schema = filled.refine(value => !value.includes('\0'), 'Null characters are not allowed.')
  if (length === undefined) return schema
  // Databases count characters, JavaScript counts UTF-16 units. Only long texts need the slow count.
  return schema.refine(
    value => value.length <= length || [...value].length <= length,
    `Ensure this field has no more than ${length} characters.`,
  )
}

function readText(cell: unknown): unknown {
  if (typeof cell === 'string') return cell.isWellFormed() ? cell : new CellProblem('Not a valid string.')
  // Only a transform can return NaN or an infinite number.
  if (typeof cell === 'number') {
    return Number.isFinite(cell) ? plainNumber(cell) : new CellProblem('Not a valid string.')
  }
  if (typeof cell === 'boolean') return cell ? 'TRUE' : 'FALSE'
  return asItIs(cell)
}

/** Unicode's last planes are for private use, so that no real value collides. */
const PRIVATE_USE = 0xf0000
const PRIVATE_USE_SIZE = 0xfffe

function spareText(length: number, index: number): string {
  if (length >= 36) return randomUUID()
  return String.fromCodePoint(PRIVATE_USE + (index % PRIVATE_USE_SIZE)).repeat(length)
}

export const enumeration: Kind = {
  ...ordinary,
  name: 'enumeration',
  traits: ['comparable', 'text', 'item'],
  comparedAs: 'text',
  schema: ({ values = [] }) =>
    z.enum(values as readonly [string, ...string[]], {
      error: ({ input }) =>
        input === undefined ? REQUIRED : input === null ? NULL : `"${shorten(input)}" is not a valid choice.`,
    }),
  plainCheck: ({ values }) => {
    const known = new Set<unknown>(values)
    return value => known.has(value)
  },
  jsonSchema: ({ values = [] }) => bothWays({ type: 'string', enum: values }),
  readText: ({ values }, given) => (values?.includes(given) ? given : undefined),
  textSchema: ({ values = [] }) => ({ type: 'string', enum: values }),
  expected: ({ values }) => `one of: ${values?.join(', ')}`,
  readCell: readText,
  note: ({ values }) => `One of: ${values?.join(', ')}.`,
  examples: ({ values }) => values ?? [],
}

function shorten(input: unknown): string {
  const shown = typeof input === 'string' ? input : JSON.stringify(input)
  return shown.length > 50 ? `${shown.slice(0, 50)}...` : shown
}
