import { message } from '../../core/messages/message.ts'
import type { ColumnSource, ExportColumn } from '../../exporting/export-columns.ts'
import type { ExportService } from '../../exporting/export-service.ts'
import type { ReadContext } from '../../kinds/kind.ts'
import type { ModelSerializer } from '../../serializer/model-serializer.ts'
import type { QuerySet } from '../../store/queryset.ts'
import type { PlainCell, TabularColumn, TabularKind } from '../../tabular/table.ts'
import { headerKey } from '../plan/headers.ts'
import type { ImportColumn } from '../plan/plan.ts'
import type { EditBase } from './base-sheet.ts'
import { timeCell } from './edit-cells.ts'
import type { EditPlan } from './edit-plan.ts'

/** The columns of a file for editing that an export shows and an import does not write. */
export interface ReadOnlyColumns {
  readonly columns: readonly TabularColumn[]
  /** The cells of records, by the text of their key. */
  cellsOf(queryset: QuerySet, keys: readonly unknown[]): Promise<ReadonlyMap<string, readonly PlainCell[]>>
}

const NONE: ReadOnlyColumns = { columns: [], cellsOf: async () => new Map() }

interface Exported {
  readonly edit: EditPlan
  /** The export whose columns are shown. */
  readonly readOnly: ExportService<ModelSerializer> | undefined
  /** Columns that no report may show. */
  readonly sensitive: readonly ImportColumn[]
  readonly context: ReadContext
}

/** @param taken headers of the file's other columns */
export function readOnlyColumns(
  { edit, readOnly: service, sensitive, context }: Exported,
  taken: readonly string[],
): ReadOnlyColumns {
  const { primaryKey } = edit.changing.plan.model
  const left = [...edit.columns, ...sensitive]
  const others = new Set(taken.map(headerKey))
  const isShown = ({ source, header }: ExportColumn) => {
    const isKey = source.from === 'column' && source.column === primaryKey && source.steps.length === 0
    const isEdited = isKey || isStructure(source) || left.some(column => isSource(source, column))
    return !isEdited && !others.has(headerKey(header))
  }
  const columns = service?.columns.standard.filter(isShown) ?? []
  if (!service || columns.length === 0) return NONE
  const note = String(message('template.read_only'))
  return {
    columns: columns.map(({ header, kind, scale }) => ({
      header,
      kind,
      ...(scale !== undefined && { scale }),
      note,
      isLocked: true,
    })),
    async cellsOf(queryset, keys) {
      const found = await service.cellsOf(queryset, columns, keys)
      const shown = (cell: PlainCell, at: number) =>
        columns[at]?.kind === 'timestamp' && typeof cell === 'string' ? timeCell(cell, context) : cell
      return new Map([...found].map(([key, cells]) => [key, cells.map(shown)]))
    },
  }
}

/** The columns for reading only of an exported file, as far as the export still has them. */
export class FileColumns {
  readonly #columns: ReadOnlyColumns
  /** The column of each header. */
  readonly #at: readonly number[]

  constructor(exported: Exported, { id, mark, headers, others }: EditBase) {
    const { edit } = exported
    const columns = edit.columns.filter(({ header }) => headers.has(header))
    const marks = mark === undefined ? [] : [mark]
    this.#columns = readOnlyColumns({ ...exported, edit: { ...edit, columns } }, [id, ...marks, ...headers.values()])
    const left = new Map(this.#columns.columns.map(({ header }, at) => [at, header]))
    // Two columns may have one header.
    this.#at = others.map(header => {
      const [at = -1] = [...left].find(([, other]) => other === header) ?? []
      left.delete(at)
      return at
    })
  }

  get kinds(): readonly (TabularKind | undefined)[] {
    return this.#at.map(at => this.#columns.columns[at]?.kind)
  }

  /** The present cells of records in the order of the file's headers; `undefined` for a column that is gone. */
  async cellsOf(
    queryset: QuerySet,
    keys: readonly unknown[],
  ): Promise<ReadonlyMap<string, readonly (PlainCell | undefined)[]>> {
    const found = await this.#columns.cellsOf(queryset, keys)
    return new Map([...found].map(([key, cells]) => [key, this.#at.map(at => cells[at])]))
  }
}

/** Whether cells are JSON of related records, which is no text for people. */
function isStructure(source: ColumnSource): boolean {
  if (source.from === 'toOne') return true
  return source.from === 'toMany' && source.field.read === 'data'
}

/** Whether an imported column has the same values. */
function isSource(source: ColumnSource, { column, lookup, links }: ImportColumn): boolean {
  if (source.from === 'toMany') return links !== undefined && source.field.key === column.key
  if (source.from !== 'column' || links) return false
  const [step, ...further] = source.steps
  if (!step) return source.column === column
  return further.length === 0 && step.foreignKey === column && lookup?.by === source.column
}
