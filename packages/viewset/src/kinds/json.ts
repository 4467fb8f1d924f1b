import { ValidationError } from '../core/errors.ts'
import { DEFAULT_DEPTH, parseJsonBody } from '../core/json/parse-json-body.ts'
import { asItIs, CellProblem } from './cells.ts'
import { bothWays } from './json-schema.ts'
import type { Kind } from './kind.ts'
import { ordinary } from './ordinary.ts'
import { anySchema } from './schema-parts.ts'

export const json: Kind = {
  ...ordinary,
  name: 'json',
  traits: ['mutable'],
  cellForm: 'json',
  schema: anySchema,
  jsonSchema: () => bothWays({}),
  readCell: readJsonCell,
  note: () => 'JSON.',
  examples: () => ['{}', '[]', '""', '1'],
  isSame: (a, b) => JSON.stringify(a) === JSON.stringify(b),
  identity: value => JSON.stringify(value),
}

/** The JSON in a cell, or what a transform has made of it. */
export function readJsonCell(cell: unknown): unknown {
  if (typeof cell !== 'string') {
    const value = asItIs(cell)
    return isJson(value) ? value : new CellProblem('Value must be valid JSON.')
  }
  try {
    return parseJsonBody(Buffer.from(cell))
  } catch (error) {
    if (error instanceof ValidationError) return new CellProblem('Value must be valid JSON.')
    throw error
  }
}

/** Whether it is what a transform may return for JSON: of a promise or a map, `JSON.stringify` would make an empty object. */
function isJson(value: unknown, depth = 0): boolean {
  if (typeof value === 'number') return Number.isFinite(value)
  if (value === null || typeof value === 'string' || typeof value === 'boolean') return true
  if (typeof value !== 'object' || depth > DEFAULT_DEPTH) return false
  if (Array.isArray(value)) return value.every(item => isJson(item, depth + 1))
  const prototype: unknown = Object.getPrototypeOf(value)
  if (prototype !== Object.prototype && prototype !== null) return false
  return Object.values(value).every(item => item === undefined || isJson(item, depth + 1))
}
