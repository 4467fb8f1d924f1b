import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type Database, ImportService, insertMany } from 'viewset'
import { kit as pgKit } from 'viewset/pg'
import { kit as sqliteKit } from 'viewset/sqlite'
import { createTestDatabase } from 'viewset/testing'
import type { DialectName, Side } from '../case.ts'
import { ChildProgram } from '../support/child-program.ts'
import { type Measurement, type Sample, settledRounds } from '../support/measure.ts'
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

/** The files that both sides read. */
interface Files {
  /** With every second row. */
  readonly half: string
  readonly csv: string
  /** Of the format that is measured. */
  readonly path: string
}

const PROGRAM = join(import.meta.dirname, 'process.ts')
/** Imports before a profile. */
const BEFORE_PROFILE = 6

/**
 * Imports the same file by hand and with Viewset in turn, into a table that has every second row already, by a process
 * each that goes on. The floor reads CSV and checks nothing.
 */
export function measureImport(options: ImportOptions): Promise<Measurement> {
  const { dialect, format, rounds } = options
  return withTowns(options, async ({ start, importOnce }) => {
    const floor = await start('floor')
    const viewset = await start('viewset')
    try {
      const measured = await settledRounds(rounds, side => importOnce(side === 'floor' ? floor : viewset))
      const peak = { floor: (await floor.usage()).peak, viewset: (await viewset.usage()).peak }
      return { name: `import-${format}`, dialect, target: format === 'csv' ? 0.5 : undefined, ...measured, peak }
    } finally {
      await Promise.all([floor.stop(), viewset.stop()])
    }
  })
}

/** Where the time of an import goes on both sides; from the sources, as `profileCase`. */
export function profileImport(options: ImportOptions): Promise<Readonly<Record<Side, TimeParts>>> {
  return withTowns(options, async ({ start, importOnce }) => {
    const parts = async (side: Side) => {
      const program = await start(side, true)
      try {
        for (let n = 0; n < BEFORE_PROFILE; n++) await importOnce(program)
        await program.beginProfile()
        await importOnce(program)
        return await program.endProfile()
      } finally {
        await program.stop()
      }
    }
    return { floor: await parts('floor'), viewset: await parts('viewset') }
  })
}

/** A database with half of the rows, and what imports the others. */
interface Towns {
  start(side: Side, fromSource?: boolean): Promise<ChildProgram>
  /** Imports the file, once the table is as it was. */
  importOnce(program: ChildProgram): Promise<Sample>
}

async function withTowns<T>(options: ImportOptions, use: (towns: Towns) => Promise<T>): Promise<T> {
  const { dialect, format, postgres, chunk, profile } = options
  const folder = await mkdtemp(join(tmpdir(), 'viewset-bench-'))
  const csv = join(folder, 'towns.csv')
  const files = { half: join(folder, 'half.csv'), csv, path: join(folder, `towns.${format}`) }
  const tables = models(dialect === 'pg' ? pgKit : sqliteKit)
  const server = postgres ? { postgres: postgres.url } : {}
  const { database, url, drop } = await createTestDatabase({ ...server, schema: { ...tables } })
  try {
    await writeFiles(files, options)
    await prepare(database, tables, files.half)
    return await use({
      start: async (side, fromSource) => {
        const path = side === 'floor' ? csv : files.path
        const args = [side, dialect, url, path, ...(chunk && side === 'viewset' ? [chunk] : [])]
        const execArgv = profile ? ['--cpu-prof', `--cpu-prof-dir=${profile}`] : []
        return (await ChildProgram.start(PROGRAM, { args, execArgv, fromSource })).program
      },
      importOnce: async program => {
        await reset(database)
        const before = postgres?.cpu()
        const microseconds = await program.work()
        const after = postgres?.cpu()
        const spent = before === undefined || after === undefined ? undefined : after - before
        return { server: microseconds, database: spent }
      },
    })
  } finally {
    await drop()
    await rm(folder, { recursive: true, force: true })
  }
}

async function writeFiles({ half, csv, path }: Files, { format, rows }: ImportOptions): Promise<void> {
  await writeCsv(half, rows, 2, 1)
  await writeCsv(csv, rows, 1, 2)
  if (format === 'xlsx') await writeXlsx(path, rows)
}

async function prepare(database: Database, tables: Models, half: string): Promise<void> {
  await database.transaction(() => insertMany(tables.countries, countryRows()))
  const service = new ImportService(config(tables, undefined), { database, limits: { maxBytes: 2 ** 30 } })
  await service.import(half, { append: true })
  await database.driver.run({ text: 'create table towns_before as select * from towns' }, [])
}

async function reset({ driver, dialect }: Database): Promise<void> {
  const isPg = dialect.name === 'pg'
  await driver.run({ text: isPg ? 'truncate towns' : 'delete from towns' }, [])
  await driver.run({ text: 'insert into towns select * from towns_before' }, [])
  // PostgreSQL does this by itself before long; in the middle of a measurement it would be noise.
  if (isPg) await driver.run({ text: 'vacuum (analyze) towns' }, [])
}
