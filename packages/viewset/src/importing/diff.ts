/** What becomes of a record by a row. */
export type ChangeAction = 'create' | 'update' | 'delete' | 'unchanged'

/** What a row changes of one of its records. */
export interface ImportChange {
  /** The row's number as a person sees it: the header is row 1. */
  readonly row: number
  /** The model's key in the configuration. */
  readonly model: string
  readonly action: ChangeAction
  /**
   * The old and the new value of each column that differs, by its name in the file, as JSON has them; a foreign key and
   * links by what the file names them by. `null` where there was no record, or is none any more. Columns that the
   * serializer does not show are left out.
   */
  readonly changes: Readonly<Record<string, readonly [old: unknown, now: unknown]>>
}

/** What an import changes, or would change. */
export interface ImportDiff {
  /** The first 100 rows that change anything, with each of their records. */
  readonly rows: readonly ImportChange[]
  /** All rows by what becomes of their record of the last model; those that fail or are skipped are not among them. */
  readonly totals: Readonly<Record<ChangeAction, number>>
  /** What a replace deletes before it writes: how many records, and the first 100 by their unique fields. */
  readonly replaced?: { readonly deleted: number; readonly records: readonly Readonly<Record<string, unknown>>[] }
}
