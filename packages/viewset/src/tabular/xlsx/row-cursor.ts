import type { CellRow, RowBatches } from '../table.ts'

/** Rows taken batch by batch, where a sheet may end in the middle of a batch and the next one goes on from there. */
export class RowCursor {
  readonly #batches: AsyncIterator<readonly CellRow[]> | Iterator<readonly CellRow[]>
  #batch: readonly CellRow[] = []
  #next = 0

  constructor(rows: RowBatches) {
    this.#batches = Symbol.asyncIterator in rows ? rows[Symbol.asyncIterator]() : rows[Symbol.iterator]()
  }

  /** The rows at hand that were not taken yet; none at the end. */
  async peek(): Promise<readonly CellRow[]> {
    while (this.#next >= this.#batch.length) {
      const { done, value } = await this.#batches.next()
      if (done) return []
      this.#batch = value
      this.#next = 0
    }
    return this.#next === 0 ? this.#batch : this.#batch.slice(this.#next)
  }

  /** Counts `count` of the rows that `peek` gave as taken. */
  take(count: number): void {
    this.#next += count
  }

  async close(): Promise<void> {
    await this.#batches.return?.()
  }
}
