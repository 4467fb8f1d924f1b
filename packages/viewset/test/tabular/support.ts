import type { Readable } from 'node:stream'
import { buffer } from 'node:stream/consumers'
import type { CellRow, TabularColumn } from '../../src/tabular/table.ts'

/** The whole of a written file. */
export async function bytesOf(file: Readable): Promise<Uint8Array> {
  return new Uint8Array(await buffer(file))
}

/** Columns of these kinds, named after them. */
export function columnsOf(...kinds: TabularColumn['kind'][]): TabularColumn[] {
  return kinds.map(kind => ({ header: kind, kind }))
}

/** A source of rows that tells how far it was read and whether it was closed. */
export class Source implements AsyncIterable<readonly CellRow[]> {
  batchesRead = 0
  isClosed = false
  readonly #batch: (index: number) => readonly CellRow[] | Error | undefined

  /** @param batch the rows of a batch, an error to fail with, or `undefined` at the end */
  constructor(batch: (index: number) => readonly CellRow[] | Error | undefined) {
    this.#batch = batch
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<readonly CellRow[]> {
    try {
      for (;;) {
        await new Promise(resolve => setImmediate(resolve))
        const batch = this.#batch(this.batchesRead)
        if (batch instanceof Error) throw batch
        if (batch === undefined) return
        this.batchesRead++
        yield batch
      }
    } finally {
      this.isClosed = true
    }
  }
}
