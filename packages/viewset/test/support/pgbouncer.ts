import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { accessSync, constants } from 'node:fs'
import { chmod, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { delimiter, join } from 'node:path'
import { freePort } from './free-port.ts'

interface PgBouncer {
  /** The server's address through it. */
  readonly url: string
  stop(): Promise<void>
}

/** The program, where it is installed. */
export function findPgBouncer(): string | undefined {
  const folders = [...(process.env.PATH ?? '').split(delimiter), '/usr/sbin']
  return folders.map(folder => join(folder, 'pgbouncer')).find(isExecutable)
}

/** PgBouncer in transaction mode before a server that takes its users without a password. */
export async function startPgBouncer(
  databaseUrl: string,
  settings: Readonly<Record<string, string>> = {},
): Promise<PgBouncer> {
  const program = findPgBouncer()
  if (!program) throw new Error('PgBouncer is not installed')
  const folder = await mkdtemp(join(tmpdir(), 'viewset-pgbouncer-'))
  const port = await freePort()
  const { hostname, port: serverPort, username } = new URL(databaseUrl)
  const all = {
    listen_addr: '127.0.0.1',
    listen_port: String(port),
    unix_socket_dir: '',
    auth_type: 'any',
    pool_mode: 'transaction',
    default_pool_size: '10',
    max_client_conn: '1000',
    max_db_connections: '20',
    server_idle_timeout: '5',
    ...settings,
  }
  const lines = Object.entries(all).map(([name, value]) => `${name} = ${value}`)
  const target = `* = host=${hostname} port=${serverPort} user=${username}`
  await writeFile(join(folder, 'pgbouncer.ini'), ['[databases]', target, '[pgbouncer]', ...lines, ''].join('\n'))
  // It does not run as root; others may read what is in there.
  await chmod(folder, 0o755)
  const account = process.getuid?.() === 0 ? ['-u', 'nobody'] : []
  const child = spawn(program, [...account, join(folder, 'pgbouncer.ini')], { stdio: ['ignore', 'ignore', 'pipe'] })
  await started(child)
  const url = new URL(databaseUrl)
  url.port = String(port)
  url.password = ''
  return {
    url: url.href,
    async stop() {
      const exited = once(child, 'exit')
      if (child.exitCode === null && child.kill('SIGTERM')) await exited
      await rm(folder, { recursive: true, force: true })
    },
  }
}

async function started(child: ChildProcess): Promise<void> {
  await new Promise<void>((resolve, reject) => {
    let log = ''
    child.stderr?.on('data', chunk => {
      if (log.length < 10_000) log += chunk
      if (log.includes('process up')) resolve()
    })
    child.once('error', reject)
    child.once('exit', code => reject(new Error(`PgBouncer ended with code ${code} while starting:\n${log}`)))
  })
}

function isExecutable(path: string): boolean {
  try {
    accessSync(path, constants.X_OK)
    return true
  } catch {
    return false
  }
}
