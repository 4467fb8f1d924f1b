import { ConfigError } from 'viewset'

/** Why the application cannot start, as far as whoever starts it can put it right. */
export class StartError extends Error {}

/** What to tell about an error of the start: a sentence where that is enough, else the stack. */
export function explain(error: unknown): string {
  if (!(error instanceof Error)) return String(error)
  const { code, port, message } = error as NodeJS.ErrnoException & { readonly port?: number }
  if (code === 'EADDRINUSE') return `Port ${port} is taken. Choose another one, as in: PORT=3001 npm start`
  if (code === 'ECONNREFUSED') return 'No database answers at DATABASE_URL. README.md tells how to start one.'
  return error instanceof StartError || error instanceof ConfigError ? message : (error.stack ?? message)
}
