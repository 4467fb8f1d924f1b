import type { RawRow } from '../connection/driver.ts'
import type { ConnectionSettings } from './sqlite-connection.ts'

export interface ReaderData {
  readonly path: string
  readonly settings: ConnectionSettings
}

export type ReaderTask =
  | { readonly kind: 'run'; readonly text: string; readonly values: readonly unknown[] }
  | { readonly kind: 'open'; readonly text: string; readonly values: readonly unknown[]; readonly batch: number }
  | { readonly kind: 'next' | 'close' | 'end' }

export interface ReaderAnswer {
  readonly rows: RawRow[]
  /** Columns with bytes. `postMessage` does not keep the class of a `Buffer`. */
  readonly binary: readonly number[]
  readonly isLast: boolean
}

/** `postMessage` does not keep an error's class. `code` is SQLite's, if it is an error of SQLite. */
export interface ReaderFailure {
  readonly error: { readonly message: string; readonly code: string | undefined }
}
