import * as z from 'zod'
import { message } from '../core/messages/message.ts'
import { shownValue } from '../core/text.ts'
import { asItIs, CellProblem } from './cells.ts'
import { bothWays } from './json-schema.ts'
import { type Kind, ordinary } from './kind.ts'
import { typeError } from './schema-parts.ts'

export const boolean: Kind = {
  ...ordinary,
  name: 'boolean',
  traits: ['comparable', 'truth', 'item'],
  tabular: 'boolean',
  schema: () => z.boolean(typeError(value => message('invalid_boolean', { value: shownValue(value) }))),
  plainCheck: () => value => typeof value === 'boolean',
  jsonSchema: () => bothWays({ type: 'boolean' }),
  readText: (_info, text) => readBoolean(text),
  expected: () => message('expected.boolean'),
  textSchema: () => ({ type: 'boolean' }),
  readCell,
  note: () => message('template.boolean'),
  examples: () => [true, false],
}

/** DRF's words. A browser sends `on` for a ticked box. */
const WORDS: ReadonlyMap<string, boolean> = new Map([
  ...['true', 't', 'yes', 'y', 'on', '1'].map(word => [word, true] as const),
  ...['false', 'f', 'no', 'n', 'off', '0'].map(word => [word, false] as const),
])

/** The boolean of a word, in upper or lower case; `undefined` for other texts. */
export function readBoolean(text: string): boolean | undefined {
  return WORDS.get(text.toLowerCase())
}

const CELL_WORDS: ReadonlyMap<string, boolean> = new Map([
  ...['true', '1', 'yes'].map(word => [word, true] as const),
  ...['false', '0', 'no'].map(word => [word, false] as const),
])

function readCell(cell: unknown): unknown {
  if (typeof cell === 'boolean') return cell
  const word = String(asItIs(cell)).trim().toLowerCase()
  return CELL_WORDS.get(word) ?? new CellProblem(message('invalid_boolean.cell', { value: shownValue(asItIs(cell)) }))
}
