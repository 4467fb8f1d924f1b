import type { CellRow } from '../table.ts'

/** What the calling thread sends to the worker; each message is answered by one {@link Answer} before the next. */
export type Task = { readonly rows: readonly CellRow[] } | 'end'

export type Answer =
  /** The bytes that the rows have made so far. */
  | { readonly bytes: Uint8Array<ArrayBuffer> }
  | { readonly bytes: Uint8Array<ArrayBuffer>; readonly missing: readonly string[]; readonly cuts: number }
