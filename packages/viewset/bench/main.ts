// npm run bench -- [case ...] [--dialect sqlite|pg] [--rounds n] [--profile folder]
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { type BenchCase, DIALECTS, type DialectName } from './case.ts'
import { cases } from './cases/all.ts'
import { seed } from './fixture/seed.ts'
import { machine } from './support/machine.ts'
import { measure } from './support/measure.ts'
import { startPostgres } from './support/postgres.ts'
import { reportHead, reportLine, resultOf } from './support/report.ts'

interface Place {
  /** Of the database. */
  readonly location: string
  readonly cpu: () => number | undefined
  remove(): Promise<void>
}

const { values: options, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    dialect: { type: 'string', multiple: true },
    rounds: { type: 'string', default: '15' },
    profile: { type: 'string' },
  },
})
const dialects = chosen('--dialect', options.dialect ?? [], DIALECTS)
const names = chosen(
  'case',
  positionals,
  cases.map(({ name }) => name),
)
const chosenCases = cases.filter(({ name }) => names.includes(name))

console.log(machine())
console.log(reportHead())
for (const dialect of dialects) await measureAll(dialect, chosenCases)

async function measureAll(dialect: DialectName, benchCases: readonly BenchCase[]): Promise<void> {
  const { location, cpu, remove } = await (dialect === 'sqlite' ? sqlitePlace : postgresPlace)()
  try {
    await seed(dialect, location)
    for (const benchCase of benchCases) {
      const { profile, rounds } = options
      const measurement = await measure({
        benchCase,
        dialect,
        location,
        profile,
        rounds: Number(rounds),
        databaseCpu: cpu,
      })
      console.log(reportLine(resultOf(measurement)))
    }
  } finally {
    await remove()
  }
}

async function sqlitePlace(): Promise<Place> {
  const folder = await mkdtemp(join(tmpdir(), 'viewset-bench-'))
  return {
    location: join(folder, 'bench.db'),
    cpu: () => undefined,
    remove: () => rm(folder, { recursive: true, force: true }),
  }
}

async function postgresPlace(): Promise<Place> {
  const { url, cpu, stop } = await startPostgres()
  return { location: url, cpu, remove: stop }
}

/** Those of `known` that were asked for; all of them when nothing was. */
function chosen<T extends string>(what: string, asked: readonly string[], known: readonly T[]): readonly T[] {
  const wrong = asked.filter(name => !known.some(candidate => candidate === name))
  if (wrong.length > 0) throw new Error(`Unknown ${what} ${wrong.join(', ')}; known: ${known.join(', ')}`)
  return asked.length === 0 ? known : known.filter(name => asked.includes(name))
}
