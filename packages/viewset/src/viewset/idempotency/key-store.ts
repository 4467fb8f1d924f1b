import { eq, lt } from 'drizzle-orm'
import type { IdempotencyTables } from '../../model/tables/idempotency-tables.ts'
import type { Database } from '../../store/connection/database.ts'
import { executorOf } from '../../store/connection/session.ts'
import { currentDb, onCommit } from '../../store/connection/transaction.ts'
import type { ApiResponse } from '../answer/respond.ts'
import { RunningKeys } from './running-keys.ts'

type Keys = IdempotencyTables['idempotencyKeys']

/** Options of requests with an `Idempotency-Key`, which are carried out once. */
export interface IdempotencyOptions {
  /** The table of `IdempotencyTable()`. */
  readonly table: IdempotencyTables['idempotencyKeys']
  /** Whether requests without a user may send keys. All of them then share their keys. Default false: 400. */
  readonly anonymous?: boolean
}

/** The first answer to a request with a key. */
export type StoredAnswer = Omit<Keys['$inferSelect'], 'createdAt'>

/** Between two sweeps of one process, in milliseconds. */
const SWEEP = 600_000

/** The stored answers of an API by key. Each method runs in the transaction of the request. */
export class KeyStore {
  readonly anonymous: boolean
  readonly table: Keys
  readonly running = new RunningKeys()
  readonly #database: Database
  readonly #retention: number
  #sweptAt = 0

  constructor(database: Database, table: Keys, options: { readonly anonymous: boolean; readonly retention: number }) {
    this.#database = database
    this.table = table
    this.anonymous = options.anonymous
    this.#retention = options.retention
  }

  /** Whether no other request with the key runs. The lock ends with the transaction, also after a crash. */
  async lock(id: string): Promise<boolean> {
    const { tryLock } = this.#database.dialect
    // A database with one writer has no other request in a transaction.
    if (tryLock === null) return true
    const key = BigInt.asIntN(64, BigInt(`0x${id.slice(0, 16)}`))
    return (await executorOf(this.#database).run({ text: tryLock }, [String(key)])).rows.length > 0
  }

  async find(id: string): Promise<StoredAnswer | undefined> {
    const [stored] = await currentDb().select().from(this.table).where(eq(this.table.id, id))
    if (!stored) return undefined
    if (stored.createdAt >= this.#expired()) return stored
    await currentDb().delete(this.table).where(eq(this.table.id, id))
    return undefined
  }

  async keep(id: string, fingerprint: string, { status, headers, body }: ApiResponse): Promise<void> {
    await currentDb()
      .insert(this.table)
      .values({ id, fingerprint, status, headers, body: String(body) })
    if (Date.now() < this.#sweptAt + SWEEP) return
    this.#sweptAt = Date.now()
    onCommit(async () => void (await currentDb().delete(this.table).where(lt(this.table.createdAt, this.#expired()))))
  }

  #expired(): string {
    return new Date(Date.now() - this.#retention).toISOString()
  }
}

/** A request with a key, which is carried out once. */
export interface KeyedRequest {
  readonly store: KeyStore
  readonly id: string
  /** Set by an action that stores nothing, such as a dry run. Then the key stays free. */
  storesNothing: boolean
}
