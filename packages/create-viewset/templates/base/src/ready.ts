import type { Database } from 'viewset'

export interface Readiness {
  readonly code: 200 | 503
  readonly body: { readonly status: 'ready' | 'not ready' }
}

/** Asks the database: a load balancer sends requests to this process only while the code is 200. */
export async function readiness(database: Database): Promise<Readiness> {
  try {
    await database.driver.run({ text: 'select 1' }, [])
    return { code: 200, body: { status: 'ready' } }
  } catch {
    return { code: 503, body: { status: 'not ready' } }
  }
}
