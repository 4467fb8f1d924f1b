import * as z from 'zod'
import { ValidationError } from '../core/errors.ts'
import { DEFAULT_DEPTH, parseJsonBody } from '../core/json/parse-json-body.ts'
import { message } from '../core/messages/message.ts'
import { asItIs, CellProblem } from './cells.ts'
import { bothWays } from './json-schema.ts'
import { type Kind, ordinary, type ValueInfo } from './kind.ts'
import { anySchema, typeError } from './schema-parts.ts'

export const json: Kind = {
  ...ordinary,
  name: 'json',
  traits: ['mutable'],
  cellForm: 'json',
  schema: anySchema,
  jsonSchema: () => bothWays({}),
  readCell: readJsonCell,
  note: () => message('template.json'),
  examples: () => ['{}', '[]', '""', '1'],
  isSame: (a, b) => JSON.stringify(a) === JSON.stringify(b),
  identity: value => JSON.stringify(value),
}

const NOT_JSON = new CellProblem(message('invalid_json'))

function readJsonCell(cell: unknown): unknown {
  if (typeof cell !== 'string') {
    const value = asItIs(cell)
    return isJson(value) ? value : NOT_JSON
  }
  try {
    return parseJsonBody(Buffer.from(cell))
  } catch (error) {
    if (error instanceof ValidationError) return NOT_JSON
    throw error
  }
}

/** `JSON.stringify` would turn a promise or a map into an empty object. */
function isJson(value: unknown, depth = 0): boolean {
  if (typeof value === 'number') return Number.isFinite(value)
  if (value === null || typeof value === 'string' || typeof value === 'boolean') return true
  if (typeof value !== 'object' || depth > DEFAULT_DEPTH) return false
  if (Array.isArray(value)) return value.every(item => isJson(item, depth + 1))
  const prototype: unknown = Object.getPrototypeOf(value)
  if (prototype !== Object.prototype && prototype !== null) return false
  return Object.values(value).every(item => item === undefined || isJson(item, depth + 1))
}

const TEXT: ValueInfo = { kind: 'text' }

export function arrayKind(kindOf: (info: ValueInfo) => Kind): Kind {
  return {
    ...ordinary,
    name: 'array',
    traits: ['mutable'],
    cellForm: 'json',
    schema: ({ item = TEXT }, context) =>
      z.array(kindOf(item).schema(item, context), typeError(message('not_a_list.items'))),
    jsonSchema: ({ item = TEXT }) => {
      const { input, output, heldAsSent = false } = kindOf(item).jsonSchema(item)
      return { input: { type: 'array', items: input }, output: { type: 'array', items: output }, heldAsSent }
    },
    readCell: readJsonCell,
    note: () => message('template.list'),
    examples: ({ item = TEXT }) => {
      const [example] = kindOf(item).examples(item)
      return [JSON.stringify(example === undefined ? [] : [example]), '[]']
    },
    isSame: (a, b) => JSON.stringify(a) === JSON.stringify(b),
    identity: value => JSON.stringify(value),
  }
}
