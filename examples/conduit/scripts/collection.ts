/**
 * Runs RealWorld's own requests against Conduit: `npm run collection -- <folder of specs/api> [database URL]`.
 *
 * For SQLite, and for PostgreSQL if a URL is given: the whole collection twice, `kill -9` to the server, and the
 * collection once more on the same data. npx fetches Bruno's command line.
 */
import { type ChildProcess, spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

const BRUNO = '@usebruno/cli@4.1.0'
const PORT = '38417'
const HOST = `http://127.0.0.1:${PORT}`
const MAIN = fileURLToPath(new URL('../src/main.ts', import.meta.url))

const [folder, url] = process.argv.slice(2)
if (folder === undefined) throw new Error('Name the folder specs/api of a checkout of RealWorld.')
const collection = join(folder, 'bruno')
const directory = mkdtempSync(join(tmpdir(), 'conduit-'))
const secret = 'a secret for this run only, and longer than 32 bytes'
try {
  await prove('SQLite', { CONDUIT_FILE: join(directory, 'conduit.db') })
  if (url !== undefined) await prove('PostgreSQL', { DATABASE_URL: url })
} finally {
  rmSync(directory, { recursive: true })
}

async function prove(name: string, database: NodeJS.ProcessEnv): Promise<void> {
  let server = await start(database)
  try {
    run(`${name}, an empty database`)
    run(`${name}, once more`)
    server.kill('SIGKILL')
    await once(server, 'exit')
    server = await start(database)
    run(`${name}, after kill -9`)
  } finally {
    server.kill('SIGKILL')
  }
}

async function start(database: NodeJS.ProcessEnv): Promise<ChildProcess> {
  const env = { ...process.env, ...database, PORT, CONDUIT_SECRET: secret }
  const server = spawn(process.execPath, [...process.execArgv, MAIN], { env, stdio: ['ignore', 'pipe', 'inherit'] })
  const [first] = await Promise.race([once(server.stdout, 'data'), once(server, 'exit')])
  if (!String(first).startsWith('Conduit is ready')) throw new Error(`The server has not started: ${first}`)
  return server
}

function run(what: string): void {
  const options = ['run', '-r', '--env', 'local', '--env-var', `host=${HOST}`, '--sandbox', 'safe']
  const { status, stdout, error } = spawnSync('npx', ['--yes', BRUNO, ...options], {
    cwd: collection,
    encoding: 'utf8',
  })
  if (error) throw error
  const requests = /Requests[^\d]*(\d+ \([^)]*\))/.exec(stdout)?.[1]
  console.log(`${what}: ${requests ?? 'no summary'}`)
  if (status === 0) return
  console.error(stdout)
  process.exitCode = 1
}
