/** Next runs this before the first request: it applies the migrations. */
export async function register(): Promise<void> {
  if (process.env.NEXT_RUNTIME === 'nodejs') await import('./migrate.ts')
}
