// The tables of this database. The resources use them, and drizzle-kit compares them with the migrations.
import { kit } from 'viewset/pg'
import { models } from './models.ts'

export const { authors, books } = models(kit)
