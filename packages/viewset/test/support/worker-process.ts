// A worker that runs what it finds, until it is killed: told its database, and where the files of jobs lie.
import { embeddedQueue, folder } from 'viewset/jobs'
import { createHandler } from 'viewset/node'
import { kit as pgKit, postgres } from 'viewset/pg'
import { sqlite, kit as sqliteKit } from 'viewset/sqlite'
import { millionTowns } from './million-towns.ts'

const [dialect, url, path] = process.argv.slice(2) as [string, string, string]
const database = dialect === 'pg' ? postgres(url) : sqlite(url)
const { resources, jobTables: tables } = millionTowns(dialect === 'pg' ? pgKit : sqliteKit)
const handler = createHandler({ database, resources, jobs: { tables, queue: embeddedQueue(), files: folder(path) } })
await handler.ready()
process.once('disconnect', () => process.exit())
process.send?.('ready')
// It serves nothing, so nothing else would keep it.
setInterval(() => {}, 60_000)
