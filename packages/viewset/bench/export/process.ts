// One file after another of the same rows, in a process of its own: prints what the first and the last have used.
import { Writable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { parseArgs } from 'node:util'
import { sql } from 'drizzle-orm'
import { BaseModelSerializer, type ExportFormat, ExportService, QuerySet } from 'viewset'
import { DIALECTS } from '../case.ts'
import { openDatabase } from '../fixture/database.ts'
import { EXPORT_FIELDS, FIELDS, relations } from '../fixture/resource.ts'
import { CITIES, cityId } from '../fixture/rows.ts'

const { positionals } = parseArgs({ allowPositionals: true })
const [dialectName, location = '', fileType, rows, times] = positionals
const dialect = DIALECTS.find(name => name === dialectName)
if (!dialect) throw new Error('Run this through exports.ts')
const { database, tables } = await openDatabase(dialect, location)
const { cities } = tables
const service = new ExportService(BaseModelSerializer(cities, { fields: FIELDS, extra: relations(tables) }), {
  exportFieldConfig: EXPORT_FIELDS,
})
const idle = process.memoryUsage.rss()
// Not `maxRSS`, which Linux lets a process begin with what the one that started it held.
let peak = idle
const look = () => {
  peak = Math.max(peak, process.memoryUsage.rss())
}
const watch = setInterval(look, 10)
const seconds: number[] = []
let bytes = 0
for (let n = 0; n < Number(times); n++) {
  const before = process.cpuUsage()
  bytes = 0
  const all = QuerySet.of(database, cities)
  const source = Number(rows) < CITIES ? all.filter(sql`${cities.id} < ${cityId(Number(rows))}`) : all
  const { stream } = service.export(source, { fileType: fileType as ExportFormat })
  await pipeline(
    stream,
    new Writable({
      write(chunk: Buffer, _encoding, done) {
        bytes += chunk.length
        look()
        done()
      },
    }),
  )
  const { user, system } = process.cpuUsage(before)
  seconds.push((user + system) / 1e6)
}
clearInterval(watch)
await database.close()
const memory = Math.round((peak - idle) / 1e6)
console.log(JSON.stringify({ first: seconds[0], last: seconds.at(-1), memory, size: bytes / 1e6 }))
