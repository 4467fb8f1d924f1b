import { ConfigError } from 'viewset'

/** A reason why the application cannot start, for the person who starts it. */
export class StartError extends Error {}

/** Codes of PostgreSQL and the network for a wrong host, user, password or database. */
const WRONG_ADDRESS = ['ENOTFOUND', 'EAI_AGAIN', '28000', '28P01', '3D000']

/** The text for an error of the start: a sentence if that is enough, otherwise the stack. */
export function explain(error: unknown): string {
  if (!(error instanceof Error)) return String(error)
  const { code, port, message } = error as NodeJS.ErrnoException & { readonly port?: number }
  if (code === 'EADDRINUSE') return `Port ${port} is taken. Choose another one, as in: PORT=3001 npm start`
  if (code === 'ECONNREFUSED') return 'No database answers at DATABASE_URL. README.md says how to start one.'
  if (code !== undefined && WRONG_ADDRESS.includes(code)) return `DATABASE_URL is not right: ${message}.`
  return error instanceof StartError || error instanceof ConfigError ? message : (error.stack ?? message)
}
