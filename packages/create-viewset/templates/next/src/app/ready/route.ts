import { sharedDatabase } from '../../handler.ts'
import { readiness } from '../../ready.ts'

// The database is asked for each request, and not when the application is built.
export const dynamic = 'force-dynamic'

export async function GET(): Promise<Response> {
  const { code, body } = await readiness(sharedDatabase())
  return Response.json(body, { status: code })
}
