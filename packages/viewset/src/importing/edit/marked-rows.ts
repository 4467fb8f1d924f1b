import { NON_FIELD_ERRORS } from '../../core/errors.ts'
import { message, type Text } from '../../core/messages/message.ts'
import type { Database } from '../../store/connection/database.ts'
import { keyProjection } from '../../store/projection.ts'
import type { QuerySet } from '../../store/queryset.ts'
import { keyText } from '../../store/row-order.ts'
import type { ReadRow } from '../../tabular/read/file.ts'
import type { MarkedDeletions } from '../import-hooks.ts'
import { hasFailed, type ImportRow, rowError } from '../read/import-row.ts'
import type { SheetModel } from '../read/sheet-layout.ts'
import type { Outcomes } from '../tally.ts'
import { allOutcomes } from '../write/counts.ts'
import { seenRecords } from '../write/diff.ts'
import type { WriteContext } from '../write/write-context.ts'
import { writeRows } from '../write/write-rows.ts'
import type { BaseRow } from './base-sheet.ts'
import type { EditedRows } from './edited-rows.ts'
import { yesText } from './marks.ts'
import type { OnConflict } from './on-conflict.ts'
import type { FileColumns } from './read-only-columns.ts'

/** A row that is marked for deletion. */
export interface MarkedRow {
  readonly row: ReadRow
  readonly key: unknown
  readonly exported: BaseRow
}

interface SortedMarks {
  readonly deleted: readonly ImportRow[]
  readonly failed: readonly ImportRow[]
  /** Rows whose records stay, since they have changed and the database counts. */
  readonly kept: readonly ImportRow[]
}

/** Deletes the records of marked rows. */
export class MarkedRows {
  readonly #edited: EditedRows
  readonly #onConflict: OnConflict
  readonly #deletions: MarkedDeletions | undefined
  readonly #others: FileColumns | undefined

  constructor(edited: EditedRows, onConflict: OnConflict, deletions?: MarkedDeletions, others?: FileColumns) {
    this.#edited = edited
    this.#onConflict = onConflict
    this.#deletions = deletions
    this.#others = others
  }

  /** Locks the records and compares them with the base. */
  async sort(context: WriteContext, marked: readonly MarkedRow[]): Promise<SortedMarks> {
    const deleted: ImportRow[] = []
    const failed: ImportRow[] = []
    const kept: ImportRow[] = []
    if (marked.length === 0) return { deleted, failed, kept }
    const { reader, columns } = this.#edited.model
    const keys = marked.flatMap(({ key }) => (key === undefined ? [] : [key]))
    const visible = await this.#deletable(context, keys)
    const stored = await seenRecords(context, reader, visible)
    const others = await this.#others?.cellsOf(context.visible(reader.plan), visible)
    for (const { row, key, exported } of marked) {
      const record = key === undefined ? undefined : stored.get(keyText(reader.plan.model, key))
      if (!record) {
        failed.push(markedRow(this.#edited, row, message('does_not_exist.edited')))
        continue
      }
      const changed = [
        ...this.#edited.changedColumns(exported, record),
        ...this.#edited.changedOthers(exported, others?.get(String(key)) ?? []),
      ]
      const isChanged = changed.length > 0 || this.#edited.hasOtherVersion(exported, record)
      if (this.#onConflict === 'yours' || !isChanged) {
        const values: unknown[] = new Array(columns.length)
        values[0] = key
        values[reader.deletion] = true
        deleted.push({ number: row.row, cells: [values], errors: [], warnings: [], isSkipped: false })
      } else if (this.#onConflict === 'theirs') kept.push(untouchedRow(row))
      else failed.push(markedRow(this.#edited, row, message('conflict.marked', { columns: changed })))
    }
    return { deleted, failed, kept }
  }

  /** The keys of the records that the import may change and the user may delete. */
  async #deletable(context: WriteContext, keys: readonly unknown[]): Promise<readonly unknown[]> {
    const { plan } = this.#edited.model.reader
    const visible = context.visible(plan)
    const decode = visible.database.dialect.decoder(plan.model.primaryKey)
    const keysOf = async (set: QuerySet, wanted: readonly unknown[], lock?: 'delete') =>
      (await set.withKeys(keyProjection(plan.model), wanted, lock)).map(([key]) => decode(key))
    const locked = await keysOf(visible, keys, 'delete')
    return this.#deletions ? keysOf(this.#deletions.queryset, locked) : locked
  }

  async write(database: Database, context: WriteContext, rows: readonly ImportRow[]): Promise<Outcomes> {
    const { checkRecord } = this.#deletions ?? {}
    const hooks: WriteContext['hooks'] = plan => ({ ...context.hooks(plan), ...(checkRecord && { checkRecord }) })
    return writeRows(database, { ...context, hooks, deletesTogether: true }, this.#edited.layout.changing, rows)
  }

  /** Tries refused deletions again: a change of another row may have released the record. */
  async writeAgain(
    database: Database,
    context: WriteContext,
    rows: readonly ImportRow[],
    before: Outcomes,
  ): Promise<Outcomes> {
    const refused = rows.filter(hasFailed)
    if (refused.length === 0) return before
    for (const { errors } of refused) errors.length = 0
    return allOutcomes(before, await this.write(database, context, refused))
  }
}

/** A row whose mark cannot be read. */
export function unclearMark(edited: EditedRows, row: ReadRow): ImportRow {
  return markedRow(edited, row, message('invalid.mark', { yes: yesText() }))
}

export function repeatedMark(edited: EditedRows, row: ReadRow): ImportRow {
  return markedRow(edited, row, message('repeated.marked'))
}

/** A row that may show another record than its own, since it was edited: its mark deletes nothing. */
export function editedMark(edited: EditedRows, row: ReadRow, columns: readonly string[]): ImportRow {
  return markedRow(edited, row, message('marked_and_edited', { columns }))
}

/** A marked row without a key is left out, with a warning. */
export function markedWithoutKey(edited: EditedRows, row: ReadRow): ImportRow {
  const { errors } = markedRow(edited, row, message('marked_row'))
  return { number: row.row, cells: [[]], errors: [], warnings: errors, isSkipped: true }
}

function untouchedRow({ row: number }: ReadRow): ImportRow {
  return { number, cells: [], errors: [], warnings: [], isSkipped: false }
}

/** A row that failed because of its mark. */
function markedRow({ model, mark }: EditedRows, row: ReadRow, text: Text): ImportRow {
  const failed = failedRow(model, row, NON_FIELD_ERRORS, text)
  const column = mark?.header
  return column === undefined ? failed : { ...failed, errors: failed.errors.map(error => ({ ...error, column })) }
}

function failedRow(model: SheetModel, { row: number }: ReadRow, field: string, text: Text): ImportRow {
  return { number, cells: [[]], errors: [rowError(model, { number }, field, text)], warnings: [], isSkipped: false }
}
