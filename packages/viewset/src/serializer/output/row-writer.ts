import type { Database } from '../../store/connection/database.ts'
import type { Executor, RawRow } from '../../store/connection/driver.ts'
import type { Projection } from '../../store/projection.ts'

export interface Representation {
  readonly projection: Projection
  /** @internal The writer behind {@link open}, for an outer projection. */
  readonly write: Writer
  /**
   * @internal Reads the records of to-many relations for all rows at once, at any depth; `null` without any. Use
   * `relatedOf`.
   */
  readonly loadRelated: LoadRelated | null
  /** The JSON object of a row without its closing brace, so that a list can add `index`. */
  open(row: RawRow, related?: Related): string
}

/** Related data by slot: lists as JSON, or nested data. */
export type Related = readonly (ReadonlyMap<string, string> | Related | undefined)[]

export type Writer = (row: RawRow, base: number, related?: Related) => string

export type LoadRelated<T = Related> = (
  database: Database,
  rows: readonly RawRow[],
  base: number,
  executor: Executor,
) => Promise<T>

export interface Part {
  readonly write: Writer
  readonly loadRelated: LoadRelated<Related | ReadonlyMap<string, string>> | null
}
