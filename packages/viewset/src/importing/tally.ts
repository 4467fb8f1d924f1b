import { type Message, message, type Text } from '../core/messages/message.ts'

/** The number of rows so far by result. */
export interface ImportTally {
  readonly processed: number
  readonly failed: number
  /** Rows whose record of the last model is new. */
  readonly created: number
  readonly updated: number
  /** Rows equal to their stored record. */
  readonly unchanged: number
  /** Rows skipped by the configuration. */
  readonly skipped: number
  /** Rows that deleted their record. */
  readonly deleted: number
  /** Rows with warnings that did not fail; absent if there are none. */
  readonly warned?: number
}

export type Outcomes = Omit<ImportTally, 'processed' | 'failed' | 'warned'>

export type RowOutcome = keyof Outcomes

/** The reason why an import ended early, and what it stored before. */
export function storedBefore(
  problem: Text,
  { processed, created, updated, deleted }: Pick<ImportTally, 'processed' | 'created' | 'updated' | 'deleted'>,
): Message {
  return message('imported.before', { problem, rows: processed, created, updated, deleted })
}
