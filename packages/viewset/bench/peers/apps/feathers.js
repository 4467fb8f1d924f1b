import { randomUUID } from 'node:crypto'
import { feathers } from '@feathersjs/feathers'
import { KnexService } from '@feathersjs/knex'
import { bodyParser, errorHandler, koa, rest } from '@feathersjs/koa'
import { Ajv, resolve, hooks as schemaHooks, virtual } from '@feathersjs/schema'
import { getValidator, querySyntax, Type } from '@feathersjs/typebox'
import knex from 'knex'

const [file, port] = process.argv.slice(2)
const database = knex({
  client: 'better-sqlite3',
  connection: { filename: file },
  useNullAsDefault: true,
  pool: { afterCreate: (connection, done) => done(connection.pragma('journal_mode = wal') && null, connection) },
})

const decimal = () => Type.String({ pattern: '^-?\\d{1,3}(\\.\\d{1,5})?$' })
const dataSchema = Type.Object(
  {
    name: Type.String({ maxLength: 200 }),
    latitude: decimal(),
    longitude: decimal(),
    country_id: Type.String(),
    region_id: Type.Optional(Type.Union([Type.String(), Type.Null()])),
  },
  { additionalProperties: false },
)
const querySchema = querySyntax(Type.Object({ id: Type.String(), name: Type.String() }))
const dataValidator = getValidator(dataSchema, new Ajv({}))
const queryValidator = getValidator(querySchema, new Ajv({ coerceTypes: true }))

const dataResolver = resolve({
  id: async () => randomUUID(),
  is_active: async () => 1,
  created_at: async () => new Date().toISOString(),
  updated_at: async () => new Date().toISOString(),
})
const resultResolver = resolve({
  country: virtual(async (city, context) => context.app.service('api/countries').get(city.country_id)),
  region: virtual(async (city, context) =>
    city.region_id ? context.app.service('api/regions').get(city.region_id) : null,
  ),
})

const app = koa(feathers())
app.use(errorHandler())
app.use(bodyParser({ jsonLimit: '50mb' }))
app.configure(rest())
for (const name of ['countries', 'regions']) app.use(`api/${name}`, new KnexService({ Model: database, name }))
app.use(
  'api/cities',
  new KnexService({ Model: database, name: 'cities', multi: true, paginate: { default: 20, max: 100 } }),
)
app.service('api/cities').hooks({
  around: { all: [schemaHooks.resolveResult(resultResolver)] },
  before: {
    find: [schemaHooks.validateQuery(queryValidator)],
    create: [schemaHooks.validateData(dataValidator), schemaHooks.resolveData(dataResolver)],
  },
})

await app.listen(Number(port), '127.0.0.1')
