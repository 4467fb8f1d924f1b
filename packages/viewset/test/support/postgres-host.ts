// Run as a process of its own by global-setup.ts, so that PostgreSQL never outlives the test run: however that ends
// (a failure, Ctrl-C, kill -9), the operating system closes this process's standard input.
import { startPostgresServer } from './postgres-server.ts'

const ended = new Promise(resolve => process.stdin.once('close', resolve).resume())
const server = await startPostgresServer()
console.log(server.url)
await ended
await server.stop()
