import { CellProblem } from '../../kinds/cells.ts'
import { noSuchRecord } from '../../model/no-such-record.ts'
import type { ReadRow } from '../../tabular/read/file.ts'
import { sentCells } from '../read/cell-values.ts'
import { plainCell } from '../read/cells.ts'
import { hasFailed, type ImportRow } from '../read/import-row.ts'
import type { ModelReader } from '../read/model-reader.ts'
import type { ImportedSheet, SheetColumn } from '../read/sheet-layout.ts'
import type { ImportResult, UnmatchedText } from '../result.ts'
import type { ForeignKeyLookups } from '../write/write-context.ts'
import { MOST_SUGGESTIONS } from './near-texts.ts'
import { suggestionsFor } from './suggestions.ts'

/** Texts of a column that a report lists. */
const LISTED = 50
/** Texts of a column that are counted, to find the most frequent ones. */
const COUNTED = 1_000
/** No choice and no name of a record is longer. */
const LONGEST = 200

interface CountedText {
  rows: number
  /** The columns in which it matches nothing: a header may feed several. */
  readonly columns: Map<SheetColumn, ModelReader>
}

/** Texts of a file that match no choice or no record of their column, by header. */
export class UnmatchedTexts {
  readonly #found = new Map<string, Map<string, CountedText>>()

  /** @param rows as they are after the import has looked for their records */
  add(sheet: ImportedSheet, read: readonly ReadRow[], rows: readonly ImportRow[]): void {
    const matched = sheet.models.flatMap(({ reader, columns }, model) =>
      columns.flatMap((column, position) => {
        const { at } = column
        return at === undefined || !isMatched(reader, column) ? [] : [{ reader, column, at, model, position }]
      }),
    )
    for (const [which, row] of rows.entries()) {
      if (row.isSkipped || !hasFailed(row)) continue
      const counted = new Set<CountedText>()
      for (const { reader, column, at, model, position } of matched) {
        if (!isUnmatched(reader, column, row, row.cells[model]?.[position])) continue
        const text = this.#textOf(sheet.headers[at]!, textOf(read[which]!, at))
        if (!text) continue
        if (!counted.has(text)) text.rows++
        counted.add(text)
        text.columns.set(column, reader)
      }
    }
  }

  /** With suggestions from the choices and records that the user may see; absent if all texts match. */
  async listed(lookups: ForeignKeyLookups | undefined): Promise<ImportResult['unmatched']> {
    const listed: [string, readonly UnmatchedText[]][] = []
    for (const [header, texts] of this.#found) {
      const most = inMostRows(texts).slice(0, LISTED)
      const suggestions = await suggestionsOf(most, lookups)
      listed.push([
        header,
        most.map(([text, { rows }]) => ({ text, count: rows, suggestions: suggestions.get(text) ?? [] })),
      ])
    }
    return listed.length > 0 ? Object.fromEntries(listed) : undefined
  }

  #textOf(header: string, text: string): CountedText | undefined {
    if (text === '' || text.length > LONGEST) return undefined
    const texts = this.#found.get(header) ?? new Map<string, CountedText>()
    this.#found.set(header, texts)
    const known = texts.get(text)
    if (known) return known
    // Rare texts make room for those that may come often.
    if (texts.size === COUNTED) for (const [rare] of inMostRows(texts).slice(COUNTED / 2)) texts.delete(rare)
    const added: CountedText = { rows: 0, columns: new Map() }
    texts.set(text, added)
    return added
  }
}

function inMostRows(texts: ReadonlyMap<string, CountedText>): readonly (readonly [string, CountedText])[] {
  return [...texts].sort(([, a], [, b]) => b.rows - a.rows)
}

/** Up to three suggestions for each text, of all columns in which it matches nothing. */
async function suggestionsOf(
  texts: readonly (readonly [string, CountedText])[],
  lookups: ForeignKeyLookups | undefined,
): Promise<ReadonlyMap<string, readonly string[]>> {
  const found = new Map<string, readonly string[]>()
  const readers = new Map(texts.flatMap(([, { columns }]) => [...columns]))
  for (const [column, reader] of readers) {
    const asked = texts.flatMap(([text, { columns }]) => (columns.has(column) ? [text] : []))
    const suggested = await suggestionsFor({ reader, column }, asked, lookups)
    for (const [at, text] of asked.entries()) {
      const all = new Set([...(found.get(text) ?? []), ...(suggested[at] ?? [])])
      found.set(text, [...all].slice(0, MOST_SUGGESTIONS))
    }
  }
  return found
}

/** Whether cells of a column name a choice or a record. A cell of links names several. */
function isMatched({ sight }: ModelReader, { plan, isSensitive }: SheetColumn): boolean {
  if (plan.links || isSensitive || sight.secret.has(plan)) return false
  return plan.lookup !== null || plan.column.kind === 'enumeration'
}

function isUnmatched({ plan }: ModelReader, column: SheetColumn, row: ImportRow, cell: unknown): boolean {
  const { lookup } = column.plan
  const errors = row.errors.filter(({ field, model }) => field === column.field && model === plan.key)
  if (cell instanceof CellProblem) return errors.length > 0 && isAboutText(cell)
  if (!lookup || cell === undefined || cell === null || errors.length === 0) return false
  // The record of a model of the same file was looked for when the row was written.
  const text = String(noSuchRecord(lookup.model, lookup.by, cell))
  return errors.some(({ message }) => message === text)
}

const NOT_ABOUT_TEXT: readonly string[] = ['ambiguous', 'invalid.error_cell']

function isAboutText({ text }: CellProblem): boolean {
  return typeof text === 'string' || !NOT_ABOUT_TEXT.includes(text.name)
}

function textOf(row: ReadRow, at: number): string {
  return String(plainCell(sentCells(row)[at]) ?? '').trim()
}
