import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { DATABASES, DIALECTS } from '../case.ts'
import type { GrowthResult } from '../growth/measure.ts'
import type { ListResult } from '../lists/measure.ts'
import type { NeighbourResult } from '../neighbours/measure.ts'
import type { PeerResult } from '../peers/result.ts'
import type { StartResult } from '../start/measure.ts'
import type { CaseResult } from './report.ts'

const FILE = join(import.meta.dirname, '../results.json')

/** When and where a result was measured, if not with the others of its part. */
interface Kept {
  readonly measured?: string | undefined
}

/** What is recorded: the tables and figures of the pages, and what `bench:gate` and `bench:quick` compare with. */
export interface Results {
  /** When and where each part was measured. */
  readonly measured: Readonly<Partial<Record<Part, string>>>
  readonly cases: readonly (CaseResult & Kept)[]
  readonly quick: readonly (CaseResult & Kept)[]
  readonly peers: readonly (PeerResult & Kept)[]
  readonly growth: readonly (GrowthResult & Kept)[]
  readonly lists: readonly (ListResult & Kept)[]
  readonly start: readonly (StartResult & Kept)[]
  readonly neighbours: readonly (NeighbourResult & Kept)[]
}

/** What `bench:report` measures. */
export type Part = Exclude<keyof Results, 'measured'>
type Result = Results[Part][number]

export const PARTS = ['cases', 'quick', 'peers', 'growth', 'lists', 'start', 'neighbours'] as const satisfies Part[]

export function readResults(): Results {
  return JSON.parse(readFileSync(FILE, 'utf8')) as Results
}

interface Recording<P extends Part> {
  readonly fresh: readonly Results[P][number][]
  /** When and where. */
  readonly measured: string
  /** Whether an older result stays that was not measured again. By default, none does. */
  readonly keeps?: ((result: Results[P][number]) => boolean) | undefined
}

/** The results with a part that was measured again. An older result that stays says when it was measured. */
export function withResults<P extends Part>(before: Results, part: P, recording: Recording<P>): Results {
  const { fresh, measured, keeps = () => false } = recording
  const names = new Set(fresh.map(nameOf))
  const older: readonly Results[P][number][] = before[part]
  const kept = older.flatMap(result => {
    if (names.has(nameOf(result)) || !keeps(result)) return []
    const date = result.measured ?? before.measured[part]
    return { ...result, measured: date === measured ? undefined : date }
  })
  const results = [...fresh, ...kept].toSorted((a, b) => orderOf(a) - orderOf(b))
  return { ...before, measured: { ...before.measured, [part]: measured }, [part]: results }
}

/** What a part measures one by one. Two results with the same name are of the same thing. */
export function nameOf(result: Result): string {
  const database = 'dialect' in result ? DATABASES[result.dialect] : undefined
  const size = 'rows' in result ? `${result.rows.toLocaleString('en-US')} rows` : undefined
  const name = 'name' in result ? result.name : 'beside' in result ? result.beside : undefined
  return [database, name, size].filter(part => part !== undefined).join(', ')
}

/** By database, then by the rows of its table. */
function orderOf(result: Result): number {
  const rows = 'rows' in result ? result.rows : 0
  return 'dialect' in result ? DIALECTS.indexOf(result.dialect) * 1e12 + rows : 0
}

export function writeResults(results: Results): void {
  // More than four digits are noise.
  const rounded = (_key: string, value: unknown) => (typeof value === 'number' ? Number(value.toPrecision(4)) : value)
  writeFileSync(FILE, `${JSON.stringify(results, rounded, 2)}\n`)
}
