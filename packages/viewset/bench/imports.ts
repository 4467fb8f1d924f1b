// npm run bench:import -- [--rows 100000] [--format csv|xlsx] [--dialect sqlite|pg] [--chunk n] [--profile folder]
import { execFile } from 'node:child_process'
import { mkdtemp, rm } from 'node:fs/promises'
import { cpus, tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs, promisify } from 'node:util'
import { type Database, ImportService, insertMany } from 'viewset'
import { kit as pgKit } from 'viewset/pg'
import { kit as sqliteKit } from 'viewset/sqlite'
import { createTestDatabase } from 'viewset/testing'
import { config, countryRows, type Models, models, writeCsv, writeXlsx } from './import/fixture.ts'
import { startPostgres } from './support/postgres.ts'

const { values: options } = parseArgs({
  options: {
    rows: { type: 'string', default: '100000' },
    format: { type: 'string', default: 'csv' },
    dialect: { type: 'string', multiple: true, default: ['sqlite', 'pg'] },
    chunk: { type: 'string' },
    rounds: { type: 'string', default: '3' },
    profile: { type: 'string' },
  },
})
const rows = Number(options.rows)
const folder = await mkdtemp(join(tmpdir(), 'viewset-bench-'))
const postgres = options.dialect.includes('pg') ? await startPostgres() : undefined
try {
  console.log(
    `Node ${process.version}, ${cpus().length} x ${cpus()[0]?.model}; ${rows} rows, half of them stored before`,
  )
  const path = join(folder, `towns.${options.format}`)
  await (options.format === 'csv' ? writeCsv(path, rows, 1, 2) : writeXlsx(path, rows))
  const half = join(folder, 'half.csv')
  await writeCsv(half, rows, 2, 1)
  for (let round = 0; round < Number(options.rounds); round++) {
    if (postgres && options.format === 'csv') await measure('floor', 'pg', path, half)
    for (const dialect of options.dialect) await measure('viewset', dialect as 'pg' | 'sqlite', path, half)
  }
} finally {
  await postgres?.stop()
  await rm(folder, { recursive: true, force: true })
}

/** Imports the file into a new database that has every second row already. */
async function measure(side: 'floor' | 'viewset', dialect: 'pg' | 'sqlite', path: string, half: string): Promise<void> {
  const tables = models(dialect === 'pg' ? pgKit : sqliteKit)
  const server = dialect === 'pg' && postgres ? { postgres: postgres.url } : {}
  const { database, url, drop } = await createTestDatabase({ ...server, schema: { ...tables } })
  try {
    await prepare(database, tables, half)
    const profile = options.profile ? ['--cpu-prof', `--cpu-prof-dir=${options.profile}`] : []
    const program = join(import.meta.dirname, 'import/process.ts')
    const databaseBefore = postgres?.cpu() ?? 0
    const { stdout } = await promisify(execFile)(process.execPath, [
      ...process.execArgv,
      ...profile,
      program,
      ...[side, dialect, url, path],
      ...(options.chunk ? [options.chunk] : []),
    ])
    const databaseCpu = ((postgres?.cpu() ?? 0) - databaseBefore) / 1e6
    console.log(
      `${dialect} ${side}`.padEnd(16),
      stdout.trim(),
      dialect === 'pg' ? `PostgreSQL ${databaseCpu.toFixed(2)} s` : '',
    )
  } finally {
    await drop()
  }
}

async function prepare(database: Database, tables: Models, half: string): Promise<void> {
  await database.transaction(() => insertMany(tables.countries, countryRows()))
  const service = new ImportService(config(tables, undefined), { database, limits: { maxBytes: 2 ** 30 } })
  await service.import(half, { append: true })
  // PostgreSQL does this by itself before long; in the middle of a measurement it would be noise.
  if (database.dialect.name === 'pg') await database.driver.run({ text: 'vacuum (analyze) towns' }, [])
}
