import type { Database } from '../store/connection/database.ts'
import { CliError } from './cli-error.ts'
import type { ViewsetConfig } from './config.ts'

/** The caller closes the database. @throws CliError for a configuration without a database */
export async function openDatabase({ database: open }: ViewsetConfig): Promise<Database> {
  if (open) return open()
  const example = 'database: () => postgres(process.env.DATABASE_URL)'
  throw new CliError(`viewset.config.ts does not say which database; add to it: ${example}`)
}
