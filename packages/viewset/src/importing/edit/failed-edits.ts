import { tabularType } from '../../exporting/cells.ts'
import type { ReadContext } from '../../kinds/kind.ts'
import { kindOf } from '../../kinds/kinds.ts'
import { keyProjection } from '../../store/projection.ts'
import type { QuerySet } from '../../store/queryset.ts'
import { keyIn } from '../../store/row-order.ts'
import { type ReadCell, type ReadRow, SheetMoment } from '../../tabular/read/file.ts'
import { type CellRow, type PlainCell, type TabularKind, WrongCell } from '../../tabular/table.ts'
import { isExact } from '../../tabular/xlsx/cells.ts'
import type { CellNote } from '../../tabular/xlsx/notes.ts'
import type { Sheet } from '../../tabular/xlsx/write.ts'
import type { KeptRows, RowErrors } from '../failed/failed-rows.ts'
import { columnOfErrors, errorsText, inGrey, isCorrect, MOST_NOTES } from '../failed/write-failed-rows.ts'
import { headerKey } from '../plan/headers.ts'
import type { ImportColumn } from '../plan/plan.ts'
import { takesText, withoutFormat } from '../read/cells.ts'
import type { SheetColumn } from '../read/sheet-layout.ts'
import type { ImportRowError } from '../result.ts'
import { seenRecords } from '../write/diff.ts'
import type { WriteContext } from '../write/write-context.ts'
import { baseSheet, type NewBaseRow } from './base-sheet.ts'
import { NOT_WHOLE, stateOf } from './edit-cells.ts'
import { baseRow, columnOfIds } from './edit-file.ts'
import type { EditPlan } from './edit-plan.ts'
import type { EditedRows } from './edited-rows.ts'
import { markTabularColumn } from './marks.ts'
import type { OnConflict } from './on-conflict.ts'
import type { FileColumns } from './read-only-columns.ts'

export interface FailedEdits {
  readonly edit: EditPlan
  readonly edited: EditedRows
  readonly errors: RowErrors
  readonly errorsColumn: string
  /** The names of columns that no file of failed rows may have, as {@link headerKey} makes them. */
  readonly sensitive: readonly string[]
  readonly kept: KeptRows
  readonly onConflict: OnConflict
  /** The records whose present values the file may have. */
  readonly queryset: QuerySet
  readonly lookups: Pick<WriteContext, 'all' | 'lookups'>
  readonly context: ReadContext
  /** The columns for reading only. */
  readonly others: FileColumns
}

/**
 * The failed rows of an edited file, as a file to edit. It has the edited cells, the present values of all others, and
 * the columns that people have added. Its base has the present values: if it is imported again, the edited cells count.
 * So a cell in which the database counts has the present value already, and a mark that it has overruled is empty.
 */
export async function* failedEditSheets(failed: FailedEdits): AsyncGenerator<Sheet> {
  const { edited, errors, errorsColumn } = failed
  const { layout, base } = edited
  const { changing, creating } = layout
  const { id, mark } = base
  const marks = mark === undefined ? [] : [markTabularColumn(mark)]
  const keys = new Set([...changing.models, ...creating.models].map(({ reader }) => reader.plan.key))
  const ofRows = new Map<number, ImportRowError[]>()
  for await (const error of errors([...keys])) ofRows.set(error.row, [...(ofRows.get(error.row) ?? []), error])
  const edit = { ...failed.edit, columns: failed.edit.columns.filter(({ header }) => base.headers.has(header)) }
  const columns = edit.columns.map(column => ({
    field: column.header,
    header: base.headers.get(column.header) ?? column.header,
    kind: 'mixed' as const,
  }))
  const written = [...marks, ...columns]
  const others = base.others.map(header => ({ header, kind: 'mixed' as const, isLocked: true }))
  const sheet = layout.file.sheets[changing.position]
  const isSensitive = (at: number) => failed.sensitive.includes(headerKey(sheet?.header[at] ?? ''))
  const addedAt = layout.added.filter(at => !isSensitive(at))
  const added = addedAt.map(at => ({ header: sheet?.header[at] ?? '', kind: 'mixed' as const }))
  const read = [...new Set([...changing.columns, ...addedAt])]
  const fresh: NewBaseRow[][] = []
  const notes: CellNote[] = []
  async function* visible(): AsyncGenerator<readonly CellRow[]> {
    let rowNumber = 1
    for await (const rows of sheet?.rows(read) ?? []) {
      const left = rows.filter(({ row }) => failed.kept !== 'failed' || ofRows.has(row))
      // Without its base, a row with a wrong key fails again.
      const known = left.filter(
        ({ row }) => !ofRows.get(row)?.some(({ field }) => field === edit.changing.columns[0]?.plan.header),
      )
      const present = await presentRows({ ...failed, edit }, known)
      fresh.push([...present.values()])
      yield left.map(row => {
        rowNumber++
        const reasons = ofRows.get(row.row) ?? []
        const key = edited.keyOf(row)
        const mark = isOverruled({ ...failed, edit }, row, present) ? null : edited.markCell(row)
        const cells = [...marks.map(() => mark), ...cellsOf({ ...failed, edit }, row, present)]
        const readOnly = present.get(key)?.others ?? othersOf(edited, key)
        const ofPeople = addedAt.map(at => row.cells[read.indexOf(at)] ?? null)
        if (isCorrect(reasons, failed.kept)) return inGrey([null, key, ...cells, ...readOnly, ...ofPeople])
        const marked = cells.map((cell, at) => {
          const texts = reasons.filter(({ column }) => column === written[at]?.header).map(({ message }) => message)
          if (texts.length === 0) return cell
          if (notes.length < MOST_NOTES) notes.push({ row: rowNumber, column: at + 2, text: texts.join('\n') })
          return new WrongCell(cell)
        })
        return [errorsText(reasons), key, ...marked, ...inGrey(readOnly), ...ofPeople]
      })
    }
  }
  const ofErrors = columnOfErrors(errorsColumn, true)
  const shown = [ofErrors, columnOfIds(base.id), ...written, ...others, ...added]
  yield { name: changing.name, columns: shown, rows: visible(), notes }
  yield baseSheet({ model: base.model, id, ...(mark !== undefined && { mark }), others }, columns, () => fresh)
}

