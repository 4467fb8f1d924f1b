import Sqlite from 'better-sqlite3'
import Fastify from 'fastify'
import { describeEntity, Fields, Relations, SqlDatabase, Validators } from 'remult'
import { BetterSqlite3DataProvider } from 'remult/remult-better-sqlite3'
import { remultApi } from 'remult/remult-fastify'

const [file, port] = process.argv.slice(2)
const sqlite = new Sqlite(file)
sqlite.pragma('journal_mode = wal')

class Country {}
class Region {}
class City {}

const place = () => ({
  id: Fields.string({ allowApiUpdate: false }),
  code: Fields.string(),
  name: Fields.string(),
})
describeEntity(Country, 'countries', place(), { allowApiRead: true })
describeEntity(Region, 'regions', place(), { allowApiRead: true })

const degrees = limit => Fields.number({ validate: Validators.range([-limit, limit]), required: true })
describeEntity(
  City,
  'cities',
  {
    id: Fields.uuid(),
    name: Fields.string({ required: true, validate: Validators.maxLength(200) }),
    latitude: degrees(90),
    longitude: degrees(180),
    countryId: Fields.string({ dbName: 'country_id', required: true }),
    country: Relations.toOne(() => Country, { field: 'countryId', defaultIncluded: true }),
    regionId: Fields.string({ dbName: 'region_id', allowNull: true }),
    region: Relations.toOne(() => Region, { field: 'regionId', defaultIncluded: true }),
    createdAt: Fields.string({
      dbName: 'created_at',
      allowApiUpdate: false,
      saving: city => (city.createdAt ||= now()),
    }),
    updatedAt: Fields.string({ dbName: 'updated_at', allowApiUpdate: false, saving: city => (city.updatedAt = now()) }),
    isActive: Fields.boolean({ dbName: 'is_active', includeInApi: false, defaultValue: () => true }),
  },
  { allowApiCrud: true, defaultOrderBy: { name: 'asc' } },
)

function now() {
  return new Date().toISOString()
}

const app = Fastify({ bodyLimit: 50 * 1024 * 1024 })
await app.register(
  remultApi({
    entities: [Country, Region, City],
    dataProvider: new SqlDatabase(new BetterSqlite3DataProvider(sqlite)),
    ensureSchema: false,
    admin: false,
  }),
)
await app.listen({ port: Number(port), host: '127.0.0.1' })
