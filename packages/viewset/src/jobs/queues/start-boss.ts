import type { ConstructorOptions, PgBoss } from 'pg-boss'
import { reportError, stderrLog } from '../../core/context.ts'
import { type BossPool, isPool } from './pg-boss-options.ts'

/** Milliseconds. A database that is away fails many times a second. */
const QUIET = 60_000

/**
 * One that stores jobs: it does nothing by itself, and keeps no process from ending. Nobody has to stop it.
 *
 * @throws what pg-boss throws where the database is away
 */
export function startSender(source: string | BossPool, schema: string | undefined): Promise<PgBoss> {
  const pool = { max: 1, allowExitOnIdle: true }
  const idle = { supervise: false, registerInstance: false, clock: idleClock }
  // That a connection is lost which does nothing is no fault; what fails when it is needed is told to who needs it.
  return start({ ...pool, ...where(source, schema), ...idle }, () => {})
}

/** One that hands jobs out, and looks for those whose worker has died. */
export function startWorker(
  source: string | BossPool,
  schema: string | undefined,
  concurrency: number,
): Promise<PgBoss> {
  const looks = { superviseIntervalSeconds: 10, monitorIntervalSeconds: 10 }
  // One for each that looks for jobs, and one for what it does beside that.
  return start({ max: concurrency + 1, ...where(source, schema), ...looks }, report())
}

async function start(options: ConstructorOptions, failed: (error: Error) => void): Promise<PgBoss> {
  const { PgBoss } = await import('pg-boss')
  return new PgBoss({ schedule: false, ...options }).on('error', failed).start()
}

/** Logs what fails, now and then. */
function report(): (error: Error) => void {
  let reportedAt = Number.NEGATIVE_INFINITY
  return error => {
    if (performance.now() - reportedAt < QUIET) return
    reportedAt = performance.now()
    // pg puts a lost connection on its error, with all that it is made of.
    const { message, stack } = error
    reportError(Object.assign(new Error(message), { stack }), 'the queue of jobs failed; it goes on', stderrLog)
  }
}

function where(source: string | BossPool, schema: string | undefined): ConstructorOptions {
  const own = schema === undefined ? {} : { schema }
  if (!isPool(source)) return { ...own, connectionString: source, application_name: 'viewset jobs' }
  return { ...own, db: { executeSql: (text, values) => source.query(text, values) } }
}

/** Node's timers, without holding the process. */
const idleClock: NonNullable<ConstructorOptions['clock']> = {
  now: Date.now,
  setTimeout: (call, delay) => setTimeout(call, delay).unref(),
  clearTimeout: timer => clearTimeout(timer as NodeJS.Timeout),
  setInterval: (call, delay) => setInterval(call, delay).unref(),
  clearInterval: timer => clearInterval(timer as NodeJS.Timeout),
}
