import type { ReadFile, ReadRow } from '../../tabular/read/file.ts'
import type { Stage } from './layout.ts'

/** Some rows of one sheet. */
export interface RowBatch {
  readonly stage: Stage
  readonly rows: readonly ReadRow[]
}

/** Reads the rows of a file, stage by stage, and can begin again at any row: a transaction may have to run twice. */
export class RowSource {
  readonly #open: () => Promise<ReadFile>
  readonly #stages: readonly Stage[]
  #file: ReadFile | undefined
  #rows: AsyncGenerator<RowBatch> | undefined
  #rest: RowBatch | undefined
  /** Rows taken so far. */
  #position = 0

  /** @param file the open file, which the source closes */
  constructor(file: ReadFile, stages: readonly Stage[], open: () => Promise<ReadFile>) {
    this.#file = file
    this.#stages = stages
    this.#open = open
  }

  get position(): number {
    return this.#position
  }

  /** Some rows of one stage, `limit` at most; `undefined` at the end. */
  async take(limit: number): Promise<RowBatch | undefined> {
    const first = this.#rest ?? (await this.#next())
    this.#rest = undefined
    if (!first) return undefined
    const { stage } = first
    let rows = first.rows
    while (rows.length < limit) {
      const more = await this.#next()
      if (more?.stage !== stage) {
        this.#rest = more
        break
      }
      rows = [...rows, ...more.rows]
    }
    if (rows.length > limit) this.#rest = { stage, rows: rows.slice(limit) }
    const taken = rows.slice(0, limit)
    this.#position += taken.length
    return { stage, rows: taken }
  }

  /** Goes back to where `position` rows were taken. */
  async rewind(position: number): Promise<void> {
    if (position === this.#position) return
    await this.close()
    this.#rest = undefined
    this.#position = 0
    while (this.#position < position) if (!(await this.take(position - this.#position))) return
  }

  async close(): Promise<void> {
    const file = this.#file
    this.#file = undefined
    this.#rows = undefined
    await file?.close()
  }

  async #next(): Promise<RowBatch | undefined> {
    this.#rows ??= this.#read()
    const { value, done } = await this.#rows.next()
    return done ? undefined : value
  }

  async *#read(): AsyncGenerator<RowBatch, undefined> {
    this.#file ??= await this.#open()
    for (const stage of this.#stages) {
      const sheet = this.#file.sheets[stage.sheet]
      if (sheet) for await (const rows of sheet.rows(stage.columns)) yield { stage, rows }
    }
  }
}
