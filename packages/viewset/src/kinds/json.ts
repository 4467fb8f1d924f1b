import * as z from 'zod'
import { ValidationError } from '../core/errors.ts'
import { DEFAULT_DEPTH, parseJsonBody } from '../core/json/parse-json-body.ts'
import { type Message, message } from '../core/messages/message.ts'
import { shorten } from '../core/text.ts'
import { SheetMoment } from '../tabular/read/file.ts'
import { asItIs, CellProblem } from './cells.ts'
import { bothWays } from './json-schema.ts'
import { type Kind, ordinary, type ValueInfo } from './kind.ts'
import { isSimpleList, listText, looksLikeJsonList, readList } from './list-text.ts'
import { anySchema, jsonType, typeError } from './schema-parts.ts'

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

/** A `CellProblem` for a cell that is not JSON. */
export function readJsonCell(cell: unknown): unknown {
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

function notAList(value: unknown): Message {
  return message('not_a_list.items', { found: jsonType(value) })
}

export function arrayKind(kindOf: (info: ValueInfo) => Kind): Kind {
  return {
    ...ordinary,
    name: 'array',
    traits: ['mutable'],
    cellForm: 'list',
    emptyCell: () => [],
    schema: ({ item = TEXT }, context) => z.array(kindOf(item).schema(item, context), typeError(notAList)),
    jsonSchema: ({ item = TEXT }) => {
      const { input, output, heldAsSent = false } = kindOf(item).jsonSchema(item)
      return { input: { type: 'array', items: input }, output: { type: 'array', items: output }, heldAsSent }
    },
    readCell: (cell, { item = TEXT }) => readListCell(cell, kindOf(item), item),
    note: () => message('template.list'),
    examples: ({ item = TEXT }) => {
      const items = kindOf(item).examples(item).slice(0, 1)
      return [...(isSimpleList(items) && items.length > 0 ? [listText(items)] : []), EMPTY_LIST]
    },
    isSame: (a, b) => JSON.stringify(a) === JSON.stringify(b),
    identity: value => JSON.stringify(value),
  }
}

/** The text of an empty list in a column whose empty cells mean something else. */
export const EMPTY_LIST = '[]'

/** Reads `a, b`, a JSON list, or a typed cell with one item. */
function readListCell(cell: unknown, itemKind: Kind, info: ValueInfo): unknown {
  if (typeof cell === 'object' && !(cell instanceof SheetMoment)) return readJsonCell(cell)
  if (typeof cell === 'string' && looksLikeJsonList(cell)) {
    const list = readJsonCell(cell)
    return list === NOT_JSON ? NO_LIST : list
  }
  const texts = typeof cell === 'string' ? readList(cell) : [cell]
  if (texts instanceof CellProblem) return texts
  const items: unknown[] = []
  for (const text of texts) {
    const item = itemKind.readCell ? itemKind.readCell(text, info) : asItIs(text)
    if (item instanceof CellProblem) {
      return new CellProblem(message('invalid.item', { item: shorten(String(asItIs(text))), problem: item.text }))
    }
    items.push(item)
  }
  return items
}

const NO_LIST = new CellProblem(message('not_a_list.json'))
