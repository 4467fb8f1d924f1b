import type { ImportDiff } from './diff.ts'

/** Why a row was not imported (CONTRACT, "Import"). */
export interface ImportRowError {
  /** The row's number as a person sees it: the header is row 1. */
  readonly row: number
  /** The column concerned by its name in the configuration, or `non_field_errors`. */
  readonly field: string
  /** The header of that column in the file; absent where no single one is concerned. */
  readonly column?: string
  readonly message: string
  /** The model's key in the configuration. */
  readonly model: string
}

/**
 * What came of an import (SPEC, "Import result"). `created + updated + failed = processed`, with `unchanged`, `skipped`
 * and the rows that deleted records where the configuration has such; unless a replace with a failed row has put
 * everything back: then `created`, `updated`, `unchanged` and `deleted` are 0.
 */
export interface ImportResult {
  /** No row failed. */
  readonly success: boolean
  readonly processed: number
  /** Rows that were not imported, of which nothing is stored. */
  readonly failed: number
  /** The first 1,000 errors; a row may have several. */
  readonly errors: readonly ImportRowError[]
  /** Rows that became new records, as the database tells. */
  readonly created: number
  /** Rows that changed stored records, as the database tells. */
  readonly updated: number
  /** Rows that say what was stored already, and wrote nothing. Only where a model has `skipUnchanged`. */
  readonly unchanged?: number
  /** Rows that were left out, as the configuration says. Only where it says so of any. */
  readonly skipped?: number
  /** Headers of the file that no model reads. */
  readonly ignoredColumns: readonly string[]
  /** Sheets of a workbook that are no model's. */
  readonly ignoredSheets?: readonly string[]
  /** Records that a replace deleted before it wrote, and those of rows that say so. */
  readonly deleted?: number
  /** What has changed, or would, where it was asked for. */
  readonly diff?: ImportDiff
  /** Nothing was stored: the import only tried. */
  readonly dryRun?: boolean
  /** There were more errors than are listed; `failed` counts all rows. */
  readonly errorsTruncated?: boolean
}
