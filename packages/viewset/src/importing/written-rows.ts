import { currentContext } from '../core/context.ts'
import { type History, historyOf } from '../model/history.ts'
import type { ModelInfo } from '../model/model-info.ts'
import type { Database } from '../store/connection/database.ts'
import { historyKey, recordRows } from '../store/write/record-history.ts'
import type { ImportRow } from './read/import-row.ts'

/** Collects which rows of the file wrote each record, for the history of an import that is a job. */
export class WrittenFileRows {
  readonly #rows = new Map<History, Map<string, readonly ImportRow[]>>()

  add({ table }: ModelInfo, key: unknown, rows: readonly ImportRow[]): void {
    const history = historyOf(table)
    if (!history) return
    const ofModel = this.#rows.get(history) ?? new Map<string, readonly ImportRow[]>()
    this.#rows.set(history, ofModel)
    const record = historyKey(key)
    ofModel.set(record, [...(ofModel.get(record) ?? []), ...rows])
  }

  /** @param isStored whether a row was stored; others have written nothing in the end */
  async store(database: Database, isStored: (row: ImportRow) => boolean): Promise<void> {
    const { change } = currentContext()
    const job = change?.job ?? null
    if (job === null) return
    for (const [history, records] of this.#rows) {
      const numbers = new Map<string, readonly number[]>()
      for (const [record, rows] of records) {
        const stored = rows.filter(isStored).map(({ number }) => number)
        if (stored.length > 0) numbers.set(record, [...new Set(stored)])
      }
      await recordRows(database, history, job, numbers)
    }
  }
}
