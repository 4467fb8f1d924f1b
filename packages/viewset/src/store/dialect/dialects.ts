import type { DialectName } from '../../model/drizzle.ts'
import type { Dialect } from './dialect.ts'
import { postgresDialect } from './postgres.ts'
import { sqliteDialect } from './sqlite.ts'

/** The dialects by name; none of them loads a driver. */
export const dialects: Readonly<Record<DialectName, Dialect>> = { pg: postgresDialect, sqlite: sqliteDialect }
