import { ConfigError } from 'viewset'

/** Why the application cannot start, as far as whoever starts it can put it right. */
export class StartError extends Error {}

/** What PostgreSQL and the network say of an address that leads nowhere: no such host, user, password or database. */
const WRONG_ADDRESS = ['ENOTFOUND', 'EAI_AGAIN', '28000', '28P01', '3D000']

/** What to tell about an error of the start: a sentence where that is enough, else the stack. */
export function explain(error: unknown): string {
  if (!(error instanceof Error)) return String(error)
  const { code, port, message } = error as NodeJS.ErrnoException & { readonly port?: number }
  if (code === 'EADDRINUSE') return `Port ${port} is taken. Choose another one, as in: PORT=3001 npm start`
  if (code === 'ECONNREFUSED') return 'No database answers at DATABASE_URL. README.md tells how to start one.'
  if (code !== undefined && WRONG_ADDRESS.includes(code)) return `DATABASE_URL is not right: ${message}.`
  return error instanceof StartError || error instanceof ConfigError ? message : (error.stack ?? message)
}
