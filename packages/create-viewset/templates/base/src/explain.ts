import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { ConfigError } from 'viewset'

/** A reason why the application cannot start, for the person who starts it. */
export class StartError extends Error {}

/** Codes of PostgreSQL and the network for a wrong host, user, password or database. */
const WRONG_ADDRESS = ['ENOTFOUND', 'EAI_AGAIN', '28000', '28P01', '3D000']

const MIGRATIONS = 'migrations'

/** The text for an error of the start: a sentence if that is enough, otherwise the stack. */
export function explain(error: unknown): string {
  if (!(error instanceof Error)) return String(error)
  const { code, port, message } = error as NodeJS.ErrnoException & { readonly port?: number }
  if (code === 'EADDRINUSE') return `Port ${port} is taken. Choose another one, as in: PORT=3001 npm start`
  if (code === 'ECONNREFUSED') return 'No database answers at DATABASE_URL. README.md says how to start one.'
  if (code !== undefined && WRONG_ADDRESS.includes(code)) return `DATABASE_URL is not right: ${message}.`
  if (error instanceof StartError || error instanceof ConfigError) return message
  const text = error.stack ?? message
  return error.cause === undefined ? text : (explainMigration(error) ?? `${text}\nCause: ${explain(error.cause)}`)
}

/** The failed statement of a migration, its file and the reason. Undefined for other errors. */
function explainMigration(error: Error): string | undefined {
  const statement =
    'query' in error ? String(error.query) : /^Failed to run the query '(.*)'$/s.exec(error.message)?.[1]
  const file = statement && migrationWith(statement)
  if (!file) return undefined
  const reason = error.cause instanceof Error ? error.cause.message : String(error.cause)
  return `The migration ${file} failed, so no migration was applied: ${reason}.

${statement.trim()}

${adviceAgainst(statement, reason)}
Then remove the migration and write it again:

  npx drizzle-kit drop
  npm run migrations
`
}

function adviceAgainst(statement: string, reason: string): string {
  if (!/not null|null values/i.test(reason)) return 'Correct src/models.ts.'
  const problem = 'The table has rows without a value for this column.'
  return / ADD /i.test(statement)
    ? `${problem}\nGive the column a default, or make it nullable, in src/models.ts.`
    : `${problem}\nGive these rows a value first, or let the column stay nullable in src/models.ts.`
}

function migrationWith(statement: string): string | undefined {
  if (!existsSync(MIGRATIONS)) return undefined
  const files = readdirSync(MIGRATIONS).filter(name => name.endsWith('.sql'))
  return files.map(name => join(MIGRATIONS, name)).findLast(file => readFileSync(file, 'utf8').includes(statement))
}
