import type { ReadFile, ReadRow, SheetRemarks } from '../../tabular/read/file.ts'
import type { ImportedSheet } from './sheet-layout.ts'

export interface RowBatch {
  readonly sheet: ImportedSheet
  readonly rows: readonly ReadRow[]
}

const SKIPPED = 1_000

/** Reads the rows of a file, sheet by sheet. It can restart at any row, because a transaction may run twice. */
export class RowSource {
  readonly #open: () => Promise<ReadFile>
  readonly #sheets: readonly ImportedSheet[]
  #file: ReadFile | undefined
  #rows: AsyncGenerator<RowBatch> | undefined
  #rest: RowBatch | undefined
  #position = 0
  readonly #remarks = new Map<ImportedSheet, SheetRemarks>()

  constructor(file: ReadFile, sheets: readonly ImportedSheet[], open: () => Promise<ReadFile>) {
    this.#file = file
    this.#sheets = sheets
    this.#open = open
  }

  get position(): number {
    return this.#position
  }

  /** About the sheets whose rows were read to their end. */
  get remarks(): ReadonlyMap<ImportedSheet, SheetRemarks> {
    return this.#remarks
  }

  /** At most `limit` rows of one sheet; `undefined` at the end. */
  async take(limit: number): Promise<RowBatch | undefined> {
    const first = this.#rest ?? (await this.#next())
    this.#rest = undefined
    if (!first) return undefined
    const { sheet } = first
    let rows = first.rows
    while (rows.length < limit) {
      const more = await this.#next()
      if (more?.sheet !== sheet) {
        this.#rest = more
        break
      }
      rows = [...rows, ...more.rows]
    }
    if (rows.length > limit) this.#rest = { sheet, rows: rows.slice(limit) }
    const taken = rows.slice(0, limit)
    this.#position += taken.length
    return { sheet, rows: taken }
  }

  async rewind(position: number): Promise<void> {
    if (position === this.#position) return
    await this.close()
    this.#rest = undefined
    this.#position = 0
    // In small steps, to limit memory.
    while (this.#position < position) if (!(await this.take(Math.min(SKIPPED, position - this.#position)))) return
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
    for (const sheet of this.#sheets) {
      const found = this.#file.sheets[sheet.position]
      if (found) for await (const rows of found.rows(sheet.columns)) yield { sheet, rows }
      const remarks = found?.remarks?.()
      if (remarks) this.#remarks.set(sheet, remarks)
    }
  }
}

export async function countRows(open: () => Promise<ReadFile>, sheets: readonly ImportedSheet[]): Promise<number> {
  const file = await open()
  try {
    let total = 0
    for (const { position } of sheets)
      for await (const rows of file.sheets[position]?.rows([]) ?? []) total += rows.length
    return total
  } finally {
    await file.close()
  }
}
