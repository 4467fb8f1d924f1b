import { eq } from 'drizzle-orm'
import type { ColumnKit } from 'viewset'

/** The atlas's tables, for the database of the kit. */
export function models(c: ColumnKit) {
  const users = c.table('users', {
    id: c.uuid().primaryKey(),
    username: c.text(150).notNull().unique(),
    role: c.enumeration(['admin', 'reader']).notNull(),
  })

  const continents = c.table('continents', {
    code: c.text(2).primaryKey(),
    name: c.text(50).notNull(),
  })

  const countries = c.table(
    'countries',
    {
      ...c.BaseModelMixin({ user: users }),
      code: c.text(2).notNull().unique(),
      name: c.text(100).notNull(),
      nativeName: c.text(100).notNull(),
      /** Some countries, such as Antarctica, have no capital. */
      capital: c.text(100),
      continent: c.foreignKey(continents, { onDelete: 'restrict' }).notNull(),
      phonePrefixes: c.array(c.integer()).notNull(),
      currencies: c.array(c.text(3)).notNull(),
      languages: c.array(c.text(2)).notNull(),
    },
    t => [c.index(t.name, t.id)],
  )

  const regions = c.table(
    'regions',
    {
      ...c.BaseModelMixin({ user: users }),
      /** Country and first administrative division, as in GeoNames: `AD.02`. */
      code: c.text(20).notNull().unique(),
      name: c.text(100).notNull(),
      country: c.foreignKey(countries, { onDelete: 'restrict' }).notNull(),
      ...c.VersionMixin(),
    },
    t => [c.index(t.name, t.id), c.index(t.country)],
  )

  const cities = c.table(
    'cities',
    {
      ...c.BaseModelMixin({ user: users }),
      name: c.text(200).notNull(),
      latitude: c.decimal(8, 5).notNull(),
      longitude: c.decimal(8, 5).notNull(),
      country: c.foreignKey(countries, { onDelete: 'restrict' }).notNull(),
      region: c.foreignKey(regions, { onDelete: 'restrict' }),
      ...c.VersionMixin(),
    },
    t => [
      // Lists show active cities only, and so do their counts and those of a country.
      c.index(t.isActive, t.name, t.id),
      c.index(t.country, t.isActive),
      c.index(t.region),
      // An import finds a city by its name and its coordinates.
      c.index(t.name, t.latitude, t.longitude),
    ],
  )

  const visits = c.table(
    'visits',
    {
      ...c.BaseModelMixin({ user: users }),
      city: c.foreignKey(cities, { onDelete: 'restrict' }).notNull(),
      note: c.text(2000),
      rating: c.integer().notNull(),
      visitedOn: c.date().notNull(),
    },
    t => [c.index(t.city), c.index(t.createdBy, t.visitedOn)],
  )

  /** Events of a city. Clients add them in bulk and never change them. */
  const events = c.table(
    'events',
    {
      ...c.BaseModelMixin({ user: users }),
      name: c.text(200).notNull(),
      kind: c.enumeration(['concert', 'festival', 'market', 'match', 'other']).notNull(),
      happenedAt: c.timestamp().notNull(),
      city: c.foreignKey(cities, { onDelete: 'restrict' }).notNull(),
    },
    t => [c.index(t.happenedAt, t.id), c.index(t.city)],
  )

  const labels = c.table(
    'labels',
    { ...c.BaseModelMixin({ user: users }), ...c.SlugMixin({ from: 'name', length: 60 }), name: c.text(50).notNull() },
    t => [c.unique([t.slug], { where: eq(t.isActive, true) })],
  )

  const trips = c.table(
    'trips',
    {
      ...c.BaseModelMixin({ user: users }),
      title: c.text(100).notNull(),
      status: c.enumeration(['planned', 'under_way', 'done']).notNull().default('planned'),
      startsOn: c.date(),
      endsOn: c.date(),
      ...c.VersionMixin(),
    },
    t => [c.index(t.createdBy, t.startsOn)],
  )

  /** The places of a trip, in their order. They are written with it. */
  const stops = c.table(
    'stops',
    {
      id: c.BaseModelMixin().id,
      trip: c.foreignKey(trips, { onDelete: 'cascade' }).notNull(),
      city: c.foreignKey(cities, { onDelete: 'restrict' }).notNull(),
      position: c.integer().notNull(),
      nights: c.integer().notNull().default(1),
      note: c.text(500),
    },
    t => [c.unique(t.trip, t.position), c.index(t.city)],
  )

  const tripLabels = c.table(
    'trip_labels',
    {
      id: c.BaseModelMixin().id,
      trip: c.foreignKey(trips, { onDelete: 'cascade' }).notNull(),
      label: c.foreignKey(labels, { onDelete: 'restrict' }).notNull(),
    },
    t => [c.unique(t.trip, t.label), c.index(t.label)],
  )
  const visitLabels = c.table(
    'visit_labels',
    {
      id: c.BaseModelMixin().id,
      visit: c.foreignKey(visits, { onDelete: 'cascade' }).notNull(),
      label: c.foreignKey(labels, { onDelete: 'restrict' }).notNull(),
    },
    t => [c.unique(t.visit, t.label), c.index(t.label)],
  )

  const histories = {
    ...c.HistoryTable(regions),
    ...c.HistoryTable(cities),
    ...c.HistoryTable(trips),
    ...c.HistoryTable(stops, { parent: 'trip' }),
  }
  const tables = { ...histories, ...c.JobTables(), ...c.IdempotencyTable() }
  const travel = { labels, trips, stops, tripLabels, visitLabels }
  return { users, continents, countries, regions, cities, visits, events, ...travel, ...tables }
}

export type Models = ReturnType<typeof models>
