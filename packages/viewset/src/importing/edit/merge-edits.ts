import { message } from '../../core/messages/message.ts'
import { shownValue } from '../../core/text.ts'
import { CellProblem } from '../../kinds/cells.ts'
import type { ReadContext } from '../../kinds/kind.ts'
import { has, kindOf } from '../../kinds/kinds.ts'
import type { Database } from '../../store/connection/database.ts'
import { keyProjection } from '../../store/projection.ts'
import type { ReadRow } from '../../tabular/read/file.ts'
import { skipRow } from '../import-hooks.ts'
import { asCell } from '../read/cells.ts'
import { type ImportRow, rowError } from '../read/import-row.ts'
import { type OpenRow, RowPreparation } from '../read/prepare-rows.ts'
import { failWarned, type RowReading, readCell, readRows } from '../read/read-rows.ts'
import type { RowSource } from '../read/row-source.ts'
import type { SheetColumn, SheetModel } from '../read/sheet-layout.ts'
import type { ImportRowProblem } from '../result.ts'
import type { Outcomes } from '../tally.ts'
import { isEqual } from '../write/comparable.ts'
import { allOutcomes } from '../write/counts.ts'
import { type Snapshot, snapshots } from '../write/diff.ts'
import type { WriteContext } from '../write/write-context.ts'
import { writeRows } from '../write/write-rows.ts'
import { editCell, NOT_WHOLE, stateOf } from './edit-cells.ts'
import type { EditLayout } from './edit-layout.ts'
import type { EditedCell, EditedRows } from './edited-rows.ts'
import type { OnConflict } from './on-conflict.ts'

const BATCH = 1_000

/** How the cells of an edited file are read. */
export interface EditReading {
  readonly reading: RowReading
  /** Columns whose values no file can choose. */
  readonly fixed: ReadonlySet<SheetColumn>
}

/** The rows of an edited file, by what happens to them. */
interface MergedRows {
  readonly changed: readonly ImportRow[]
  readonly created: readonly ImportRow[]
  /** Rows without a change of the file. */
  readonly unchanged: readonly ImportRow[]
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
  readonly #onConflict: OnConflict
  readonly #model: SheetModel
  /** Keys of several rows. */
  readonly #repeated = new Set<string>()
  readonly #seen = new Set<string>()

  constructor(edited: EditedRows, onConflict: OnConflict) {
    this.#edited = edited
    this.#onConflict = onConflict
    this.#model = edited.model
  }

