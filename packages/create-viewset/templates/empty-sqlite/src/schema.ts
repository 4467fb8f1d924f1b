// The tables of this database: what resources are about, and what drizzle-kit compares with the migrations.
import { kit } from 'viewset/sqlite'
import { models } from './models.ts'

// Name each one here, for drizzle-kit and your resources: export const { authors } = models(kit)
export const tables = models(kit)
