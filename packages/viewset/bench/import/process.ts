// One import, in a process of its own: prints what it has used.
import { readFileSync, writeFileSync } from 'node:fs'
import { parseArgs } from 'node:util'
import { ImportService } from 'viewset'
import { openTowns } from './database.ts'
import { config } from './fixture.ts'
import { floorImport } from './floor.ts'

const { positionals } = parseArgs({ allowPositionals: true })
const [side, dialect, location, path, chunkSize] = positionals as [string, 'pg' | 'sqlite', string, string, string?]
const held = megabytes('VmRSS')
// From here on, the highest value counts anew.
if (process.platform === 'linux') writeFileSync('/proc/self/clear_refs', '5')
const before = process.cpuUsage()
const started = performance.now()
let counts: object
if (side === 'floor') counts = await floorImport(location, path)
else {
  const { database, tables } = await openTowns(dialect, location)
  const service = new ImportService(config(tables, chunkSize === undefined ? undefined : Number(chunkSize)), {
    database,
    limits: { maxBytes: 2 ** 30, maxRows: 2 ** 24, maxInflatedBytes: 2 ** 31 },
  })
  const { created, updated, failed } = await service.import(path, { append: true })
  counts = { created, updated, failed }
  await database.close()
}
const { user, system } = process.cpuUsage(before)
console.log(
  JSON.stringify({
    ...counts,
    cpu: (user + system) / 1e6,
    seconds: (performance.now() - started) / 1_000,
    megabytesBefore: held,
    megabytesMore: megabytes('VmHWM') - held,
  }),
)

/** A line of the process's memory; `maxRSS` would begin with what the parent had when it forked. */
function megabytes(line: 'VmRSS' | 'VmHWM'): number {
  if (process.platform !== 'linux') return Number.NaN
  const kilobytes = new RegExp(`${line}:\\s+(\\d+)`).exec(readFileSync('/proc/self/status', 'utf8'))?.[1]
  return Math.round(Number(kilobytes) / 1_024)
}
