import Fastify from 'fastify'
import {
  AllowAny,
  BaseModelSerializer,
  BulkImportableViewSet,
  IdToDataField,
  importForeignKey,
  importModel,
} from 'viewset'
import { resources, serverOptions } from 'viewset/fastify'
import { kit as c, sqlite } from 'viewset/sqlite'

const [file, port] = process.argv.slice(2)
const place = () => ({ id: c.uuid().primaryKey(), code: c.text(20).notNull(), name: c.text(100).notNull() })
const countries = c.table('countries', place(), t => [c.unique(t.code)])
const regions = c.table('regions', place(), t => [c.unique(t.code)])
const cities = c.table(
  'cities',
  {
    ...c.BaseModelMixin(),
    name: c.text(200).notNull(),
    latitude: c.decimal(8, 5).notNull(),
    longitude: c.decimal(8, 5).notNull(),
    country: c.foreignKey(countries).notNull(),
    region: c.foreignKey(regions),
  },
  t => [c.unique(t.name)],
)
const related = model =>
  IdToDataField({ queryset: model, serializer: BaseModelSerializer(model, { fields: ['id', 'code', 'name'] }) })
const byCode = (model, sourceField) => importForeignKey({ model, lookupField: 'code', sourceField })

const CityViewSet = BulkImportableViewSet({
  model: cities,
  serializer: BaseModelSerializer(cities, {
    fields: ['id', 'name', 'latitude', 'longitude', 'country', 'region', 'createdAt', 'updatedAt'],
    extra: { country: related(countries), region: related(regions) },
  }),
  permissionClasses: [AllowAny],
  ordering: 'name',
  exportFieldConfig: {
    id: 'id',
    name: 'name',
    latitude: 'latitude',
    longitude: 'longitude',
    country__code: 'country',
    region__code: 'region',
  },
  importFileConfig: {
    fileFormat: 'csv',
    order: ['cities'],
    models: {
      cities: importModel({
        model: cities,
        fields: ['name', 'latitude', 'longitude'],
        uniqueFields: ['name'],
        foreignKeys: { country: byCode(countries, 'country'), region: byCode(regions, 'region') },
      }),
    },
  },
})

const app = Fastify(serverOptions)
await app.register(resources, { prefix: '/api', database: sqlite(file), resources: { cities: CityViewSet } })
await app.listen({ port: Number(port), host: '127.0.0.1' })
