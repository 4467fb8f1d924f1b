// The tables of this database. The resources use them, and drizzle-kit compares them with the migrations.
import { kit } from 'viewset/sqlite'
import { models } from './models.ts'

// Export each table by its name instead: export const { authors } = models(kit)
export const tables = models(kit)
