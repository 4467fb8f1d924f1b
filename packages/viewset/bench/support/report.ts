import type { Side } from '../case.ts'
import type { Measurement, Round, Sample } from './measure.ts'
import type { TimeParts } from './profile-parts.ts'
import { median, type Spread, spreadOf } from './statistics.ts'

/** What is kept of a measurement: its row of the table, and what `bench:gate` compares with. */
export interface CaseResult {
  readonly name: string
  readonly dialect: 'sqlite' | 'pg'
  /** Viewset's requests per CPU second over the floor's. */
  readonly ratio: Spread
  readonly rounds: number
  readonly target: number | null
  /** CPU of one request in ms: the servers', and PostgreSQL's for them. */
  readonly floorMs: number
  readonly viewsetMs: number
  readonly floorDatabaseMs: number | null
  readonly viewsetDatabaseMs: number | null
  /** The most memory of each process, MB. */
  readonly floorPeak: number
  readonly viewsetPeak: number
  /** Where the time of a case goes that misses its target. */
  readonly parts?: Readonly<Record<Side, TimeParts>>
}

export function resultOf({ name, dialect, target, rounds, peak }: Measurement): CaseResult {
  const cost = (side: 'floor' | 'viewset') => median(rounds.map(round => round[side].server)) / 1_000
  return {
    name,
    dialect,
    ratio: spreadOf(ratiosOf(rounds)),
    rounds: rounds.length,
    target: target ?? null,
    floorMs: cost('floor'),
    viewsetMs: cost('viewset'),
    floorDatabaseMs: databaseTime(rounds.map(round => round.floor)),
    viewsetDatabaseMs: databaseTime(rounds.map(round => round.viewset)),
    floorPeak: peak.floor / 1e6,
    viewsetPeak: peak.viewset / 1e6,
  }
}

function ratiosOf(rounds: readonly Round[]): readonly number[] {
  return rounds.map(({ floor, viewset }) => floor.server / viewset.server)
}

function databaseTime(samples: readonly Sample[]): number | null {
  const times = samples.flatMap(({ database }) => database ?? [])
  return times.length === 0 ? null : median(times) / 1_000
}

const HEAD = [
  ['', '', 'floor', 'viewset', 'viewset / floor: median', '', 'PostgreSQL ms', 'peak MB'],
  ['database', 'case', 'req/CPU s', 'req/CPU s', '(quartiles; extremes)', 'target', 'floor, viewset', 'floor, viewset'],
]
const WIDTHS = [8, 20, 10, 10, 34, 10, 16, 14]

/** The head of the table that {@link reportLine} continues. */
export function reportHead(): string {
  return HEAD.map(line).join('\n')
}

export function reportLine(result: CaseResult): string {
  const { name, dialect, floorMs, viewsetMs, floorDatabaseMs, viewsetDatabaseMs, floorPeak, viewsetPeak } = result
  return line([
    dialect,
    name,
    rate(1_000 / floorMs),
    rate(1_000 / viewsetMs),
    shownRatio(result.ratio),
    verdict(result),
    floorDatabaseMs === null ? '' : `${floorDatabaseMs.toFixed(2)}, ${viewsetDatabaseMs?.toFixed(2)}`,
    `${floorPeak.toFixed(0)}, ${viewsetPeak.toFixed(0)}`,
  ])
}

/** `0.91 (0.88 to 0.93; 0.80 to 1.02)`. */
function shownRatio({ median, lowerQuartile, upperQuartile, lowest, highest }: Spread): string {
  const [middle, low, high, least, most] = [median, lowerQuartile, upperQuartile, lowest, highest].map(n =>
    n.toFixed(2),
  )
  return `${middle} (${low} to ${high}; ${least} to ${most})`
}

/** Whether a case does what is wanted of it. */
export function verdict({ ratio, target }: Pick<CaseResult, 'ratio' | 'target'>): string {
  if (target === null) return ''
  return `${target} ${isMissed({ ratio, target }) ? 'missed' : 'met'}`
}

export function isMissed({ ratio, target }: Pick<CaseResult, 'ratio' | 'target'>): boolean {
  return target !== null && ratio.median < target
}

export function rate(perSecond: number): string {
  return perSecond < 100 ? perSecond.toPrecision(3) : perSecond.toFixed(0)
}

function line(cells: readonly string[]): string {
  const padded = cells.map((cell, n) => (n < 2 ? cell.padEnd(WIDTHS[n] ?? 0) : cell.padStart(WIDTHS[n] ?? 0)))
  return padded.join('  ').trimEnd()
}
