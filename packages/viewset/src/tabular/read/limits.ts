/** Limits for reading a file. Exceeding one is `too_large` or `out_of_time`. */
export interface ReadLimits {
  /** Bytes of the file. Default 50 MB. */
  readonly maxBytes: number
  /** Decompressed bytes of a workbook's parts, and characters of a sheet's cells. Default 256 MB. */
  readonly maxInflatedBytes: number
  /** The highest row number of a sheet. Default 1,048,576, Excel's limit. */
  readonly maxRows: number
  /** Default 1,000. */
  readonly maxColumns: number
  /** Characters of a cell. Default 1,000,000. */
  readonly maxCellLength: number
  /** Characters of a row; bytes of one with quotes in CSV. Default 1 MB. Also limits the cost of an unclosed quote. */
  readonly maxRecordBytes: number
  /** Milliseconds of work on a workbook, without waiting for its reader. Default 120,000. */
  readonly timeLimit: number
  /** Megabytes of JavaScript objects for a workbook. Default 256. */
  readonly memoryLimit: number
}

const MEGABYTE = 1024 * 1024

export const DEFAULT_LIMITS: ReadLimits = {
  maxBytes: 50 * MEGABYTE,
  maxInflatedBytes: 256 * MEGABYTE,
  maxRows: 1_048_576,
  maxColumns: 1_000,
  maxCellLength: 1_000_000,
  maxRecordBytes: MEGABYTE,
  timeLimit: 120_000,
  memoryLimit: 256,
}
