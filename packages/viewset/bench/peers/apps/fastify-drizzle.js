import { randomUUID } from 'node:crypto'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import Sqlite from 'better-sqlite3'
import { parse } from 'csv-parse'
import { asc, eq, gt, relations, sql } from 'drizzle-orm'
import { drizzle } from 'drizzle-orm/better-sqlite3'
import { integer, real, sqliteTable, text } from 'drizzle-orm/sqlite-core'
import Fastify from 'fastify'

const [file, port] = process.argv.slice(2)

const place = () => ({ id: text().primaryKey(), code: text().notNull(), name: text().notNull() })
const countries = sqliteTable('countries', place())
const regions = sqliteTable('regions', place())
const cities = sqliteTable('cities', {
  id: text().primaryKey().$defaultFn(randomUUID),
  name: text().notNull().unique(),
  latitude: real().notNull(),
  longitude: real().notNull(),
  countryId: text('country_id')
    .notNull()
    .references(() => countries.id),
  regionId: text('region_id').references(() => regions.id),
  isActive: integer('is_active', { mode: 'boolean' }).notNull().default(true),
  createdAt: text('created_at').notNull().$defaultFn(now),
  updatedAt: text('updated_at').notNull().$defaultFn(now).$onUpdate(now),
})
const cityRelations = relations(cities, ({ one }) => ({
  country: one(countries, { fields: [cities.countryId], references: [countries.id] }),
  region: one(regions, { fields: [cities.regionId], references: [regions.id] }),
}))

const sqlite = new Sqlite(file)
sqlite.pragma('journal_mode = wal')
const db = drizzle(sqlite, { schema: { countries, regions, cities, cityRelations } })

const nested = {
  columns: { countryId: false, regionId: false, isActive: false },
  with: { country: true, region: true },
}
const findOne = id => db.query.cities.findFirst({ ...nested, where: eq(cities.id, id) }).sync()

const citySchema = {
  type: 'object',
  required: ['name', 'latitude', 'longitude', 'country'],
  additionalProperties: false,
  properties: {
    name: { type: 'string', maxLength: 200 },
    latitude: { type: 'string', pattern: '^-?\\d{1,3}(\\.\\d{1,5})?$' },
    longitude: { type: 'string', pattern: '^-?\\d{1,3}(\\.\\d{1,5})?$' },
    country: { type: 'string', format: 'uuid' },
    region: { type: ['string', 'null'], format: 'uuid' },
  },
}
const pageSchema = {
  type: 'object',
  properties: {
    page: { type: 'integer', minimum: 1, default: 1 },
    page_size: { type: 'integer', minimum: 1, maximum: 100, default: 20 },
  },
}

const app = Fastify({ bodyLimit: 50 * 1024 * 1024 })
app.addContentTypeParser('text/csv', (_request, payload, done) => done(null, payload))
app.setErrorHandler((error, _request, reply) => {
  if (error.code === 'SQLITE_CONSTRAINT_FOREIGNKEY')
    return reply.code(400).send({ error: 'Unknown country or region.' })
  if (error.code === 'SQLITE_CONSTRAINT_UNIQUE') return reply.code(409).send({ error: 'This name is taken.' })
  return reply.send(error)
})

app.get('/api/cities', { schema: { querystring: pageSchema } }, async request => {
  const { page, page_size: limit } = request.query
  const count = await db.$count(cities)
  const data = await db.query.cities.findMany({
    ...nested,
    orderBy: [asc(cities.name)],
    limit,
    offset: (page - 1) * limit,
  })
  return { count, data }
})

app.get(
  '/api/cities/:id',
  async (request, reply) => findOne(request.params.id) ?? reply.code(404).send({ error: 'Not found.' }),
)

app.post('/api/cities', { schema: { body: citySchema } }, async (request, reply) => {
  const [{ id }] = db.insert(cities).values(valuesOf(request.body)).returning({ id: cities.id }).all()
  return reply.code(201).send(findOne(id))
})

app.post(
  '/api/cities/bulk',
  { schema: { body: { type: 'array', maxItems: 1_000, items: citySchema } } },
  async (request, reply) => {
    const created = db.transaction(tx => {
      const rows = []
      // SQLite takes 32,766 values in a statement.
      for (let at = 0; at < request.body.length; at += 500) {
        rows.push(
          ...tx
            .insert(cities)
            .values(request.body.slice(at, at + 500).map(valuesOf))
            .returning()
            .all(),
        )
      }
      return rows
    })
    return reply.code(201).send(created)
  },
)

app.post('/api/cities/import', async request => {
  const ids = table =>
    new Map(
      db
        .select({ code: table.code, id: table.id })
        .from(table)
        .all()
        .map(({ code, id }) => [code, id]),
    )
  const [countryIds, regionIds] = [ids(countries), ids(regions)]
  const errors = []
  const rows = []
  let line = 1
  for await (const row of request.body.pipe(parse({ columns: true }))) {
    line++
    const countryId = countryIds.get(row.country)
    const regionId = row.region === '' ? null : regionIds.get(row.region)
    const [latitude, longitude] = [Number(row.latitude), Number(row.longitude)]
    if (!countryId || regionId === undefined || Number.isNaN(latitude) || Number.isNaN(longitude) || row.name === '') {
      errors.push({ line, error: 'Not a valid city.' })
    } else rows.push({ name: row.name, latitude, longitude, countryId, regionId })
  }
  db.transaction(tx => {
    for (let at = 0; at < rows.length; at += 500) {
      tx.insert(cities)
        .values(rows.slice(at, at + 500))
        .onConflictDoUpdate({
          target: cities.name,
          set: {
            latitude: sql`excluded.latitude`,
            longitude: sql`excluded.longitude`,
            countryId: sql`excluded.country_id`,
            regionId: sql`excluded.region_id`,
            updatedAt: now(),
          },
        })
        .run()
    }
  })
  return { stored: rows.length, errors }
})

app.get('/api/cities/export', async (_request, reply) => {
  reply.hijack()
  reply.raw.writeHead(200, { 'content-type': 'text/csv' })
  await pipeline(Readable.from(csv()), reply.raw)
})

async function* csv() {
  yield 'id,name,latitude,longitude,country,region\r\n'
  for (let last = ''; ; ) {
    const rows = db
      .select({
        id: cities.id,
        name: cities.name,
        latitude: cities.latitude,
        longitude: cities.longitude,
        country: countries.code,
        region: regions.code,
      })
      .from(cities)
      .innerJoin(countries, eq(countries.id, cities.countryId))
      .leftJoin(regions, eq(regions.id, cities.regionId))
      .where(gt(cities.name, last))
      .orderBy(asc(cities.name))
      .limit(1_000)
      .all()
    if (rows.length === 0) return
    yield rows.map(row => `${Object.values(row).map(cell).join(',')}\r\n`).join('')
    last = rows.at(-1).name
  }
}

function cell(value) {
  const text = String(value ?? '')
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text
}

function valuesOf({ name, latitude, longitude, country, region }) {
  return {
    name,
    latitude: Number(latitude),
    longitude: Number(longitude),
    countryId: country,
    regionId: region ?? null,
  }
}

function now() {
  return new Date().toISOString()
}

await app.listen({ port: Number(port), host: '127.0.0.1' })
