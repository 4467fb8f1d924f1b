/** Next calls this when it starts, and waits for it before the first request: the tables are brought up to date. */
export async function register(): Promise<void> {
  if (process.env.NEXT_RUNTIME === 'nodejs') await import('./migrate.ts')
}