  /** Reads the keys of all rows. Records of the base without a row stay as they are. */
  async readKeys(rows: RowSource): Promise<void> {
    for (let batch = await rows.take(BATCH); batch; batch = await rows.take(BATCH)) {
      for (const row of batch.rows) {
        const key = this.#edited.keyOf(row)
        if (key === '') continue
        if (this.#seen.has(key)) this.#repeated.add(key)
        this.#seen.add(key)
      }
    }
  }

  /** The number of exported records that the file has no longer. */
  get missing(): number {
    return [...this.#edited.base.rows.keys()].filter(key => !this.#seen.has(key)).length
  }

  /** Writes what was edited. New records come last, since a change may release a unique value that they want. */
  async write(
    database: Database,
    context: WriteContext,
    rows: readonly ReadRow[],
    edited: EditReading,
  ): Promise<{ readonly rows: readonly ImportRow[]; readonly outcomes: Outcomes }> {
    const { changed, created, unchanged } = await this.#merge(context, rows, edited)
    const { changing, creating } = this.#edited.layout
    const ofChanges = await writeRows(database, context, changing, changed)
    const ofNew = await writeRows(database, context, creating, created)
    const outcomes = allOutcomes(ofChanges, ofNew)
    return {
      rows: [...changed, ...created, ...unchanged].sort((a, b) => a.number - b.number),
      outcomes: { ...outcomes, unchanged: outcomes.unchanged + unchanged.length },
    }
  }

  /** Compares rows with the base and, if they were edited, with the locked records. */
  async #merge(context: WriteContext, rows: readonly ReadRow[], { reading, fixed }: EditReading): Promise<MergedRows> {
    const { layout, base } = this.#edited
    const isNew = (row: ReadRow) => this.#edited.keyOf(row) === ''
    const created = await readRows(layout.creating, rows.filter(isNew), reading, fixedOf(layout, fixed))
    const preparation = layout.changing.isOpen ? new RowPreparation(layout.changing, reading) : undefined
    const changed: ImportRow[] = []
    const unchanged: ImportRow[] = []
    const edited: EditedRow[] = []
    for (const row of rows) {
      if (isNew(row)) continue
      const key = this.#edited.keyOf(row)
      const exported = base.rows.get(key)
      if (!exported) {
        changed.push(this.#failed(row, message('does_not_exist.edited_id', { id: shownValue(key) })))
        continue
      }
      const found = this.#edited.editedCells(row, exported, reading.context, fixed)
      if (found.length === 0) {
        unchanged.push({ number: row.row, cells: [], errors: [], warnings: [], isSkipped: false })
        continue
      }
      if (this.#repeated.has(key)) {
        changed.push(this.#failed(row, message('repeated.id')))
        continue
      }
      const warnings: ImportRowProblem[] = []
      const prepared = preparation ? await preparation.prepare(row, warnings) : undefined
      if (prepared === skipRow || Array.isArray(prepared)) {
        const errors = prepared === skipRow ? [] : [...prepared]
        changed.push({ number: row.row, cells: [[]], errors, warnings, isSkipped: prepared === skipRow })
        continue
      }
      const { primaryKey } = this.#model.reader.plan.model
      const cells = found.map(cell => readEdited(cell, prepared as OpenRow | undefined, reading, layout))
      edited.push({ row, key: kindOf(primaryKey).readKey(primaryKey, key), cells, warnings })
    }
    changed.push(...(await this.#withStored(context, edited, reading.context)))
    if (reading.failOnWarnings) for (const row of changed) failWarned(row)
    return { changed, created, unchanged }
  }

  #failed(row: ReadRow, text: Parameters<typeof rowError>[3]): ImportRow {
    const [id] = this.#model.columns
    return {
      number: row.row,
      cells: [[]],
      errors: [rowError(this.#model, { number: row.row }, id?.field ?? '', text)],
      warnings: [],
      isSkipped: false,
    }
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
    const stored = await snapshots(
      context,
      this.#model.reader,
      locked.map(([key]) => decode(key)),
    )
    return edited.map(row => {
      const record = stored.get(String(row.key))
      return record ? this.#merged(row, record, reading) : this.#failed(row.row, message('does_not_exist.edited'))
    })
  }

  #merged({ row, key, cells, warnings }: EditedRow, record: Snapshot, context: ReadContext): ImportRow {
    const values: unknown[] = new Array(this.#model.columns.length)
    values[0] = key
    const errors = cells.flatMap(edited => {
      const { column, at, value, state, before, cell } = edited
      const fail = (text: Parameters<typeof rowError>[3]) => [
        rowError(this.#model, { number: row.row }, column.field, text),
      ]
      if (state === NOT_WHOLE) return fail(message('invalid.not_whole'))
      if (value instanceof CellProblem) return fail(value.text)
      const stored = record.get(column.plan)
      if (state === stateOf(stored)) {
        values[at] = value
        return []
      }
      if (this.#onConflict === 'theirs' || isSameValue(column, value, stored)) return []
      if (this.#onConflict === 'yours') {
        values[at] = value
        return []
      }
      const now = editCell(column.plan, stored, context)
      return fail(
        message('conflict.edited', { before: shownCell(before), now: shownCell(now), yours: shownCell(cell) }),
      )
    })
    return { number: row.row, cells: [values], errors, warnings, isSkipped: false }
  }
}

function readEdited(
  edited: EditedCell,
  open: OpenRow | undefined,
  { context, faults }: RowReading,
  { changing }: EditLayout,
): ReadEdit {
  const given = open?.given(edited.column)
  const cell = given === undefined ? edited.cell : asCell(given)
  const value = readCell(edited.column, cell, context, (column, error) => faults.idOf(changing.position, column, error))
  return { ...edited, value }
}

/** The columns of new rows whose values are fixed. */
function fixedOf({ creating }: EditLayout, fixed: ReadonlySet<SheetColumn>): ReadonlySet<SheetColumn> {
  const plans = new Set([...fixed].map(({ plan }) => plan))
  return new Set(creating.models.flatMap(({ columns }) => columns.filter(({ plan }) => plans.has(plan))))
}

function isSameValue({ plan: { column, lookup, links } }: SheetColumn, value: unknown, stored: unknown): boolean {
  if (links)
    return isEqual([...(value as readonly unknown[])].map(String).sort(), [...(stored as unknown[])].map(String).sort())
  if (value === null || stored === null || value === undefined) return (value ?? null) === stored
  const by = lookup?.by ?? column
  return has(by, 'mutable') ? isEqual(value, stored) : kindOf(by).identity(value) === kindOf(by).identity(stored)
}

function shownCell(cell: unknown): string {
  return shownValue(cell === null ? '' : String(cell))
}
