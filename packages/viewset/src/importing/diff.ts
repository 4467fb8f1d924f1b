export type ChangeAction = 'create' | 'update' | 'delete' | 'unchanged'

/** A row's change to one of its records. */
export interface ImportChange {
  /** The row's number, where the header is row 1. */
  readonly row: number
  /** The model's key in the configuration. */
  readonly model: string
  readonly action: ChangeAction
  /**
   * The old and the new value of each changed column in JSON, by its name in the file. Foreign keys and links appear as
   * their lookup values. `null` if there was, or is, no record. Without columns that the serializer hides.
   */
  readonly changes: Readonly<Record<string, readonly [old: unknown, now: unknown]>>
}

/** The changes of an import, or of a dry run. */
export interface ImportDiff {
  /** The first 100 rows with changes, each with its records. */
  readonly rows: readonly ImportChange[]
  /** Rows by the change to their record of the last model, without failed and skipped rows. */
  readonly totals: Readonly<Record<ChangeAction, number>>
  /** Records that a replace deletes before it writes: their number, and the first 100 by their unique fields. */
  readonly replaced?: { readonly deleted: number; readonly records: readonly Readonly<Record<string, unknown>>[] }
}
