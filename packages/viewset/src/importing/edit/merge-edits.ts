import { NON_FIELD_ERRORS } from '../../core/errors.ts'
import { message, type Text } from '../../core/messages/message.ts'
import { shownValue } from '../../core/text.ts'
import { CellProblem } from '../../kinds/cells.ts'
import type { ReadContext } from '../../kinds/kind.ts'
import { kindOf } from '../../kinds/kinds.ts'
import { EMPTY_CELL } from '../../model/empty-cell.ts'
import type { Database } from '../../store/connection/database.ts'
import { keyProjection } from '../../store/projection.ts'
import { keyText } from '../../store/row-order.ts'
import type { ReadCell, ReadRow } from '../../tabular/read/file.ts'
import { type MarkedDeletions, skipRow } from '../import-hooks.ts'
import { asCell } from '../read/cells.ts'
import { hasFailed, type ImportRow, rowError } from '../read/import-row.ts'
import { type OpenRow, RowPreparation } from '../read/prepare-rows.ts'
import { failWarned, type RowReading, readCell, readRows } from '../read/read-rows.ts'
import type { RowSource } from '../read/row-source.ts'
import { skippedRow } from '../read/rows-without-record.ts'
import type { SheetColumn, SheetModel } from '../read/sheet-layout.ts'
import type { ImportRowProblem } from '../result.ts'
import type { Outcomes } from '../tally.ts'
import { allOutcomes } from '../write/counts.ts'
import { type SeenRecord, seenRecords, withUnchanged } from '../write/diff.ts'
import type { WriteContext } from '../write/write-context.ts'
import { writeRows } from '../write/write-rows.ts'
import type { BaseRow } from './base-sheet.ts'
import { conflictMessage, conflictOf, isSameValue } from './conflicts.ts'
import { isEmptyCell, isSameCell, NOT_WHOLE, rowState, stateIn } from './edit-cells.ts'
import { type EditLayout, fixedOf } from './edit-layout.ts'
import type { EditPlan } from './edit-plan.ts'
import type { EditedCell, EditedRows } from './edited-rows.ts'
import { editedMark, type MarkedRow, MarkedRows, markedWithoutKey, repeatedMark, unclearMark } from './marked-rows.ts'
import type { OnConflict } from './on-conflict.ts'
import type { FileColumns } from './read-only-columns.ts'

const BATCH = 1_000

/** How the cells of an edited file are read. */
export interface EditReading {
  readonly reading: RowReading
  /** Columns whose values no file can choose. */
  readonly fixed: ReadonlySet<SheetColumn>
}

/** The rows of an edited file, by what happens to them. */
interface MergedRows {
  readonly deleted: readonly ImportRow[]
  readonly changed: readonly ImportRow[]
  readonly created: readonly ImportRow[]
  /** Rows without a change of the file. */
  readonly unchanged: readonly ImportRow[]
  /** Rows that nothing is done with. */
  readonly skipped: readonly ImportRow[]
}

interface ReadEdit extends EditedCell {
  readonly value: unknown
}

interface EditedRow {
  readonly row: ReadRow
  readonly key: unknown
  readonly cells: readonly ReadEdit[]
  readonly warnings: ImportRowProblem[]
}

/** Merges an edited file with its base and with the database. */
export class EditMerge {
  readonly #edited: EditedRows
  readonly #edit: EditPlan
  readonly #onConflict: OnConflict
  readonly #model: SheetModel
  /** Keys of several rows. */
  readonly #repeated = new Set<string>()
  /** Keys of several rows that are not equal. */
  readonly #ambiguous = new Set<string>()
  /** The first row of each key. */
  readonly #seen = new Map<string, { readonly row: number; readonly state: string }>()
  /** The columns for reading only in which each row was edited. */
  readonly #editedOthers = new Map<number, readonly string[]>()
  /** The first row of each of these columns. */
  readonly #firstEdit = new Map<string, number>()
  /** The keys of marked rows that delete their records, if no other row has the key. */
  readonly #marked: string[] = []
  /** The headers of edited cells of marked rows, by the number of the row. */
  readonly #editedMarks = new Map<number, readonly string[]>()
  #marks: MarkedRows

  constructor(edit: EditPlan, edited: EditedRows, onConflict: OnConflict) {
    this.#edit = edit
    this.#edited = edited
    this.#onConflict = onConflict
    this.#model = edited.model
    this.#marks = new MarkedRows(edited, onConflict)
  }

