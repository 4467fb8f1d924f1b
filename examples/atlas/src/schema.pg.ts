// drizzle-kit reads this file to write migrations for PostgreSQL.
import { kit } from 'viewset/pg'
import { models } from './models.ts'

export const { users, continents, countries, regions, cities, visits, events, jobs, jobErrors } = models(kit)
