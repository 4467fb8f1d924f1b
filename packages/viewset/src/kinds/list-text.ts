import { message } from '../core/messages/message.ts'
import { CUT } from '../tabular/writer.ts'
import { CellProblem } from './cells.ts'

export type SimpleItem = string | number | bigint | boolean

const LIST_SEPARATOR = ','

export function isSimpleList(value: unknown): value is readonly SimpleItem[] {
  return Array.isArray(value) && value.every(item => ['string', 'number', 'bigint', 'boolean'].includes(typeof item))
}

/**
 * The items of a list in one cell. An item that {@link readList} would read otherwise is in quotes, as in CSV.
 *
 * @example
 * listText(['a', 'b, c', 5]) // 'a, "b, c", 5'
 */
export function listText(items: readonly SimpleItem[], separator = LIST_SEPARATOR): string {
  const between = separator.trim() === separator ? `${separator} ` : separator
  return items.map(item => listItem(String(item), separator)).join(between)
}

function listItem(text: string, separator: string): string {
  const isPlain =
    text !== '' &&
    text.trim() === text &&
    // A bracket would begin JSON.
    !/^["[]/.test(text) &&
    // The end of an item and a separator can look like another separator: `a;` before `;;`.
    ![...separator.trim()].some(character => text.includes(character)) &&
    !text.endsWith(CUT)
  return isPlain ? text : `"${text.replaceAll('"', '""')}"`
}

/** Reads the text of {@link listText}. Empty items count only in quotes. */
export function readList(text: string, separator = LIST_SEPARATOR): readonly string[] | CellProblem {
  if (text.endsWith(CUT)) return new CellProblem(message('not_a_list.cut'))
  const items: string[] = []
  for (let at = 0; at < text.length; ) {
    const start = at + text.slice(at).search(/\S|$/)
    const isQuoted = text[start] === '"'
    const end = isQuoted ? closingQuote(text, start) + 1 : start
    if (isQuoted && end === 0) return new CellProblem(message('not_a_list.quote', { separator }))
    const next = text.indexOf(separator, end)
    const rest = text.slice(end, next === -1 ? text.length : next).trim()
    if (isQuoted && rest !== '') return new CellProblem(message('not_a_list.quote', { separator }))
    if (isQuoted) items.push(text.slice(start + 1, end - 1).replaceAll('""', '"'))
    else if (rest !== '') items.push(rest)
    at = next === -1 ? text.length : next + separator.length
  }
  return items
}

/** No text of {@link listText} begins with a bracket. */
export function looksLikeJsonList(text: string): boolean {
  const seen = text.trim()
  return seen.startsWith('[') && seen.endsWith(']')
}

/** -1 if there is none. */
function closingQuote(text: string, start: number): number {
  for (let at = text.indexOf('"', start + 1); at !== -1; at = text.indexOf('"', at + 2)) {
    if (text[at + 1] !== '"') return at
  }
  return -1
}
