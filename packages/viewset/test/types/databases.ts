import SqliteDatabase from 'better-sqlite3'
import { drizzle as drizzleSqlite } from 'drizzle-orm/better-sqlite3'
import { drizzle as drizzlePg } from 'drizzle-orm/node-postgres'
import { pgTable, text } from 'drizzle-orm/pg-core'
import pg from 'pg'
import { type BegunTransaction, createRecord } from 'viewset'
import { postgres } from 'viewset/pg'
import { sqlite } from 'viewset/sqlite'

const notes = pgTable('notes', { id: text().primaryKey() })
const pool = new pg.Pool()
const onPool = drizzlePg(pool, { schema: { notes } })

postgres('postgres://localhost/shop', { poolSize: 5, namedStatements: false })
postgres({ host: 'db', ssl: { ca: 'a certificate' } }, { statementTimeout: 1_000 })
postgres(pool)
postgres(onPool)
postgres({ primary: 'postgres://db-1/shop', replicas: ['postgres://db-2/shop', { host: 'db-3' }, pool] })
// @ts-expect-error Replicas without a primary.
postgres({ replicas: ['postgres://db-2/shop'] })
// @ts-expect-error Our options are the second argument.
postgres({ host: 'db', poolSize: 5 })
// @ts-expect-error No option.
postgres('postgres://localhost/shop', { poolsize: 5 })

const handle = new SqliteDatabase(':memory:')
sqlite('shop.db', { synchronous: 'normal', busyTimeout: 100, readerThreads: 0, statementTimeout: 1_000 })
sqlite(handle)
sqlite(drizzleSqlite(handle, { schema: {} }))
// @ts-expect-error Neither of the two ways.
sqlite('shop.db', { synchronous: 'off' })
// @ts-expect-error A pool is PostgreSQL's.
sqlite(pool)

const database = sqlite(handle)
const fn = () => createRecord(notes, { id: 'a' })
await onPool.transaction(tx => database.withTransaction(tx, fn))
await onPool.transaction(tx => tx.transaction(inner => database.withTransaction(inner, fn)))
const { id } = await database.withTransaction(await pool.connect(), fn, { onCommit: callback => void callback() })
id satisfies string
await database.withTransaction(new pg.Client(), fn)
await database.withTransaction(handle, fn)
await database.withTransaction(drizzleSqlite(handle), fn)
// @ts-expect-error A pool has no transaction of its own.
await database.withTransaction(pool, fn)
// @ts-expect-error Nor has a database on it.
await database.withTransaction(onPool, fn)
// @ts-expect-error Transactions are asynchronous.
await database.withTransaction(handle, () => 1)

export const kept: BegunTransaction[] = [handle]
