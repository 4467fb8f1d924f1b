import type { Table } from 'drizzle-orm'

/**
 * The rows whose version has moved in a transaction, by the texts of their keys. A version moves once for all children
 * that a transaction writes, so the tag of an answer stays that of the stored row.
 */
export class MovedRows {
  readonly #outer: MovedRows | undefined
  readonly #rows = new Map<Table, Set<string>>()
  readonly #locked = new Set<Table>()

  /** Of a savepoint: with those of the transaction around it. */
  constructor(outer?: MovedRows) {
    this.#outer = outer
  }

  has(table: Table, key: string): boolean {
    return this.#rows.get(table)?.has(key) || this.#outer?.has(table, key) || false
  }

  /** Whether the transaction has locked the rows of a table that its children need. */
  isLocked(table: Table): boolean {
    return this.#locked.has(table) || this.#rows.has(table) || this.#outer?.isLocked(table) || false
  }

  noteLocked(table: Table): void {
    this.#locked.add(table)
  }

  add(table: Table, keys: Iterable<string>): void {
    const known = this.#rows.get(table) ?? new Set()
    for (const key of keys) known.add(key)
    if (known.size > 0) this.#rows.set(table, known)
  }

  /** The savepoint has succeeded. */
  passOn(): void {
    for (const [table, keys] of this.#rows) this.#outer?.add(table, keys)
    for (const table of this.#locked) this.#outer?.noteLocked(table)
  }
}
