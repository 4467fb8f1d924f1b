// A preview of a large file, in a process of its own: tells what it costs and what it shows.
import { monitorEventLoopDelay } from 'node:perf_hooks'
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
const delay = monitorEventLoopDelay({ resolution: 5 })
const before = process.memoryUsage.rss()
const cpu = process.cpuUsage()
let most = before
const watch = setInterval(() => {
  most = Math.max(most, process.memoryUsage.rss())
}, 5)
delay.enable()
const start = performance.now()
const preview = await service.preview(path)
const wall = performance.now() - start
const { user, system } = process.cpuUsage(cpu)
// The thread is gone, but for what the collector does.
delay.disable()
clearInterval(watch)
console.log(
  JSON.stringify({
    wall,
    cpu: (user + system) / 1000,
    memory: (most - before) / 1024 ** 2,
    total: most / 1024 ** 2,
    delay: delay.max / 1e6,
    headers: preview.sheets[0]?.headers.map(({ header }) => header),
    rows: preview.sheets[0]?.rows.length,
    first: preview.sheets[0]?.rows[0]?.values,
  }),
)
