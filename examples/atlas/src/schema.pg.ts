// drizzle-kit reads this file to write migrations for PostgreSQL.
import { kit } from 'viewset/pg'
import { models } from './models.ts'

export const {
  users,
  continents,
  countries,
  regions,
  regionsHistory,
  cities,
  citiesHistory,
  visits,
  events,
  labels,
  trips,
  tripsHistory,
  stops,
  stopsHistory,
  tripLabels,
  visitLabels,
  jobs,
  jobErrors,
  idempotencyKeys,
} = models(kit)
