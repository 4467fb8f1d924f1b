import { type Message, message } from '../../core/messages/message.ts'
import { asItIs, CellProblem } from '../../kinds/cells.ts'
import { readJsonCell } from '../../kinds/json.ts'
import type { ReadContext, ValueInfo } from '../../kinds/kind.ts'
import { has, kindOf } from '../../kinds/kinds.ts'
import { isSimpleList, looksLikeJsonList, readList } from '../../kinds/list-text.ts'
import { CATALOGUE, textOf } from '../../kinds/schema-parts.ts'
import { emptyCellValue } from '../../model/empty-cell.ts'
import type { ColumnInfo } from '../../model/model-info.ts'
import { type ContextualSchema, storableCheck } from '../../serializer/column-schema.ts'
import { inputExample } from '../../serializer/examples.ts'
import type { ManyField } from '../../serializer/fields.ts'
import { NO_RESULT, SheetError, SheetMoment, SheetNumber } from '../../tabular/read/file.ts'
import { CUT } from '../../tabular/writer.ts'
import type { ImportCell } from '../import-hooks.ts'
import type { ImportColumn, ImportLinks, ImportLookup } from '../plan/plan.ts'
import { comparable } from '../write/comparable.ts'

/** Converts a cell to a record's value or to an error; `undefined` leaves the column to its default. */
export type CellReader = (cell: unknown, context: ReadContext) => unknown

/**
 * Reads cells by a column's type, with the rules and messages of JSON. Text columns keep the text. For other types the
 * text must have exactly one meaning.
 *
 * @param schema the column's own schema, perhaps refined by a serializer
 * @param isRefined whether the schema says more than the column's type
 * @param takesBlank whether an empty cell is the empty text
 */
export function importCellReader(
  column: ColumnInfo,
  schema: ContextualSchema,
  isRefined: boolean,
  takesBlank = false,
): CellReader {
  const { readCell = asItIs } = kindOf(column)
  const isText = has(column, 'text')
  const isPlainlyRight = isRefined ? undefined : storableCheck(column)
  const isEmptyText = emptyTexts(column)
  const emptyCell = emptyCellValue(column)
  return (cell, context) => {
    if (cell === null || cell === undefined || (typeof cell === 'string' && isEmptyText(cell)))
      return takesBlank ? schema(context).parse('') : emptyCell
    const value = readCell(withoutFormat(cell, isText), column)
    if (value instanceof CellProblem || isPlainlyRight?.(value)) return value
    const result = schema(context).safeParse(value, CATALOGUE)
    return result.success ? result.data : new CellProblem(textOf(result.error.issues[0]!))
  }
}

/** The texts that count as an empty cell: empty once blanks are removed, if the column trims. */
function emptyTexts(column: ColumnInfo): (text: string) => boolean {
  const isKept = column.kind === 'text' ? column.trim === false : has(column, 'text')
  return isKept ? text => text === '' : text => text.trim() === ''
}

/**
 * A cell without its number format: the text that people see or the number, as its column needs.
 *
 * @param isText whether the column has texts; `undefined` for a cell of no column
 */
export function withoutFormat<C>(cell: C, isText: boolean | undefined): Exclude<C, SheetNumber> | string | number {
  if (!(cell instanceof SheetNumber)) return cell as Exclude<C, SheetNumber>
  return (isText ?? cell.isCode) ? (cell.shown ?? cell.value) : cell.value
}

/** Whether the cells of a column become texts. */
export function takesText({ plan: { column, lookup } }: { readonly plan: ImportColumn }): boolean {
  return has(lookup?.by ?? column, 'text')
}

/** A cell as people see it. */
export function plainCell(cell: unknown): ImportCell {
  const plain = withoutFormat(cell, true)
  if (plain instanceof SheetError) return plain.error
  return plain instanceof SheetMoment ? plain.text : ((plain as ImportCell | undefined) ?? null)
}

