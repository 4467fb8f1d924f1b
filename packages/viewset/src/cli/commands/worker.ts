import { once } from 'node:events'
import { stderrLog } from '../../core/context.ts'
import { createApi } from '../../http/create-api.ts'
import { CliError } from '../cli-error.ts'
import type { ViewsetConfig } from '../config.ts'
import { Interruption } from '../interruption.ts'
import { openDatabase } from '../open-database.ts'

/**
 * Runs the jobs of an API until it is stopped. Then other workers continue the unfinished jobs.
 *
 * @returns the text to print
 * @throws CliError without jobs or a database; ConfigError
 */
export async function worker(config: ViewsetConfig): Promise<string> {
  const { api, settings } = config
  if (!api?.jobs) {
    throw new CliError('viewset.config.ts names no jobs; add to its "api": jobs: { tables: { jobs, jobErrors } }')
  }
  const { signal } = new Interruption()
  const database = await openDatabase(config)
  // Between two jobs, nothing else may keep the process alive.
  const awake = setInterval(() => {}, 60_000)
  try {
    const jobs = { ...api.jobs, work: true }
    const running = createApi({ ...api, jobs, database, ...(settings && { settings }) })
    await running.start(stderrLog)
    process.stdout.write('A worker for jobs is running. Ctrl+C stops it.\n')
    if (!signal.aborted) await once(signal, 'abort')
    await running.close()
  } finally {
    clearInterval(awake)
    await database.close()
  }
  return 'The worker has stopped; what was under way goes on with the next one.'
}
