import * as z from 'zod'
import { asItIs, CellProblem } from './cells.ts'
import { bothWays } from './json-schema.ts'
import { type Kind, ordinary } from './kind.ts'
import { typeError } from './schema-parts.ts'

export const boolean: Kind = {
  ...ordinary,
  name: 'boolean',
  traits: ['comparable', 'truth', 'item'],
  tabular: 'boolean',
  schema: () => z.boolean(typeError('Must be a valid boolean.')),
  plainCheck: () => value => typeof value === 'boolean',
  jsonSchema: () => bothWays({ type: 'boolean' }),
  readText: (_info, text) => readBoolean(text),
  expected: () => 'true or false',
  textSchema: () => ({ type: 'boolean' }),
  readCell,
  note: () => 'true or false.',
  examples: () => [true, false],
}

/** DRF's words. A browser sends `on` for a ticked box. */
const WORDS: ReadonlyMap<string, boolean> = new Map([
  ...['true', 't', 'yes', 'y', 'on', '1'].map(word => [word, true] as const),
  ...['false', 'f', 'no', 'n', 'off', '0'].map(word => [word, false] as const),
])

/** In any case; `undefined` for other texts. */
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
  return CELL_WORDS.get(word) ?? new CellProblem('Must be a valid boolean: true or false, yes or no, 1 or 0.')
}
