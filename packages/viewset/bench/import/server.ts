// A server that imports towns in the background, and tells how long it was held and what it took.
import { readFileSync } from 'node:fs'
import { monitorEventLoopDelay } from 'node:perf_hooks'
import { parseArgs } from 'node:util'
import Fastify from 'fastify'
import { AllowAny, BaseModelSerializer, BulkViewSet, ImportableViewSet, ReadOnlyViewSet } from 'viewset'
import { resources, serverOptions } from 'viewset/fastify'
import { folder } from 'viewset/jobs'
import { openTowns } from './database.ts'
import { config } from './fixture.ts'

const { positionals } = parseArgs({ allowPositionals: true })
const [dialect, location, files] = positionals as ['pg' | 'sqlite', string, string]
const { database, tables } = await openTowns(dialect, location)
const { countries, towns, notes, jobs, jobErrors } = tables
const permissionClasses = [AllowAny]
const app = Fastify(serverOptions)
await app.register(resources, {
  database,
  resources: {
    countries: ReadOnlyViewSet({
      model: countries,
      serializer: BaseModelSerializer(countries, { fields: ['id', 'code'] }),
      permissionClasses,
    }),
    towns: ImportableViewSet({
      model: towns,
      serializer: BaseModelSerializer(towns, {
        fields: ['id', 'country', 'name', 'latitude', 'longitude', 'population', 'founded'],
      }),
      permissionClasses,
      searchFields: ['name', 'country__code'],
      checkScope: 'never',
      importFileConfig: config(tables, undefined),
    }),
    notes: BulkViewSet({
      model: notes,
      serializer: BaseModelSerializer(notes, { fields: ['id', 'text'] }),
      permissionClasses,
    }),
  },
  jobs: { tables: { jobs, jobErrors }, files: folder(files) },
})
const delays = monitorEventLoopDelay({ resolution: 1 })
process.on('message', () => {
  const status = readFileSync('/proc/self/status', 'utf8')
  const memory = Math.round(Number(/VmHWM:\s+(\d+)/.exec(status)?.[1]) / 1_024)
  const { user, system } = process.cpuUsage()
  process.send?.([Math.round(delays.max / 1e6), memory, Math.round((user + system) / 1_000)])
  // Each answer is about the time since the one before.
  delays.reset()
})
process.send?.(await app.listen({ host: '127.0.0.1', port: 0 }))
// The start is not what is measured.
setTimeout(() => delays.enable(), 2_000)
