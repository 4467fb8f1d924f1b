import { and, desc, eq, sql } from 'drizzle-orm'
import type { Job } from '../../jobs/job-store.ts'
import type { Jobs } from '../../jobs/jobs.ts'
import { currentDb } from '../../store/connection/transaction.ts'

/** The jobs that undo another one, without dry runs, newest first. */
export async function undosOf(id: string, { store: { tables } }: Jobs): Promise<readonly Job[]> {
  const { jobs } = tables
  const undone = sql`${jobs.options} ->> 'job' = ${id}`
  return currentDb()
    .select()
    .from(jobs)
    .where(and(eq(jobs.kind, 'undo'), eq(jobs.hasHistory, true), undone))
    .orderBy(desc(jobs.createdAt))
}
