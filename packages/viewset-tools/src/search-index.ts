import { CliError, searchIndexStatements } from 'viewset/internal'
import { exportedTables } from './draft/exported-tables.ts'

/** What drizzle-kit puts between the statements of a migration. */
const BREAKPOINT = ';\n--> statement-breakpoint\n'

/** @returns the statements that migrations lack of indexes for search @throws CliError where no table declares one */
export async function searchIndex(models: string): Promise<string> {
  const tables = await exportedTables(models)
  const { before, after } = searchIndexStatements(tables.map(({ info }) => info))
  const statements = [...before, ...after]
  if (statements.length > 0) return `${statements.join(BREAKPOINT)};\n`
  throw new CliError('No table declares an index for search, as in: c.table(..., t => [c.searchIndex(t.title)])')
}
