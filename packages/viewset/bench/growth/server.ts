// The cities, however many there are: `server.ts <dialect> <location> <port>`.
import Fastify from 'fastify'
import { AllowAny, BaseModelSerializer, noCount, ReadOnlyViewSet, StandardPageNumberPagination } from 'viewset'
import { resources, serverOptions } from 'viewset/fastify'
import type { DialectName } from '../case.ts'
import { openDatabase } from '../fixture/database.ts'
import { EXPORT_FIELDS, FIELDS, relations } from '../fixture/resource.ts'

const [dialect, location = '', port] = process.argv.slice(2)
const { database, tables } = await openDatabase(dialect as DialectName, location)

class Uncounted extends StandardPageNumberPagination {
  override readonly countStrategy = noCount
}

const settings = {
  model: tables.cities,
  serializer: BaseModelSerializer(tables.cities, { fields: FIELDS, extra: relations(tables) }),
  permissionClasses: [AllowAny],
  ordering: 'name',
  filterFields: ['country'],
  searchFields: ['name'],
  exportFieldConfig: EXPORT_FIELDS,
} as const
const app = Fastify(serverOptions)
await app.register(resources, {
  prefix: '/api',
  database,
  resources: {
    cities: ReadOnlyViewSet(settings),
    uncounted: ReadOnlyViewSet({ ...settings, paginationClass: Uncounted }),
  },
})
await app.listen({ port: Number(port), host: '127.0.0.1' })
