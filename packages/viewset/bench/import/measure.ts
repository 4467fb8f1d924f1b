import { execFile } from 'node:child_process'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { type Database, ImportService, insertMany } from 'viewset'
import { kit as pgKit } from 'viewset/pg'
import { kit as sqliteKit } from 'viewset/sqlite'
import { createTestDatabase } from 'viewset/testing'
import type { DialectName, Side } from '../case.ts'
import type { Measurement, Round, Sample } from '../support/measure.ts'
import type { PostgresServer } from '../support/postgres.ts'
import type { TimeParts } from '../support/profile-parts.ts'
import { config, countryRows, type Models, models, writeCsv, writeXlsx } from './fixture.ts'

export interface ImportOptions {
  readonly dialect: DialectName
  readonly rows: number
  readonly format: 'csv' | 'xlsx'
  readonly rounds: number
  /** Where the dialect is `pg`. */
  readonly postgres: PostgresServer | undefined
  readonly chunk?: string | undefined
  readonly profile?: string | undefined
}

/** What a process of `process.ts` tells. */
interface Told {
  /** Seconds of CPU. */
  readonly cpu: number
  /** Bytes. */
  readonly peak: number
  /** Where its time has gone, where that was asked for. */
  readonly parts?: TimeParts
}

/** The files that both sides read. */
interface Files {
  /** With every second row. */
  readonly half: string
  readonly csv: string
  /** Of the format that is measured. */
  readonly path: string
}

/**
 * Imports the same file by hand and with Viewset in turn, each time in a process of its own and into a new database
 * that has every second row already. The floor reads CSV and checks nothing.
 */
export async function measureImport(options: ImportOptions): Promise<Measurement> {
  const { dialect, format } = options
  return withFiles(options, async files => {
    const rounds: Round[] = []
    const peak: Record<Side, number> = { floor: 0, viewset: 0 }
    const round = async (side: Side): Promise<Sample> => {
      const { sample, told } = await importOnce(options, side, files)
      peak[side] = Math.max(peak[side], told.peak)
      return sample
    }
    for (let n = 0; n < options.rounds; n++)
      rounds.push({ floor: await round('floor'), viewset: await round('viewset') })
    return { name: `import-${format}`, dialect, target: format === 'csv' ? 0.5 : undefined, warmUp: 0, rounds, peak }
  })
}

/** Where the time of an import goes on both sides; from the sources, as `profileCase`. */
export function profileImport(options: ImportOptions): Promise<Readonly<Record<Side, TimeParts>>> {
  return withFiles(options, async files => {
    const parts = async (side: Side) => (await importOnce(options, side, files, true)).told.parts as TimeParts
    return { floor: await parts('floor'), viewset: await parts('viewset') }
  })
}

async function withFiles<T>({ format, rows }: ImportOptions, use: (files: Files) => Promise<T>): Promise<T> {
  const folder = await mkdtemp(join(tmpdir(), 'viewset-bench-'))
  const csv = join(folder, 'towns.csv')
  const files = { half: join(folder, 'half.csv'), csv, path: join(folder, `towns.${format}`) }
  try {
    await writeCsv(files.half, rows, 2, 1)
    await writeCsv(csv, rows, 1, 2)
    if (format === 'xlsx') await writeXlsx(files.path, rows)
    return await use(files)
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
}

async function importOnce(
  { dialect, postgres, chunk, profile }: ImportOptions,
  side: Side,
  { half, csv, path }: Files,
  explain = false,
): Promise<{ readonly sample: Sample; readonly told: Told }> {
  const tables = models(dialect === 'pg' ? pgKit : sqliteKit)
  const server = postgres ? { postgres: postgres.url } : {}
  const { database, url, drop } = await createTestDatabase({ ...server, schema: { ...tables } })
  try {
    await prepare(database, tables, half)
    const before = postgres?.cpu()
    const { stdout } = await promisify(execFile)(process.execPath, [
      ...process.execArgv,
      ...(explain ? ['--conditions=viewset-source'] : []),
      '--max-old-space-size=256',
      ...(profile ? ['--cpu-prof', `--cpu-prof-dir=${profile}`] : []),
      join(import.meta.dirname, 'process.ts'),
      ...[side, dialect, url, side === 'floor' ? csv : path],
      ...(chunk ? [chunk] : []),
      ...(explain ? ['--explain'] : []),
    ])
    const after = postgres?.cpu()
    const told = JSON.parse(stdout) as Told
    const spent = before === undefined || after === undefined ? undefined : after - before
    return { sample: { server: told.cpu * 1e6, database: spent }, told }
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
