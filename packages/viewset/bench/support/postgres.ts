import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import pg from 'pg'

const HOST_PROGRAM = join(import.meta.dirname, '../../test/support/postgres-host.ts')
/** `getconf CLK_TCK` on every Linux that Node runs on. */
const TICK_IN_MICROSECONDS = 10_000

export interface PostgresServer {
  readonly url: string
  /** CPU time of all of the server's processes so far, in microseconds; `undefined` on other systems than Linux. */
  readonly cpu: () => number | undefined
  stop(): Promise<void>
}

/** Starts an empty PostgreSQL that ends with this process, however that ends. */
export async function startPostgres(): Promise<PostgresServer> {
  const host = spawn(process.execPath, [HOST_PROGRAM], { stdio: ['pipe', 'pipe', 'inherit'], detached: true })
  const exited = once(host, 'exit')
  const [url] = await Promise.race([once(createInterface(host.stdout), 'line'), exited])
  if (typeof url !== 'string') throw new Error('PostgreSQL did not start: see the message above')
  const processId = await serverProcessId(url)
  return {
    url,
    cpu: () => (process.platform === 'linux' ? cpuOfFamily(processId) : undefined),
    stop: async () => {
      host.stdin.end()
      await exited
    },
  }
}

async function serverProcessId(url: string): Promise<number> {
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  const { rows } = await client.query<{ file: string }>(`select pg_read_file('postmaster.pid') as file`)
  await client.end()
  return Number.parseInt(rows[0]?.file ?? '', 10)
}

/** A process, its children and those of its children that have ended. */
function cpuOfFamily(parent: number): number {
  let ticks = 0
  for (const entry of readdirSync('/proc')) {
    if (!/^\d+$/.test(entry)) continue
    const fields = statFields(entry)
    if (!fields) continue
    const [user, system, childrenUser, childrenSystem] = fields.slice(11, 15).map(Number) as [
      number,
      number,
      number,
      number,
    ]
    if (Number(entry) === parent) ticks += user + system + childrenUser + childrenSystem
    else if (Number(fields[1]) === parent) ticks += user + system
  }
  return ticks * TICK_IN_MICROSECONDS
}

/** The fields of /proc/<id>/stat behind the name, which may contain blanks; `undefined` for a process that has ended. */
function statFields(id: string): string[] | undefined {
  try {
    const text = readFileSync(`/proc/${id}/stat`, 'utf8')
    return text.slice(text.lastIndexOf(')') + 2).split(' ')
  } catch {
    return undefined
  }
}
