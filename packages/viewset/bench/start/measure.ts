import { cpSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import Sqlite from 'better-sqlite3'
import { buildSync } from 'esbuild'
import { needLinux } from '../support/left-out.ts'
import { install, packViewset } from '../support/npm.ts'
import { type Start, StartedProcess } from '../support/started-process.ts'
import { median } from '../support/statistics.ts'

const PACKAGE = join(import.meta.dirname, '../..')
const ATLAS = join(PACKAGE, '../../examples/atlas')
const ROUNDS = 7
/** How what `npm create viewset` writes, and the atlas, start. */
const FAST = 'viewset/fast-drizzle'

/** What a start costs, or what an installation weighs. */
export interface StartResult {
  readonly name: string
  /** From the start of the process to its first answer: ms of wall-clock time, and of CPU; `null` where nothing starts. */
  readonly startMs: number | null
  readonly startCpuMs: number | null
  /** Resident at the first answer; of an installation, on the disk; MB. */
  readonly memory: number
  readonly targetMs: number | null
  readonly targetMemory: number | null
}

/** Starts of the package as a user has it: built, packed and installed in a folder of its own. */
export async function* measureStarts(): AsyncGenerator<StartResult> {
  needLinux()
  const folder = mkdtempSync(join(tmpdir(), 'viewset-bench-start-'))
  try {
    const installed = installAll(folder)
    writeTable(join(folder, 'shop.db'))
    for (const program of ['app', 'by-hand']) writeProgram(folder, program)
    const path = '/api/articles/'
    const node = (...args: string[]) => ({ command: [process.execPath, ...args], cwd: folder, path })
    yield { name: 'npm install viewset drizzle-orm zod', ...NOTHING_STARTS, memory: installed / 1e6 }
    yield await startOf('one resource on SQLite', node('--import', FAST, 'app.mjs'), { ms: 350, memory: 120 })
    yield await startOf(`the same without \`--import ${FAST}\``, node('app.mjs'))
    yield await startOf('the same, bundled by esbuild', node('app-bundled.mjs'), { ms: 150, memory: 90 })
    yield await startOf('Fastify and better-sqlite3 by hand', node('by-hand.mjs'))
    yield await startOf('by hand, bundled by esbuild', node('by-hand-bundled.mjs'))
    yield await atlas(join(folder, 'atlas'))
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

/** Writes a program beside the packages that it imports: as it is, and bundled with all of them. */
function writeProgram(folder: string, name: string): void {
  const source = join(folder, `${name}.ts`)
  cpSync(join(import.meta.dirname, `${name}.ts`), source)
  buildSync({ entryPoints: [source], outfile: join(folder, `${name}.mjs`), logLevel: 'error' })
  buildSync({
    entryPoints: [source],
    outfile: join(folder, `${name}-bundled.mjs`),
    bundle: true,
    platform: 'node',
    format: 'esm',
    external: ['better-sqlite3'],
    // What is CommonJS inside of the bundle asks for Node's own modules by `require`.
    banner: {
      js: `import { createRequire as makeRequire } from 'node:module'; const require = makeRequire(import.meta.url)`,
    },
    logLevel: 'error',
  })
}

const NOTHING_STARTS = { startMs: null, startCpuMs: null, targetMs: null, targetMemory: null }

interface StartTarget {
  readonly ms: number
  readonly memory: number
}

async function startOf(name: string, start: Start, target?: StartTarget): Promise<StartResult> {
  const starts: StartedProcess[] = []
  // The first one reads the files from the disk.
  for (let round = 0; round <= ROUNDS; round++) {
    const server = await StartedProcess.start(start)
    await server.stop()
    if (round > 0) starts.push(server)
  }
  return {
    name,
    startMs: median(starts.map(({ startMs }) => startMs)),
    startCpuMs: median(starts.map(({ startCpuMs }) => startCpuMs)),
    memory: median(starts.map(({ startMemory }) => startMemory)) / 1e6,
    targetMs: target?.ms ?? null,
    targetMemory: target?.memory ?? null,
  }
}

/** The example as `npm start` starts it, when its data is there. */
async function atlas(folder: string): Promise<StartResult> {
  const options = ['--max-old-space-size=256', '--conditions=viewset-source', '--import', FAST]
  const start: Start = {
    command: [process.execPath, ...options, 'src/main.ts'],
    cwd: ATLAS,
    env: { ATLAS_DATA_DIR: folder, ATLAS_ADMIN_TOKEN: 'secret', DATABASE_URL: '' },
    path: '/api/continents/',
  }
  return startOf('second start of the atlas, heap of 256 MB', start, { ms: 1_500, memory: 200 })
}

/** Installs the package with its required peers, and then what the application needs besides; bytes of the former. */
function installAll(folder: string): number {
  const { devDependencies } = JSON.parse(readFileSync(join(PACKAGE, 'package.json'), 'utf8')) as {
    devDependencies: Readonly<Record<string, string>>
  }
  const pinned = (...names: string[]) => names.map(name => `${name}@${devDependencies[name]}`)
  const viewset = packViewset(folder)
  writeFileSync(join(folder, 'package.json'), '{ "type": "module", "private": true }')
  install(folder, 'install', viewset, ...pinned('drizzle-orm', 'zod'))
  const modules = join(folder, 'node_modules')
  const files = readdirSync(modules, { recursive: true, withFileTypes: true }).filter(entry => entry.isFile())
  const bytes = files.reduce((sum, { parentPath, name }) => sum + statSync(join(parentPath, name)).size, 0)
  install(folder, 'install', ...pinned('fastify', 'better-sqlite3'))
  return bytes
}

function writeTable(file: string): void {
  const database = new Sqlite(file)
  database.exec(`create table articles (
    id text primary key, created_at text not null, updated_at text not null, created_by_id text, updated_by_id text,
    is_active integer not null default true, deleted_at text, title text not null)`)
  database.close()
}
