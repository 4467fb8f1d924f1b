import { CliError, searchIndexStatements } from 'viewset/internal'
import { exportedTables } from './draft/exported-tables.ts'

/** drizzle-kit separates the statements of a migration like this. */
const BREAKPOINT = ';\n--> statement-breakpoint\n'

/**
 * @returns the statements for search indexes that migrations lack @throws CliError if no table declares such an index
 */
export async function searchIndex(models: string): Promise<string> {
  const tables = await exportedTables(models)
  const { before, after } = searchIndexStatements(tables.map(({ info }) => info))
  const statements = [...before, ...after]
  if (statements.length > 0) return `${statements.join(BREAKPOINT)};\n`
  throw new CliError('No table declares an index for search, as in: c.table(..., t => [c.searchIndex(t.title)])')
}
