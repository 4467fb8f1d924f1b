import type { Measurement, Sample } from './measure.ts'

const WIDTHS = [8, 20, 12, 12, 24, 16, 16]

/** The head of the table that {@link reportLine} continues. */
export function reportHead(): string {
  return `${line(['', '', 'floor', 'viewset', 'viewset / floor', 'PostgreSQL ms', 'memory +MB'])}
${line(['database', 'case', 'req/CPU s', 'req/CPU s', 'median (lowest, highest)', 'floor, viewset', 'floor, viewset'])}`
}

export function reportLine({ benchCase, dialect, rounds, growth }: Measurement): string {
  const ratios = rounds.map(({ floor, viewset }) => floor.server / viewset.server)
  const perSecond = (samples: readonly Sample[]) => rate(1e6 / median(samples.map(({ server }) => server)))
  const megabytes = (bytes: number) => (bytes / 1e6).toFixed(0)
  const floor = rounds.map(round => round.floor)
  const viewset = rounds.map(round => round.viewset)
  return line([
    dialect,
    benchCase.name,
    perSecond(floor),
    perSecond(viewset),
    `${median(ratios).toFixed(2)} (${Math.min(...ratios).toFixed(2)}, ${Math.max(...ratios).toFixed(2)})`,
    dialect === 'pg' ? `${databaseTime(floor)}, ${databaseTime(viewset)}` : '',
    `${megabytes(growth.floor)}, ${megabytes(growth.viewset)}`,
  ])
}

export function rate(perSecond: number): string {
  return perSecond < 100 ? perSecond.toPrecision(3) : perSecond.toFixed(0)
}

function databaseTime(samples: readonly Sample[]): string {
  const times = samples.flatMap(({ database }) => database ?? [])
  return times.length === 0 ? '?' : (median(times) / 1_000).toFixed(2)
}

export function median(values: readonly number[]): number {
  const sorted = values.toSorted((a, b) => a - b)
  const middle = sorted.length / 2
  const [low, high] = [sorted[Math.ceil(middle) - 1], sorted[Math.floor(middle)]]
  return ((low ?? Number.NaN) + (high ?? Number.NaN)) / 2
}

function line(cells: readonly string[]): string {
  return cells
    .map((cell, index) => (index < 2 ? cell.padEnd(WIDTHS[index]!) : cell.padStart(WIDTHS[index]!)))
    .join('  ')
}
