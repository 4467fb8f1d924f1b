import { ConfigError } from '../core/errors.ts'
import { wrongDatabase } from '../model/dialect/dialects.ts'
import type { TableInfo } from '../model/model-info.ts'
import type { Database } from './database.ts'

/** @throws ConfigError for a table of another database: its values would be stored in a form that is not read again. */
export function checkDialect({ dialect }: Database, { name, dialect: own }: TableInfo): void {
  if (own.name !== dialect.name) throw new ConfigError(name, 'model', wrongDatabase(name, own, dialect))
}
