// A server that imports towns in the background and exports them, and reports for how long its event loop was held.
import { monitorEventLoopDelay } from 'node:perf_hooks'
import { parseArgs } from 'node:util'
import Fastify from 'fastify'
import { AllowAny, BaseModelSerializer, BulkViewSet, ImportableViewSet, ReadOnlyViewSet } from 'viewset'
import { resources, serverOptions } from 'viewset/fastify'
import { folder } from 'viewset/jobs'
import { openTowns } from '../import/database.ts'
import { config } from '../import/fixture.ts'
import { forgetPeak, peakMemory } from '../support/memory.ts'

const { positionals } = parseArgs({ allowPositionals: true })
const [dialect, location, files] = positionals as ['pg' | 'sqlite', string, string]
const { database, tables } = await openTowns(dialect, location)
const { countries, towns, notes, jobs, jobErrors } = tables
const permissionClasses = [AllowAny]
const app = Fastify(serverOptions)
await app.register(resources, {
  database,
  // Work in the background needs a user. This one starts and reads all of it.
  authenticate: () => ({ id: 'bench' }),
  // A file of a million rows, which is the most that an import takes, is larger than 50 MB.
  settings: { COMMON: { IMPORT_MAX_FILE_SIZE: 2 ** 30 } },
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
      exportFieldConfig: { name: 'Name', country__code: 'Country', latitude: 'Latitude', longitude: 'Longitude' },
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
delays.enable()
process.on('message', message => {
  if (message === 'begin') {
    delays.reset()
    forgetPeak()
  }
  const { user, system } = process.cpuUsage()
  process.send?.([delays.max / 1e6, peakMemory() / 1e6, (user + system) / 1_000])
})
// However the benchmark ends, its server ends with it.
process.on('disconnect', () => process.exit())
process.send?.(await app.listen({ host: '127.0.0.1', port: 0 }))
