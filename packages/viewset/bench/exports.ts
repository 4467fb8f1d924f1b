// npm run bench:export -- [--dialect sqlite|pg] [--rounds 3]
import { execFile } from 'node:child_process'
import { mkdtemp, rm } from 'node:fs/promises'
import { cpus, tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs, promisify } from 'node:util'
import { DIALECTS, type DialectName } from './case.ts'
import { execute } from './fixture/execute.ts'
import { CITIES } from './fixture/rows.ts'
import { multiplyCities } from './fixture/schema.ts'
import { seed } from './fixture/seed.ts'
import { startPostgres } from './support/postgres.ts'

/** What a process exports, and how often. */
const FILES = [
  ['csv', CITIES, 3],
  ['xlsx', CITIES, 3],
  ['pdf', 1_000, 3],
] as const
/** As many rows are in the table at last. */
const TIMES = 10

const { values: options } = parseArgs({
  options: {
    dialect: { type: 'string', multiple: true, default: [...DIALECTS] },
    rounds: { type: 'string', default: '3' },
  },
})
console.log(`Node ${process.version}, ${cpus().length} x ${cpus()[0]?.model}`)
for (const dialect of DIALECTS) if (options.dialect.includes(dialect)) await measureAll(dialect)

async function measureAll(dialect: DialectName): Promise<void> {
  const folder = await mkdtemp(join(tmpdir(), 'viewset-bench-'))
  const postgres = dialect === 'pg' ? await startPostgres() : undefined
  const location = postgres?.url ?? join(folder, 'bench.db')
  try {
    await seed(dialect, location)
    for (const [format, rows, times] of FILES) await measure(dialect, location, format, rows, times)
    await execute(dialect, location, multiplyCities(dialect, TIMES))
    await measure(dialect, location, 'csv', TIMES * CITIES, 1)
    await measure(dialect, location, 'xlsx', TIMES * CITIES, 1)
  } finally {
    await postgres?.stop()
    await rm(folder, { recursive: true, force: true })
  }
}

async function measure(
  dialect: DialectName,
  location: string,
  format: string,
  rows: number,
  times: number,
): Promise<void> {
  const program = join(import.meta.dirname, 'export/process.ts')
  for (let round = 0; round < Number(options.rounds); round++) {
    const arguments_ = [...process.execArgv, program, dialect, location, format, String(rows), String(times)]
    const { stdout } = await promisify(execFile)(process.execPath, arguments_)
    console.log(dialect.padEnd(8), format.padEnd(6), rows.toLocaleString('en-US').padStart(10), stdout.trim())
  }
}
