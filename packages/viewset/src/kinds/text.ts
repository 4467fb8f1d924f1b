import { randomUUID } from 'node:crypto'
import * as z from 'zod'
import { message } from '../core/messages/message.ts'
import { shownValue } from '../core/text.ts'
import { asItIs, CellProblem, numberText } from './cells.ts'
import { bothWays, type JsonSchema } from './json-schema.ts'
import { type Kind, ordinary, type ValueInfo } from './kind.ts'
import { BLANK, checkError, choiceMessage, typeError } from './schema-parts.ts'
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
  note: ({ length }) =>
    length === undefined ? message('template.text') : message('template.text_of', { max: length }),
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
  const sent = z.string(typeError(value => message('invalid_text', { value: shownValue(value) })))
  const trimmed = trim ? sent.trim() : sent
  const filled = allowBlank ? trimmed : trimmed.refine(value => value !== '', { ...checkError(BLANK), abort: true })
  const schema = filled.refine(value => !value.includes('\0'), checkError(message('invalid_text.nul')))
  if (length === undefined) return schema
  // Databases count characters, JavaScript counts UTF-16 units. Only long texts need the slow count.
  return schema.refine(
    value => value.length <= length || [...value].length <= length,
    checkError(message('max_length', { max: length })),
  )
}

const DAMAGED = new CellProblem(message('invalid_text.characters'))

function readText(cell: unknown): unknown {
  if (typeof cell === 'string') return cell.isWellFormed() ? cell : DAMAGED
  // Only a transform can return NaN or an infinite number.
  if (typeof cell === 'number') {
    return Number.isFinite(cell) ? numberText(cell) : new CellProblem(message('invalid_text', { value: String(cell) }))
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
    z.enum(
      values as readonly [string, ...string[]],
      typeError(value => choiceMessage(value, values)),
    ),
  plainCheck: ({ values }) => {
    const known = new Set<unknown>(values)
    return value => known.has(value)
  },
  jsonSchema: ({ values = [] }) => bothWays({ type: 'string', enum: values }),
  readText: ({ values }, given) => (values?.includes(given) ? given : undefined),
  textSchema: ({ values = [] }) => ({ type: 'string', enum: values }),
  expected: ({ values = [] }) => message('expected.choice', { choices: values.join(', ') }),
  // Blanks around a choice are none of it, unless the choice has them.
  readCell: (cell, { values = [] }) => {
    const value = readText(cell)
    return typeof value !== 'string' || values.includes(value) ? value : value.trim()
  },
  note: ({ values = [] }) => message('template.choice', { choices: values.join(', ') }),
  examples: ({ values }) => values ?? [],
}
