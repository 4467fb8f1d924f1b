// The tables of this database: what the resources are about, and what drizzle-kit compares with the migrations.
import { kit } from 'viewset/pg'
import { models } from './models.ts'

export const { authors, books } = models(kit)