/** @param column its header, if the message would not show it otherwise */
export function errorCellMessage({ error: found }: SheetError, column?: string): Message {
  if (found === NO_RESULT) return message('invalid.no_result')
  const error = found.slice(0, LONGEST_ERROR).toWellFormed()
  return column === undefined
    ? message('invalid.error_cell', { error })
    : message('invalid.error_cell_of', { column, error })
}

const LONGEST_ERROR = 30

export function asCell(value: unknown): unknown {
  if (value === undefined || value === '') return null
  if (typeof value === 'bigint') return String(value)
  return value instanceof Date ? value.toISOString() : value
}

const MOST_NAMES = 1_000
export const TOLD_NAMES = 10

/**
 * Reads a cell that names records. `readOne` reads each; a repeated one counts once. A JSON list, of objects or of
 * names, is accepted too.
 */
export function linksReader(
  { by, ignoreCase }: ImportLookup,
  { separator }: ImportLinks,
  readOne: CellReader,
): CellReader {
  return (cell, context) => {
    const values = new Map<string, unknown>()
    const names = namesIn(cell, separator, by.wire)
    if (names instanceof CellProblem) return names
    if (names.length > MOST_NAMES) return new CellProblem(message('max_length.names', { max: MOST_NAMES }))
    for (const name of names) {
      const value = readOne(name, context)
      if (value instanceof CellProblem)
        return new CellProblem(message('invalid.item', { item: shorten(String(name)), problem: value.text }))
      values.set(comparable(value, by, ignoreCase), value)
    }
    return [...values.values()]
  }
}

/** Reads a cell with a list of records as JSON. An empty cell is no list. The records are validated when they are written. */
export function listReader(list: ManyField): CellReader {
  const notJson = new CellProblem(message('not_a_list.records', { example: listExample(list) }))
  return (cell, context) => {
    if (cell === null || cell === undefined || (typeof cell === 'string' && cell.trim() === '')) return undefined
    if (typeof cell === 'string' && cell.endsWith(CUT)) return new CellProblem(message('not_a_list.cut'))
    const value = readJsonCell(cell)
    if (!Array.isArray(value)) return notJson
    const result = list.schema(context).safeParse(value, CATALOGUE)
    return result.success ? result.data : new CellProblem(textOf(result.error.issues[0]!))
  }
}

/** The JSON of an example list, which the rules of its fields accept as far as they are known. */
export function listExample(list: ManyField, chosen?: ReadonlyMap<ValueInfo, unknown>): string {
  return JSON.stringify(inputExample([list], chosen && (column => chosen.get(column)))?.[list.wire] ?? [])
}

function namesIn(cell: unknown, separator: string, wire: string): readonly unknown[] | CellProblem {
  if (typeof cell === 'string') {
    const names = exportedNames(cell, wire) ?? readList(cell, separator)
    return !(names instanceof CellProblem) && names.includes('') ? new CellProblem(message('blank')) : names
  }
  return [cell]
    .flat()
    .map(name => (typeof name === 'string' ? name.trim() : name))
    .filter(name => name !== '' && name !== null && name !== undefined)
}

function exportedNames(text: string, wire: string): readonly unknown[] | undefined {
  if (!looksLikeJsonList(text)) return undefined
  try {
    const list: unknown = JSON.parse(text)
    const isRecord = (item: unknown) => typeof item === 'object' && item !== null && Object.hasOwn(item, wire)
    if (isSimpleList(list)) return list
    return Array.isArray(list) && list.every(isRecord) ? list.map(item => item[wire]) : undefined
  } catch {
    return undefined
  }
}

function shorten(text: string): string {
  return text.length > 50 ? `${text.slice(0, 50).toWellFormed()}...` : text
}

/** The lookup values of a cell: one for a foreign key, several for links. */
export function lookedUp(cell: unknown, links: ImportLinks | undefined): readonly unknown[] {
  if (cell === null || cell === undefined || cell instanceof CellProblem) return []
  return links ? (cell as readonly unknown[]) : [cell]
}