/** The rows of a base with the present values, by the text of their key. */
async function presentRows(
  { edit, edited, queryset, lookups, context, others }: FailedEdits,
  rows: readonly ReadRow[],
): Promise<ReadonlyMap<string, NewBaseRow>> {
  const { primaryKey } = queryset.model
  const keys = rows.flatMap(row => kindOf(primaryKey).readKey(primaryKey, edited.keyOf(row)) ?? [])
  const decode = queryset.database.dialect.decoder(primaryKey)
  const visible = (await queryset.withKeys(keyProjection(queryset.model), keys)).map(([key]) => decode(key))
  const found = await seenRecords(lookups, edit.changing, visible)
  const shown = await others.cellsOf(queryset, visible)
  return new Map(
    [...found.values()].map(record => {
      const key = String(keyIn(queryset.model, record.values))
      const cells = presentOthers(edited, key, shown.get(key) ?? [], others.kinds)
      return [key, withTypes(edit, baseRow(edit, key, record, context, cells))]
    }),
  )
}

/** The cells for reading only, with their states. Those of a column that is gone are as they were exported. */
function presentOthers(
  { base }: EditedRows,
  key: string,
  present: readonly (PlainCell | undefined)[],
  kinds: FileColumns['kinds'],
): { readonly cells: readonly PlainCell[]; readonly states: readonly string[] } {
  const { others = [], states = [] } = base.rows.get(key) ?? {}
  const cells = base.others.map((_, at) => {
    const [cell, kind] = [present[at], kinds[at]]
    if (cell === undefined) return others[at] ?? null
    return kind && typeof cell === 'string' ? typedCell(kind, cell) : cell
  })
  const first = states.length - base.others.length
  return {
    cells,
    states: cells.map((_, at) =>
      present[at] === undefined ? (states[first + at] ?? NOT_WHOLE) : stateOf(present[at]),
    ),
  }
}

/** The cells for reading only as they were exported; empty for a new record. */
function othersOf({ base }: EditedRows, key: string): readonly ReadCell[] {
  return base.rows.get(key)?.others ?? base.others.map(() => null)
}

/** The edited cells of a row, and the present values of the others. */
function cellsOf(
  { edit, edited, context, onConflict }: FailedEdits,
  row: ReadRow,
  present: ReadonlyMap<string, NewBaseRow>,
): readonly PlainCell[] {
  const key = edited.keyOf(row)
  const [base, now] = [edited.base.rows.get(key), present.get(key)]
  const found = base && edited.editedCells(row, base, context, NONE)
  return edit.columns.map((column, index) => {
    const place = edited.model.columns.findIndex(({ plan }) => plan === column)
    const at = edited.model.columns[place]?.at
    const own = at === undefined ? null : withoutFormat(row.cells[at] ?? null, takesText({ plan: column }))
    if (!now || !found) return own
    const edit = found.find(({ at }) => at === place)
    const isTheirs = edit !== undefined && onConflict === 'theirs' && edit.state !== now.states[index]
    return edit && !isTheirs ? own : (now.cells[index] ?? null)
  })
}

/** Whether a row keeps its mark for deletion in vain: its record has changed since the export, and that counts. */
function isOverruled(
  { edit, edited, onConflict }: FailedEdits,
  row: ReadRow,
  present: ReadonlyMap<string, NewBaseRow>,
): boolean {
  if (onConflict !== 'theirs' || edited.markOf(row) !== 'deletes') return false
  const key = edited.keyOf(row)
  const [base, now] = [edited.base.rows.get(key), present.get(key)]
  if (!base || !now) return false
  // Only these columns are in the new base, in the order of the file.
  const fields = [...edited.base.headers.keys()]
  const written = edit.columns.map(({ header }) => base.states[fields.indexOf(header)])
  const others = base.states.slice(fields.length)
  const before = [...written, ...others, ...(base.version === undefined ? [] : [base.version])]
  return now.states.some((state, at) => before[at] !== undefined && before[at] !== NOT_WHOLE && state !== before[at])
}

const NONE: ReadonlySet<SheetColumn> = new Set()

/** In a column of mixed cells, each cell says its type. */
function withTypes({ columns }: EditPlan, row: NewBaseRow): NewBaseRow {
  const cells = row.cells.map((cell, at) => {
    const { column, lookup, links } = columns[at] as ImportColumn
    return links || typeof cell !== 'string' ? cell : typedCell(tabularType(lookup?.by ?? column).kind, cell)
  })
  return { ...row, cells }
}

function typedCell(kind: TabularKind, text: string): PlainCell {
  if (kind === 'date' || (kind === 'timestamp' && !text.endsWith('Z'))) return new SheetMoment(text)
  const isNumber = kind === 'integer' || kind === 'decimal' || kind === 'float'
  return isNumber && isExact(text) ? Number(text) : text
}
