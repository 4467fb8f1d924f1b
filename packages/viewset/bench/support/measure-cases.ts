import { type BenchCase, DIALECTS, type DialectName } from '../case.ts'
import { cases } from '../cases/all.ts'
import { seed } from '../fixture/seed.ts'
import { measureImport, profileImport } from '../import/measure.ts'
import { measure } from './measure.ts'
import { openPlace } from './place.ts'
import { profileCase } from './profile-case.ts'
import { type CaseResult, isMissed, resultOf } from './report.ts'

/** Imports are processes, not requests: a case of its own kind. */
const IMPORT = 'import-csv'
const IMPORTED_ROWS = 100_000
const IMPORT_ROUNDS = 5

const CASE_NAMES: readonly string[] = [...cases.map(({ name }) => name), IMPORT]

export interface CasesOptions {
  readonly dialects?: readonly string[]
  readonly names?: readonly string[]
  readonly rounds: number
  readonly profile?: string | undefined
  /** Whether a case that misses its target gets a profile of where its time goes. Default false. */
  readonly explain?: boolean
  /** Rounds before those that count, at most. */
  readonly mostWarmUp?: number
  /** Whether the servers run the sources of the package, also if the benchmark was built. Default false. */
  readonly fromSource?: boolean
}

/** Measures the cases that are named, of each database in turn; all where none is. */
export async function* measureCases(options: CasesOptions): AsyncGenerator<CaseResult> {
  const dialects = chosen('--dialect', options.dialects ?? [], DIALECTS)
  const names = chosen('case', options.names ?? [], CASE_NAMES)
  const wanted = cases.filter(({ name }) => names.includes(name))
  for (const dialect of dialects) yield* measureDialect(dialect, wanted, names.includes(IMPORT), options)
}

async function* measureDialect(
  dialect: DialectName,
  wanted: readonly BenchCase[],
  withImport: boolean,
  { rounds, profile, explain = false, ...others }: CasesOptions,
): AsyncGenerator<CaseResult> {
  const { location, postgres, remove } = await openPlace(dialect)
  try {
    const databaseCpu = () => postgres?.cpu()
    if (wanted.length > 0) await seed(dialect, location)
    for (const benchCase of wanted) {
      const measured = { ...others, benchCase, dialect, location, profile, rounds, databaseCpu }
      const result = resultOf(await measure(measured))
      yield explain && isMissed(result) ? { ...result, parts: await profileCase(measured) } : result
    }
    if (!withImport) return
    const format = 'csv' as const
    const imported = {
      dialect,
      rows: IMPORTED_ROWS,
      format,
      postgres,
      profile,
      rounds: Math.min(rounds, IMPORT_ROUNDS),
    }
    const result = resultOf(await measureImport(imported))
    yield explain && isMissed(result) ? { ...result, parts: await profileImport(imported) } : result
  } finally {
    await remove()
  }
}

/** Those of `known` that were asked for; all of them when nothing was. */
export function chosen<T extends string>(what: string, asked: readonly string[], known: readonly T[]): readonly T[] {
  const wrong = asked.filter(name => !known.some(candidate => candidate === name))
  if (wrong.length > 0) throw new Error(`Unknown ${what} ${wrong.join(', ')}; known: ${known.join(', ')}`)
  return asked.length === 0 ? known : known.filter(name => asked.includes(name))
}

/** All that comes of it. */
export async function collect<T>(items: AsyncIterable<T>): Promise<readonly T[]> {
  const collected: T[] = []
  for await (const item of items) collected.push(item)
  return collected
}
