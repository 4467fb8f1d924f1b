import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { DIALECTS, type DialectName } from '../case.ts'
import type { GrowthResult } from '../growth/measure.ts'
import type { NeighbourResult } from '../neighbours/measure.ts'
import type { PeerResult } from '../peers/result.ts'
import type { StartResult } from '../start/measure.ts'
import type { CaseResult } from './report.ts'

const FILE = join(import.meta.dirname, '../results.json')

/** What has been recorded, a part for each kind of measurement; README's tables and `bench:gate` are made of it. */
export interface Results {
  /** When and where each part was measured. */
  readonly measured: Readonly<Partial<Record<Part | 'lists', string>>>
  readonly cases: readonly CaseResult[]
  readonly peers: readonly PeerResult[]
  readonly growth: readonly GrowthResult[]
  readonly start: readonly StartResult[]
  readonly neighbours: readonly NeighbourResult[]
  /** Recorded by `bench:plans -- --record`. */
  readonly lists: readonly ListResult[]
}

/** What one request for a list costs in a table of so many rows: CPU ms. */
export interface ListResult {
  readonly dialect: DialectName
  readonly rows: number
  readonly name: string
  readonly medianMs: number
}

/** What `bench:report` measures. */
export type Part = Exclude<keyof Results, 'measured' | 'lists'>

export const PARTS = ['cases', 'peers', 'growth', 'start', 'neighbours'] as const satisfies readonly Part[]

export function readResults(): Results {
  return JSON.parse(readFileSync(FILE, 'utf8')) as Results
}

/** What is known of growth with a result more, in place of an older one for as many rows. */
export function withGrowth(known: Results['growth'], result: GrowthResult): Results['growth'] {
  const others = known.filter(({ dialect, rows }) => dialect !== result.dialect || rows !== result.rows)
  const order = ({ dialect, rows }: GrowthResult) => DIALECTS.indexOf(dialect) * 1e12 + rows
  return [...others, result].toSorted((a, b) => order(a) - order(b))
}

/** What is known of lists with a result more, in place of an older one of the same request. */
export function withList(known: Results['lists'], result: ListResult): Results['lists'] {
  const isOther = ({ dialect, rows, name }: ListResult) => {
    return dialect !== result.dialect || rows !== result.rows || name !== result.name
  }
  return [...known.filter(isOther), result]
}

export function writeResults(results: Results): void {
  // Four digits are more than any of them is good for.
  const rounded = (_key: string, value: unknown) => (typeof value === 'number' ? Number(value.toPrecision(4)) : value)
  writeFileSync(FILE, `${JSON.stringify(results, rounded, 2)}\n`)
}
