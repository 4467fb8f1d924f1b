// Run as a process of its own by global-setup.ts, so that PostgreSQL never outlives the test run: however that ends
// (a failure, Ctrl-C, kill -9), the operating system closes this process's standard input.
import { startPgBouncer } from './pgbouncer.ts'
import { startPostgresServer } from './postgres-server.ts'

const ended = new Promise(resolve => process.stdin.once('close', resolve).resume())
const isPooled = process.env.VIEWSET_TEST_POOLER !== undefined
const server = await startPostgresServer({ trusted: isPooled })
const pooler = isPooled ? await startPgBouncer(server.url) : undefined
console.log((pooler ?? server).url)
await ended
await pooler?.stop()
await server.stop()
