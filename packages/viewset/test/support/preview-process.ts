// A preview of a large file, in a process of its own: tells what it costs and what it shows.
import { setTimeout as sleep } from 'node:timers/promises'
import { ImportService } from 'viewset'
import { kit } from 'viewset/sqlite'
import { atlasModels, geography } from './import-models.ts'

const [path, warmUp] = process.argv.slice(2) as [string, string]
const { cities } = atlasModels(geography(kit))
const service = new ImportService({ fileFormat: 'xlsx', order: ['cities'], models: { cities } })
// What a program loads and compiles once is no cost of a preview.
await service.preview(warmUp)
await sleep(50)
const before = process.memoryUsage.rss()
const cpu = process.cpuUsage()
const thread = process.threadCpuUsage()
let most = before
const watch = setInterval(() => {
  most = Math.max(most, process.memoryUsage.rss())
}, 5)
const preview = await service.preview(path)
const own = process.threadCpuUsage(thread)
const all = process.cpuUsage(cpu)
clearInterval(watch)
const [sheet] = preview.sheets
console.log(
  JSON.stringify({
    cpu: (all.user + all.system) / 1000,
    // All that it does in the event loop; it cannot hold it for longer at a time.
    mainThread: (own.user + own.system) / 1000,
    memory: (most - before) / 1024 ** 2,
    headers: sheet?.headers.map(({ header }) => header),
    rows: sheet?.rows.length,
  }),
)
