import { BoundedCache } from '../core/bounded-cache.ts'
import type { DataVersions, Executor, Statement } from './connection/driver.ts'
import { areConstant, type ReadTables, readTables } from './read-tables.ts'
import { whereClause } from './select.ts'

/** The part of a database that counts. */
interface CountingDatabase {
  readonly executor: Executor
  statement(shape: string, compile: () => string): Statement
}

/** The rows of a table that meet a condition. */
export interface CountedRows {
  /** The statement's name without its condition. */
  readonly name: string
  readonly table: string
  condition(offset: number): { readonly text: string | undefined; readonly values: readonly unknown[] }
  /** A `select` of their number. */
  select(condition: string | undefined): string
  /** Counts the rows without a comparison. */
  read(): Promise<number>
}

const ENTRIES = 1_000
/** Characters of all keys. */
const MOST_TEXT = 1024 ** 2
/** Characters of a key. A list of thousands of values would push out the others. */
const LONGEST_KEY = 10_000

/** Changes in a row after which a count rests. */
const PATIENCE = 3
/** Counts that read the rows without a comparison, until the next one is tried. */
const LONGEST_REST = 64

interface KeptCount {
  /** Replaced as a whole: several requests may count at the same time. */
  known: { readonly version: string; readonly count: number } | undefined
  /** How many comparisons in a row found another version. */
  changes: number
  rests: number
}

interface CountedTables {
  readonly read: ReadTables
  /** The last version in which all of them were ordinary. */
  ordinaryIn: string | undefined
}

/**
 * Counts with the version of the data that they counted. They are exact as long as it stays the same.
 *
 * If something is written between all requests, no comparison succeeds. Counts then rest for more and more requests.
 */
export class KeptCounts {
  readonly #database: CountingDatabase
  readonly #versions: DataVersions
  readonly #counts = boundedCache<KeptCount>()
  readonly #tables = boundedCache<CountedTables | null>()
  #isUnsupported = false

  constructor(database: CountingDatabase, versions: DataVersions) {
    this.#database = database
    this.#versions = versions
  }

  async count(rows: CountedRows): Promise<number> {
    const { text, values } = rows.condition(this.#versions.placeholders)
    const tables = this.#isUnsupported ? null : this.#tablesOf(rows, text)
    if (!tables || !areConstant(values)) return rows.read()
    const key = `${rows.name} ${text ?? ''} ${keyOfValues(values)}`
    if (key.length > LONGEST_KEY) return rows.read()
    const kept = this.#counts.get(key, () => ({ known: undefined, changes: 0, rests: 0 }))
    if (kept.rests > 0) {
      kept.rests--
      return rows.read()
    }
    try {
      return (await this.#countUnlessKnown(rows, text, values, kept, tables)) ?? (await rows.read())
    } catch (error) {
      if (!this.#versions.isUnsupported(error)) throw error
      // If the rows can be read, the comparison was to blame.
      const count = await rows.read()
      this.#isUnsupported = true
      return count
    }
  }

  /** `undefined` if the version is the known one and a table is not ordinary. */
  async #countUnlessKnown(
    { name, select }: CountedRows,
    text: string | undefined,
    values: readonly unknown[],
    kept: KeptCount,
    tables: CountedTables,
  ): Promise<number | undefined> {
    const { known } = kept
    const { executor } = this.#database
    const statement = this.#database.statement(`unless known ${name} ${text ?? ''}`, () => {
      return this.#versions.statement(select(text))
    })
    const { version, count } = await this.#versions.count(executor, statement, values, known?.version ?? null)
    if (count !== null) {
      if (known || version === null) noteChange(kept)
      kept.known = version === null || kept.rests > 0 ? undefined : { version, count }
      return count
    }
    if (known && (await this.#areOrdinary(tables, known.version))) {
      kept.changes = 0
      return known.count
    }
    noteChange(kept)
    return undefined
  }

  async #areOrdinary(tables: CountedTables, version: string): Promise<boolean> {
    if (tables.ordinaryIn === version) return true
    if (!(await this.#versions.areOrdinary(this.#database.executor, tables.read, version))) return false
    tables.ordinaryIn = version
    return true
  }

  #tablesOf({ table }: CountedRows, condition: string | undefined): CountedTables | null {
    const select = `select 1 from ${table}${whereClause(condition)}`
    return this.#tables.get(select, () => {
      const read = readTables(select, this.#versions.constantSql)
      return read ? { read, ordinaryIn: undefined } : null
    })
  }
}

/** Constant values have no objects, so a bigint differs from its text. */
function keyOfValues(values: readonly unknown[]): string {
  return JSON.stringify(values, (_, value) => (typeof value === 'bigint' ? { bigint: String(value) } : value))
}

function noteChange(kept: KeptCount): void {
  kept.changes++
  if (kept.changes < PATIENCE) return
  kept.rests = Math.min(2 ** (kept.changes - PATIENCE + 1), LONGEST_REST)
  // The first comparison after the rest has nothing to compare with.
  kept.known = undefined
}

function boundedCache<V>(): BoundedCache<string, V> {
  return new BoundedCache(ENTRIES, { budget: { most: MOST_TEXT, sizeOf: key => key.length } })
}
