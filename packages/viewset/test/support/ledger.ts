import { fork } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { default as Sqlite } from 'better-sqlite3'
import { Client } from 'pg'
import type { ColumnKit } from 'viewset'
import { CONDITIONS } from './node-options.ts'

/**
 * Notes, and how many there were after each commit that changed them. The row of the ledger is written last in each
 * transaction, so its locks put all commits into an order.
 */
export function ledgerTables(c: ColumnKit) {
  const notes = c.table('notes', { id: c.bigint().primaryKey(), even: c.boolean().notNull() })
  const ledger = c.table('ledger', {
    seq: c.integer().primaryKey(),
    total: c.integer().notNull(),
    evens: c.integer().notNull(),
  })
  return { notes, ledger }
}

/** The numbers after the commit `seq`. */
export interface Entry {
  readonly seq: number
  readonly total: number
  readonly evens: number
}

interface Connection {
  /** The rows that a statement returns. */
  run(text: string): Promise<readonly (readonly unknown[])[]>
  close(): Promise<unknown>
}

export async function connectTo(dialect: string, url: string): Promise<Connection> {
  if (dialect === 'pg') {
    const client = new Client({ connectionString: url })
    await client.connect()
    return {
      run: async text => (await client.query({ text, rowMode: 'array' })).rows as unknown[][],
      close: () => client.end(),
    }
  }
  const handle = new Sqlite(url, { timeout: 0 })
  return {
    run: async text => {
      const statement = handle.prepare(text)
      if (statement.reader) return statement.raw().all() as unknown[][]
      statement.run()
      return []
    },
    close: async () => handle.close(),
  }
}

export async function entriesOf(connection: Connection): Promise<readonly Entry[]> {
  const rows = await connection.run('select seq, total, evens from ledger order by seq')
  return rows.map(([seq, total, evens]) => ({ seq: Number(seq), total: Number(total), evens: Number(evens) }))
}

export async function lastCommit(connection: Connection): Promise<number> {
  return Number((await connection.run('select max(seq) from ledger'))[0]?.[0])
}

interface Work {
  readonly seed: number
  readonly transactions: number
}

/** Inserts and deletes notes at random. Some transactions and savepoints are rolled back. */
export async function writeToLedger(dialect: string, url: string, { seed, transactions }: Work): Promise<void> {
  const random = randomFrom(seed)
  const connection = await connectTo(dialect, url)
  const below = (limit: number) => Math.floor(random() * limit)
  for (let n = 0; n < transactions; n++) {
    await begin(dialect, connection)
    try {
      const written: { rows: readonly (readonly unknown[])[]; sign: number }[] = []
      for (let step = 0; step <= below(3); step++) {
        const isUndone = below(5) === 0
        await connection.run('savepoint step')
        const sign = below(2) === 0 ? -1 : 1
        const rows = await connection.run(sign < 0 ? remove(below(1_000)) : insert(seed, n, step, 1 + below(4)))
        if (isUndone) await connection.run('rollback to savepoint step')
        else written.push({ rows, sign })
        // On PostgreSQL, other writers commit meanwhile.
        if (below(3) === 0) await sleep(below(3))
      }
      if (dialect === 'pg') await connection.run('lock table ledger in exclusive mode')
      const change = (of: (even: unknown) => boolean) =>
        written.reduce((sum, { rows, sign }) => sum + sign * rows.filter(([even]) => of(even)).length, 0)
      const total = change(() => true)
      const evens = change(even => even === true || even === 1)
      await connection.run(
        `insert into ledger (seq, total, evens) select seq + 1, total + ${total}, evens + ${evens}
          from ledger order by seq desc limit 1`,
      )
      await connection.run(below(6) === 0 ? 'rollback' : 'commit')
    } catch (error) {
      await connection.run('rollback')
      // Two writers may delete the same notes in another order.
      if (Reflect.get(error as object, 'code') !== '40P01') throw error
    }
    // Now and then, nothing is written for a while.
    await sleep(below(10) === 0 ? 30 : below(4))
  }
  await connection.close()
}

/** Waits for other writers without holding up those of the same process. */
async function begin(dialect: string, connection: Connection): Promise<void> {
  if (dialect === 'pg') return void (await connection.run('begin'))
  for (;;) {
    try {
      return void (await connection.run('begin immediate'))
    } catch (error) {
      if (Reflect.get(error as object, 'code') !== 'SQLITE_BUSY') throw error
      await sleep(1)
    }
  }
}

function insert(seed: number, transaction: number, step: number, count: number): string {
  const rows = Array.from({ length: count }, (_, index) => {
    const id = ((seed * 10_000 + transaction) * 10 + step) * 10 + index
    return `(${id}, ${index % 2 === 0})`
  })
  return `insert into notes (id, even) values ${rows.join()} returning even`
}

function remove(from: number): string {
  return `delete from notes where id in (select id from notes where id % 1000 >= ${from} order by id limit 3) returning even`
}

/** Starts two writers in a process of their own, and waits for them. */
export async function writersElsewhere(dialect: string, url: string, { seed, transactions }: Work): Promise<void> {
  const program = join(import.meta.dirname, 'ledger-process.ts')
  const child = fork(program, [dialect, url, String(seed), String(transactions)], { execArgv: [CONDITIONS] })
  const [code] = await once(child, 'exit')
  if (code !== 0) throw new Error('The writers failed: see the message above.')
}

/** Mulberry32. */
function randomFrom(seed: number): () => number {
  let state = seed
  return () => {
    state = (state + 0x6d2b79f5) | 0
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32
  }
}
