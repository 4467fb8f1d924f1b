// One import, in a process of its own: prints what it has used.
import { parseArgs } from 'node:util'
import { ImportService } from 'viewset'
import { forgetPeak, peakMemory } from '../support/memory.ts'
import { OwnProfile } from '../support/own-profile.ts'
import { openTowns } from './database.ts'
import { config } from './fixture.ts'
import { floorImport, type ImportCounts } from './floor.ts'

const { positionals, values } = parseArgs({ allowPositionals: true, options: { explain: { type: 'boolean' } } })
const [side, dialect, location, path, chunkSize] = positionals as [string, 'pg' | 'sqlite', string, string, string?]
// The loading of code is not what is measured.
const towns = side === 'floor' ? undefined : await openTowns(dialect, location)
const profile = values.explain ? new OwnProfile() : undefined
await profile?.begin()
forgetPeak()
const before = process.cpuUsage()
const started = performance.now()
const { created, updated, failed } = await (towns ? viewsetImport(towns) : floorImport(dialect, location, path))
const { user, system } = process.cpuUsage(before)
const seconds = (performance.now() - started) / 1_000
const parts = await profile?.end()
const used = { cpu: (user + system) / 1e6, seconds, peak: peakMemory() }
console.log(JSON.stringify({ created, updated, failed, ...used, parts }))

async function viewsetImport({ database, tables }: Awaited<ReturnType<typeof openTowns>>): Promise<ImportCounts> {
  const service = new ImportService(config(tables, chunkSize === undefined ? undefined : Number(chunkSize)), {
    database,
    limits: { maxBytes: 2 ** 30, maxRows: 2 ** 24, maxInflatedBytes: 2 ** 31 },
  })
  const counts = await service.import(path, { append: true })
  await database.close()
  return counts
}
