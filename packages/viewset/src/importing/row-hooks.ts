import type { User } from '../core/context.ts'
import type { ApiRequest } from '../core/request.ts'
import type { ApiSettings } from '../core/settings.ts'
import type { Database } from '../store/database.ts'

/**
 * A cell as the functions of an application receive it: text in CSV, and what the cell holds in a workbook, where a date
 * is its ISO text and an error its name, such as `#N/A`. An empty cell is `null`. `prepareRow` may replace an
 * error; otherwise the row fails.
 */
export type ImportCell = string | number | boolean | null

/**
 * The cells of a row by header, as the file has it, those that no field reads included. What feeds a field stands there
 * by the field's own header, too, whatever the file calls it.
 */
export type ImportCells = Record<string, ImportCell>

/** The view of the request that imports: of the resource whose import it is. */
export interface ImportView {
  readonly user: User | null
  readonly action: string
  readonly request: ApiRequest
  readonly settings: ApiSettings
  readonly database: Database
}

/** What {@link PrepareRow} gets beside the row. */
export interface RowContext {
  /** As a person sees it: the header is row 1. */
  readonly rowNumber: number
  /** The name of the sheet; `''` for CSV. */
  readonly sheet: string
  /** The view of the request, where the import has one. */
  readonly view: ImportView | undefined
}

/** What {@link PrepareRow} returns for a row that is left out: it counts as `skipped`, and nothing of it is written. */
export const skipRow: unique symbol = Symbol('skipRow')

/** The cells of a row by header: of the file's columns, and of others that it does not have. */
export type PreparedRow = Readonly<Record<string, unknown>>

/**
 * Sees each row before it is split among the models. Returns its cells, which are read as if they had stood in the file,
 * or {@link skipRow}. A `ValidationError` that it throws is the row's error; the text of any other error stays out of the
 * report. Rows come one after the other, inside of the import's transaction, and may come again when that is repeated.
 */
export type PrepareRow = (
  row: ImportCells,
  context: RowContext,
) => PreparedRow | typeof skipRow | Promise<PreparedRow | typeof skipRow>

/** Computes a field from the cells of its row, behind {@link PrepareRow}. What it returns is read as if it stood in the file. */
export type ComputedField = (row: Readonly<ImportCells>) => unknown
