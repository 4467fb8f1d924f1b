// A worker that kills itself at a step of a job: told its database, and where the files of jobs lie.
import { Database } from 'viewset'
import { folder } from 'viewset/jobs'
import { createHandler } from 'viewset/node'
import { kit as pgKit, postgres } from 'viewset/pg'
import { sqlite, kit as sqliteKit } from 'viewset/sqlite'
import type { JobStep } from './job-processes.ts'
import { killableResources } from './killable-resources.ts'
import { ManualQueue } from './manual-queue.ts'
import { MortalDriver } from './mortal-driver.ts'

const [dialect, url, path] = process.argv.slice(2) as [string, string, string]
const { driver } = dialect === 'pg' ? postgres(url) : sqlite(url)
const mortal = new MortalDriver(driver, () => process.kill(process.pid, 'SIGKILL'))
const queue = new ManualQueue()
const { resources, jobTables: tables } = killableResources(dialect === 'pg' ? pgKit : sqliteKit)
const handler = createHandler({
  database: new Database(mortal),
  resources,
  settings: { JOBS: { ANONYMOUS: true } },
  jobs: { tables, queue, files: folder(path) },
})
await handler.ready()
process.on('message', async ({ id, step, moment }: JobStep) => {
  mortal.rebear(step, moment)
  await queue.run(id).catch(() => {})
  mortal.rebear()
  process.send?.('done')
})
process.once('disconnect', () => process.exit())
process.send?.('ready')
