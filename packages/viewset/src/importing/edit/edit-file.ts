import { keepContext } from '../../core/context.ts'
import { ValidationError } from '../../core/errors.ts'
import { message } from '../../core/messages/message.ts'
import { tabularType } from '../../exporting/cells.ts'
import type { ExportService } from '../../exporting/export-service.ts'
import type { ReadContext } from '../../kinds/kind.ts'
import type { ModelSerializer } from '../../serializer/model-serializer.ts'
import { keyProjection } from '../../store/projection.ts'
import type { QuerySet } from '../../store/queryset.ts'
import { keyText } from '../../store/row-order.ts'
import type { CellRow, PlainCell, TabularColumn } from '../../tabular/table.ts'
import type { Sheet } from '../../tabular/xlsx/write.ts'
import { headerKey, ownHeader } from '../plan/headers.ts'
import type { ImportColumn } from '../plan/plan.ts'
import { choicesOf } from '../template/source.ts'
import { templateNote } from '../template/template.ts'
import { type SeenRecord, seenRecords } from '../write/diff.ts'
import type { WriteContext } from '../write/write-context.ts'
import { baseSheet, type NewBaseRow } from './base-sheet.ts'
import { editCell, isWhole, NOT_WHOLE, stateIn, stateOf, versionStates } from './edit-cells.ts'
import { editGuide } from './edit-guide.ts'
import type { EditPlan } from './edit-plan.ts'
import { markHeader, markTabularColumn } from './marks.ts'
import { type ReadOnlyColumns, readOnlyColumns } from './read-only-columns.ts'

/** Records of one read. */
const BATCH = 1_000

export interface EditedRecords {
  readonly edit: EditPlan
  readonly queryset: QuerySet
  readonly lookups: Pick<WriteContext, 'all' | 'lookups'>
  readonly context: ReadContext
  readonly maxRows: number
  /** Whether rows can be marked for deletion. */
  readonly deletable: boolean
  /** The export whose other columns the file shows. */
  readonly readOnly: ExportService<ModelSerializer> | undefined
  /** Columns that no report may show. */
  readonly sensitive: readonly ImportColumn[]
}

/**
 * The sheets of a file for editing: the records, and the hidden base with the same cells. A key stands before each
 * record, and an empty cell for the mark of a deletion.
 *
 * @throws ValidationError for more records than `maxRows`
 */
export async function* editSheets(records: EditedRecords): AsyncGenerator<Sheet> {
  const { edit, queryset, maxRows, deletable } = records
  const { model, key } = edit.changing.plan
  const count = await queryset.count()
  if (count > maxRows)
    throw new ValidationError({ for_editing: [message('too_many_rows.edit', { rows: count, max: maxRows })] })
  const id = String(message('template.edit_id'))
  const columns = withDistinctHeaders(id, await Promise.all(edit.columns.map(column => editColumn(records, column))))
  const marks = deletable ? [markHeader([id, ...columns.map(({ header }) => header)])] : []
  const taken = [id, ...marks, ...columns.map(({ header }) => header)]
  const others = readOnlyColumns(records, taken)
  const kept: (readonly NewBaseRow[])[] = []
  async function* visible(): AsyncGenerator<readonly CellRow[]> {
    for await (const batch of editRows(records, others)) {
      kept.push(batch)
      yield batch.map(({ key, cells, others }) => [key, ...marks.map(() => null), ...cells, ...others])
    }
  }
  const leading = [columnOfIds(id), ...marks.map(markTabularColumn)]
  const shown = [...leading, ...columns, ...others.columns]
  const frozenColumns = leading.length + namesIn(columns)
  yield { name: key, columns: shown, rows: keepContext(visible()), frozenColumns }
  const [mark] = marks
  const head = { model: model.name, id, ...(mark !== undefined && { mark }), others: others.columns }
  yield baseSheet(head, columns, () => kept)
  yield editGuide({ id, mark, adds: edit.onNew === 'create', hasReadOnly: others.columns.length > 0 })
}

/** People rarely read an ID, so its column is narrow. */
const ID_WIDTH = 13

export function columnOfIds(header: string): TabularColumn {
  const note = String(message('template.edit_id_note'))
  return { header, kind: 'text', isLocked: true, width: ID_WIDTH, isShrunk: true, note }
}

/** Frozen columns leave little of a small screen. */
const MOST_FROZEN = 3

/** The number of columns up to the first free text, which usually names the record; 0 if it comes late. */
function namesIn(columns: readonly TabularColumn[]): number {
  const at = columns.slice(0, MOST_FROZEN).findIndex(({ kind, choices }) => kind === 'text' && choices === undefined)
  return at + 1
}

interface EditColumn extends TabularColumn {
  readonly field: string
}

/** Columns find their cells by their headers, so one with the header of the IDs gets the name of its field, too. */
function withDistinctHeaders(id: string, columns: readonly EditColumn[]): readonly EditColumn[] {
  const keys = [id, ...columns.map(({ header }) => header)].map(headerKey)
  const isShared = ({ header }: EditColumn) => keys.filter(key => key === headerKey(header)).length > 1
  return columns.map(column =>
    isShared(column) ? { ...column, header: `${column.header} (${column.field})` } : column,
  )
}

async function editColumn({ edit, queryset: { database } }: EditedRecords, column: ImportColumn): Promise<EditColumn> {
  const { lookup, links } = column
  const stored = lookup?.by ?? column.column
  const choices = links ? undefined : lookup ? await choicesOf(database, lookup) : stored.values
  return {
    field: column.header,
    header: ownHeader(column, false),
    ...(links ? { kind: 'text' as const } : tabularType(stored)),
    required: column.required,
    note: templateNote(edit.plan, edit.changing.plan, column, lookup ? choices?.[0] : undefined),
    ...(choices && choices.length > 0 && { choices }),
  }
}

/** The rows of the records, in the order of their set. */
async function* editRows(
  { edit, queryset, lookups, context }: EditedRecords,
  others: ReadOnlyColumns,
): AsyncGenerator<readonly NewBaseRow[]> {
  const { model } = queryset
  const decode = queryset.database.dialect.decoder(model.primaryKey)
  for await (const rows of queryset.inTotalOrder().stream(keyProjection(model), BATCH)) {
    const keys = rows.map(([key]) => decode(key))
    const found = await seenRecords(lookups, edit.changing, keys)
    const shown = await others.cellsOf(queryset, keys)
    yield keys.flatMap(key => {
      const record = found.get(keyText(model, key))
      return record ? [baseRow(edit, String(key), record, context, othersOf(shown.get(String(key)) ?? []))] : []
    })
  }
}

export function baseRow(
  { columns, changing }: EditPlan,
  key: string,
  record: SeenRecord,
  context: ReadContext,
  others: { readonly cells: readonly PlainCell[]; readonly states: readonly string[] },
): NewBaseRow {
  const cells = columns.map(column => editCell(column, record.shown.get(column), context))
  const states = columns.map((column, at) => (isWhole(cells[at] ?? null) ? stateIn(column, record) : NOT_WHOLE))
  const ofVersion = versionStates(changing.plan.model, record)
  return { key, states: [...states, ...others.states, ...ofVersion], cells, others: others.cells }
}

function othersOf(cells: readonly PlainCell[]): { cells: readonly PlainCell[]; states: readonly string[] } {
  return { cells, states: cells.map(stateOf) }
}
