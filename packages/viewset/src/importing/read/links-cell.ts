import { CellProblem } from '../../kinds/cells.ts'
import type { ImportLinks, ImportLookup } from '../plan/plan.ts'
import { comparable } from '../write/comparable.ts'
import type { CellReader } from './cells.ts'

/** Records that a cell may name. */
const MOST_NAMES = 1_000
/** Names of a cell that are told to be wrong: the first of them. */
export const TOLD_NAMES = 10

/**
 * Reads a cell that names records, each as `readOne` reads a cell; the same one twice is named once. What an export
 * writes of such a relation, a list as JSON, is read as well.
 */
export function linksReader(
  { by, ignoreCase }: ImportLookup,
  { separator }: ImportLinks,
  readOne: CellReader,
): CellReader {
  return (cell, context) => {
    const values = new Map<string, unknown>()
    const names = namesIn(cell, separator, by.wire)
    if (names.length > MOST_NAMES) return new CellProblem(`Ensure this field names no more than ${MOST_NAMES} records.`)
    for (const name of names) {
      const value = readOne(name, context)
      if (value instanceof CellProblem) return new CellProblem(`"${shorten(String(name))}": ${value.message}`)
      values.set(comparable(value, by, ignoreCase), value)
    }
    return [...values.values()]
  }
}

/** The cells that a cell stands for: its parts, those of a list that a transform gives, or those of an export's. */
function namesIn(cell: unknown, separator: string, wire: string): readonly unknown[] {
  const names = typeof cell === 'string' ? (exportedNames(cell, wire) ?? cell.split(separator)) : [cell].flat()
  return names
    .map(name => (typeof name === 'string' ? name.trim() : name))
    .filter(name => name !== '' && name !== null && name !== undefined)
}

/** The names in a list of records as JSON; `undefined` for any other text, however much it looks like one. */
function exportedNames(text: string, wire: string): readonly unknown[] | undefined {
  if (!/^\s*\[\s*[{\]]/.test(text)) return undefined
  try {
    const list: unknown = JSON.parse(text)
    const isRecord = (item: unknown) => typeof item === 'object' && item !== null && Object.hasOwn(item, wire)
    return Array.isArray(list) && list.every(isRecord) ? list.map(item => item[wire]) : undefined
  } catch {
    return undefined
  }
}

function shorten(text: string): string {
  return text.length > 50 ? `${text.slice(0, 50).toWellFormed()}...` : text
}

/** What the records that a cell refers to are looked up by: one of a foreign key, any number of links. */
export function lookedUp(cell: unknown, links: ImportLinks | undefined): readonly unknown[] {
  if (cell === null || cell === undefined || cell instanceof CellProblem) return []
  return links ? (cell as readonly unknown[]) : [cell]
}