  /**
   * Reads the keys and marks of all rows. Records of the base without a row stay as they are.
   *
   * @param onRows gets the rows
   */
  async readKeys(
    rows: RowSource,
    context: ReadContext,
    onRows: (rows: readonly ReadRow[]) => void = () => {},
  ): Promise<void> {
    for (let batch = await rows.take(BATCH); batch; batch = await rows.take(BATCH)) {
      onRows(batch.rows)
      for (const row of batch.rows) {
        const key = this.#edited.keyOf(row)
        const exported = this.#edited.base.rows.get(key)
        const isMarked = exported !== undefined && this.#edited.markOf(row) === 'deletes'
        // An edited cell of a marked row is an error.
        const others = isMarked ? [] : this.#edited.editedOthers(row, exported)
        if (others.length > 0) this.#editedOthers.set(row.row, others)
        for (const header of others) if (!this.#firstEdit.has(header)) this.#firstEdit.set(header, row.row)
        if (key === '') continue
        const state = rowState(row)
        const first = this.#seen.get(key)
        if (!first) this.#seen.set(key, { row: row.row, state })
        else this.#repeated.add(key)
        if (first && first.state !== state) this.#ambiguous.add(key)
        if (!isMarked) continue
        const columns = this.#edited.editedHeaders(row, exported, context)
        if (columns.length > 0) this.#editedMarks.set(row.row, columns)
        else this.#marked.push(key)
      }
    }
  }

  /** The number of marked rows that would delete a record. */
  get marked(): number {
    return this.#marked.filter(key => !this.#repeated.has(key)).length
  }

  /** The header of the marks. */
  get mark(): string | undefined {
    return this.#edited.base.mark
  }

  /** The headers of exported columns that the file has no longer. */
  get lost(): readonly string[] {
    return this.#edited.layout.missing
  }

  /** @param others the columns for reading only, whose changes are conflicts */
  deleteOnly(deletions: MarkedDeletions, others: FileColumns): void {
    this.#marks = new MarkedRows(this.#edited, this.#onConflict, deletions, others)
  }

  /** The number of exported records that the file has no longer. */
  get missing(): number {
    return [...this.#edited.base.rows.keys()].filter(key => !this.#seen.has(key)).length
  }

  /**
   * Writes what was edited. A deletion or a change may release a unique value that the next step wants, and a change may
   * release a record that a deletion wants.
   */
  async write(
    database: Database,
    context: WriteContext,
    rows: readonly ReadRow[],
    edited: EditReading,
  ): Promise<{ readonly rows: readonly ImportRow[]; readonly outcomes: Outcomes }> {
    const { deleted, changed, created, unchanged, skipped } = await this.#merge(context, rows, edited)
    const { changing, creating } = this.#edited.layout
    const first = await this.#marks.write(database, context, deleted)
    const ofChanges = await writeRows(database, context, changing, changed)
    const ofMarks = ofChanges.updated > 0 ? await this.#marks.writeAgain(database, context, deleted, first) : first
    const ofNew = await writeRows(database, context, creating, created)
    const left = unchanged.filter(row => !hasFailed(row))
    const outcomes = allOutcomes(allOutcomes(ofMarks, ofChanges), ofNew)
    if (context.diff) context.diff.value = withUnchanged(context.diff.value, left.length)
    return {
      rows: [...deleted, ...changed, ...created, ...unchanged, ...skipped].sort((a, b) => a.number - b.number),
      outcomes: { ...outcomes, unchanged: outcomes.unchanged + left.length },
    }
  }

  /**
   * A row that fails or is left out because of its key or its mark, as far as the file shows it; `undefined` for others.
   * {@link EditMerge.readKeys} comes before.
   */
  refused(row: ReadRow): ImportRow | undefined {
    const [key, mark] = [this.#edited.keyOf(row), this.#edited.markOf(row)]
    if (mark === 'unclear') return unclearMark(this.#edited, row)
    if (key === '') return mark === 'deletes' ? markedWithoutKey(this.#edited, row) : undefined
    if (!this.#edited.base.rows.has(key)) {
      return this.#failed(row, message('does_not_exist.edited_id', { id: shownValue(key) }))
    }
    if (mark !== 'deletes') return undefined
    if (this.#repeated.has(key)) return repeatedMark(this.#edited, row)
    const columns = this.#editedMarks.get(row.row)
    return columns && editedMark(this.#edited, row, columns)
  }

  /** Compares rows with the base and, if they were edited, with the locked records. */
  async #merge(context: WriteContext, rows: readonly ReadRow[], { reading, fixed }: EditReading): Promise<MergedRows> {
    const { layout, base } = this.#edited
    const isNew = (row: ReadRow) => this.#edited.keyOf(row) === ''
    const isCreated = (row: ReadRow) => isNew(row) && this.#edited.markOf(row) === 'stays'
    const created = await this.#newRows(rows.filter(isCreated), reading, fixed)
    const preparation = layout.changing.isOpen ? new RowPreparation(layout.changing, reading) : undefined
    const changed: ImportRow[] = []
    const unchanged: ImportRow[] = []
    const skipped: ImportRow[] = []
    const edited: EditedRow[] = []
    const marked: MarkedRow[] = []
    const { primaryKey } = this.#model.reader.plan.model
    const readKey = (key: string) => kindOf(primaryKey).readKey(primaryKey, key)
    for (const row of rows) {
      const repeated = isNew(row) ? undefined : skippedRow(layout.changing, row)
      if (repeated) {
        unchanged.push(repeated)
        continue
      }
      const refused = this.refused(row)
      if (refused) (refused.isSkipped ? skipped : changed).push(refused)
      const key = this.#edited.keyOf(row)
      const exported = base.rows.get(key)
      if (refused || !exported) continue
      if (this.#edited.markOf(row) === 'deletes') {
        marked.push({ row, key: readKey(key), exported })
        continue
      }
      if (this.#ambiguous.has(key)) {
        changed.push(this.#failed(row, message('repeated.id')))
        continue
      }
      // The first of equal rows is written.
      if (this.#seen.get(key)?.row !== row.row) {
        unchanged.push(rowOf(row, {}))
        continue
      }
      const found = this.#edited.editedCells(row, exported, reading.context, fixed)
      const warnings = this.#edited.unreadEdits(row, exported, fixed).map(field => this.#unread(row, field))
      if (found.length === 0) {
        unchanged.push(rowOf(row, { warnings }))
        continue
      }
      const prepared = preparation ? await preparation.prepare(row, warnings) : undefined
      if (prepared === skipRow || Array.isArray(prepared)) {
        const errors = prepared === skipRow ? [] : [...prepared]
        changed.push(rowOf(row, { errors, warnings, isSkipped: prepared === skipRow }))
        continue
      }
      const open = prepared as OpenRow | undefined
      const derived = open ? this.#derived(row, exported, open, { reading, fixed }, found) : []
      const cells = [...found, ...derived].map(cell => readEdited(cell, open, reading, layout))
      edited.push({ row, key: readKey(key), cells, warnings })
    }
    const { deleted, failed, kept } = await this.#marks.sort(context, marked)
    changed.push(...failed, ...(await this.#withStored(context, edited, reading.context)))
    const merged = { deleted, changed, created, unchanged: [...unchanged, ...kept], skipped }
    for (const row of Object.values(merged).flat()) {
      this.#warnOfOthers(row, reading)
      if (reading.failOnWarnings) failWarned(row)
    }
    return merged
  }

  /** A sheet may have calculated a whole column anew: one warning is enough, unless each row with one fails. */
  #warnOfOthers({ number, warnings }: ImportRow, { failOnWarnings }: RowReading): void {
    for (const column of this.#editedOthers.get(number) ?? []) {
      if (!failOnWarnings && this.#firstEdit.get(column) !== number) continue
      const warning = rowError(this.#model, { number }, NON_FIELD_ERRORS, message('read_only_column'))
      warnings.push({ ...warning, column })
    }
  }

  /** Rows without a key become records, if the import creates any. */
  async #newRows(
    rows: readonly ReadRow[],
    reading: RowReading,
    fixed: ReadonlySet<SheetColumn>,
  ): Promise<readonly ImportRow[]> {
    const { layout } = this.#edited
    const { onNew } = this.#edit
    const read = await readRows(layout.creating, rows, reading, fixedOf(layout, fixed))
    if (onNew === 'create') return read
    return read.map(row => {
      if (onNew === 'skip' || row.isSkipped) return { ...row, errors: [], isSkipped: true }
      return { ...row, errors: [rowError(this.#model, row, this.#idField, message('invalid.no_new_rows'))] }
    })
  }

  #unread(row: ReadRow, field: string): ImportRowProblem {
    const header = this.#edited.base.headers.get(field)
    const warning = rowError(this.#model, { number: row.row }, field, message('not_written'))
    return header === undefined ? warning : { ...warning, column: header }
  }

  /** The cells that the application has changed in an edited row. */
  #derived(
    row: ReadRow,
    base: BaseRow,
    open: OpenRow,
    { fixed }: EditReading,
    found: readonly EditedCell[],
  ): readonly EditedCell[] {
    return this.#model.columns.flatMap((column, at) => {
      const kept = this.#edited.baseAt(column)
      const isKnown = at === 0 || column.at === undefined || kept === -1 || fixed.has(column)
      if (isKnown || found.some(edit => edit.at === at)) return []
      const given = asCell(open.given(column)) as ReadCell
      if (isSameCell(given, row.cells[column.at ?? -1])) return []
      return [{ column, at, cell: given, before: base.cells[kept] ?? null, state: base.states[kept] ?? '' }]
    })
  }

  get #idField(): string {
    return this.#model.columns[0]?.field ?? ''
  }

  #failed(row: ReadRow, text: Text): ImportRow {
    return rowOf(row, { errors: [rowError(this.#model, { number: row.row }, this.#idField, text)] })
  }

  async #withStored(
    context: WriteContext,
    edited: readonly EditedRow[],
    reading: ReadContext,
  ): Promise<readonly ImportRow[]> {
    const { plan } = this.#model.reader
    const keys = edited.flatMap(({ key }) => (key === undefined ? [] : [key]))
    const visible = context.visible(plan)
    const decode = visible.database.dialect.decoder(plan.model.primaryKey)
    const locked = await visible.withKeys(keyProjection(plan.model), keys, 'update')
    const stored = await seenRecords(
      context,
      this.#model.reader,
      locked.map(([key]) => decode(key)),
    )
    return edited.map(row => {
      const record = row.key === undefined ? undefined : stored.get(keyText(plan.model, row.key))
      return record ? this.#merged(row, record, reading) : this.#failed(row.row, message('does_not_exist.edited'))
    })
  }

  #merged({ row, key, cells, warnings }: EditedRow, record: SeenRecord, context: ReadContext): ImportRow {
    const values: unknown[] = new Array(this.#model.columns.length)
    values[0] = key
    const errors = cells.flatMap(edited => {
      const { column, at, value, state } = edited
      const fail = (text: Text) => [rowError(this.#model, { number: row.row }, column.field, text)]
      if (state === NOT_WHOLE) return fail(message('invalid.not_whole'))
      const isConflict = state !== stateIn(column.plan, record)
      if (isConflict && this.#onConflict === 'theirs') return []
      if (value instanceof CellProblem) return fail(value.text)
      if (!isConflict) {
        values[at] = value
        return []
      }
      const stored = record.shown.get(column.plan)
      if (isSameValue(column, value, stored)) return []
      if (this.#onConflict === 'yours') {
        values[at] = value
        return []
      }
      const conflict = conflictOf(edited, stored, context)
      return [
        {
          ...rowError(this.#model, { number: row.row }, column.field, conflictMessage(conflict)),
          ...(!column.isSensitive && { conflict }),
        },
      ]
    })
    return { number: row.row, cells: [values], errors, warnings, isSkipped: false }
  }
}

/** A row of which nothing is written. */
function rowOf(
  { row: number }: ReadRow,
  why: Partial<Pick<ImportRow, 'errors' | 'warnings' | 'isSkipped'>>,
): ImportRow {
  return { number, cells: [[]], errors: [], warnings: [], isSkipped: false, ...why }
}

function readEdited(
  edited: EditedCell,
  open: OpenRow | undefined,
  { context, faults }: RowReading,
  { changing }: EditLayout,
): ReadEdit {
  const given = open?.given(edited.column)
  const cell = (given === undefined ? edited.cell : asCell(given)) as ReadCell
  if (isEmptyCell(cell) && !edited.column.transform) return { ...edited, value: emptied(edited.column) }
  const value = readCell(edited.column, cell, context, (column, error) => faults.idOf(changing.position, column, error))
  return { ...edited, value }
}

/** The value of an emptied cell: no default takes its place. */
function emptied({ plan: { column, links, lookup, takesBlank } }: SheetColumn): unknown {
  if (links) return []
  if (column.nullable) return null
  return takesBlank && !lookup ? '' : new CellProblem(EMPTY_CELL)
}
