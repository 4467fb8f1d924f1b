import { CellProblem } from '../../kinds/cells.ts'
import { noSuchRecord } from '../../model/no-such-record.ts'
import type { ReadRow } from '../../tabular/read/file.ts'
import { sentCells } from '../read/cell-values.ts'
import { plainCell } from '../read/cells.ts'
import type { ImportRow } from '../read/import-row.ts'
import type { ModelReader } from '../read/model-reader.ts'
import type { ImportedSheet, SheetColumn } from '../read/sheet-layout.ts'
import type { ImportResult, UnmatchedText } from '../result.ts'
import type { ForeignKeyLookups } from '../write/write-context.ts'
import { suggestionsFor, type UnmatchedColumn } from './suggestions.ts'

/** Texts of a column that a report lists. */
const LISTED = 50
/** Texts of a column that are counted, to find the most frequent ones. */
const COUNTED = 1_000
/** No choice and no name of a record is longer. */
const LONGEST = 200

interface Found extends UnmatchedColumn {
  readonly texts: Map<string, number>
}

/** Texts of a file that match no choice or no record of their column, by header. */
export class UnmatchedTexts {
  readonly #found = new Map<string, Found>()

  /** @param rows as they are after the import has looked for their records */
  add(sheet: ImportedSheet, read: readonly ReadRow[], rows: readonly ImportRow[]): void {
    for (const [index, { reader, columns }] of sheet.models.entries()) {
      for (const [position, column] of columns.entries()) {
        const { at } = column
        if (at === undefined || !isMatched(reader, column)) continue
        for (const [which, row] of rows.entries()) {
          if (!isUnmatched(reader, column, row, row.cells[index]?.[position])) continue
          this.#count(sheet.headers[at]!, { reader, column }, textOf(read[which]!, at))
        }
      }
    }
  }

  /** With suggestions from the choices and records that the user may see; absent if all texts match. */
  async listed(lookups: ForeignKeyLookups | undefined): Promise<ImportResult['unmatched']> {
    const listed: [string, readonly UnmatchedText[]][] = []
    for (const [header, { texts, ...column }] of this.#found) {
      const most = [...texts].sort(([, a], [, b]) => b - a).slice(0, LISTED)
      const suggestions = await suggestionsFor(
        column,
        most.map(([text]) => text),
        lookups,
      )
      const values = most.map(([text, count], at) => ({ text, count, suggestions: suggestions[at] ?? [] }))
      listed.push([header, values])
    }
    return listed.length > 0 ? Object.fromEntries(listed) : undefined
  }

  #count(header: string, column: UnmatchedColumn, text: string): void {
    if (text === '' || text.length > LONGEST) return
    const { texts } = this.#found.get(header) ?? { texts: new Map<string, number>() }
    const count = texts.get(text) ?? 0
    if (count === 0 && texts.size === COUNTED) return
    texts.set(text, count + 1)
    if (!this.#found.has(header)) this.#found.set(header, { ...column, texts })
  }
}

/** Whether cells of a column name a choice or a record. A cell of links names several. */
function isMatched({ sight }: ModelReader, { plan, isSensitive }: SheetColumn): boolean {
  if (plan.links || isSensitive || sight.secret.has(plan)) return false
  return plan.lookup !== null || plan.column.kind === 'enumeration'
}

function isUnmatched({ plan }: ModelReader, column: SheetColumn, row: ImportRow, cell: unknown): boolean {
  if (row.isSkipped || row.errors.length === 0) return false
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
