import type { RawRow } from '../driver.ts'
import type { ConnectionSettings } from './sqlite-connection.ts'

/** What a reader thread is given when it starts. */
export interface ReaderData {
  readonly path: string
  readonly settings: ConnectionSettings
}

/** One task at a time: `open` and `next` read a batch each, until one says that it is the last or `close` ends it. */
export type ReaderTask =
  | { readonly kind: 'run'; readonly text: string; readonly values: readonly unknown[] }
  | { readonly kind: 'open'; readonly text: string; readonly values: readonly unknown[]; readonly batch: number }
  | { readonly kind: 'next' | 'close' | 'end' }
  /** Makes a file of the database as it is. */
  | { readonly kind: 'copy'; readonly file: string }

export interface ReaderAnswer {
  readonly rows: RawRow[]
  /** Columns in which there are bytes: a `Buffer` does not survive the way. */
  readonly binary: readonly number[]
  readonly isLast: boolean
}

/** An error's class does not survive the way either. `code` is SQLite's, if it is one of SQLite's. */
export interface ReaderFailure {
  readonly error: { readonly message: string; readonly code: string | undefined }
}
