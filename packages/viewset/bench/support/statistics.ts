/** Rounds that are compared with as many before them to say whether a figure still moves. */
const WINDOW = 4
/** Share by which it may. */
const TOLERANCE = 0.03

/**
 * Whether costs no longer fall: the median of the last four rounds is about that of the four before. Medians, since one
 * slow round on a busy machine says nothing.
 */
export function hasSettled(costs: readonly number[]): boolean {
  if (costs.length < 2 * WINDOW) return false
  const last = median(costs.slice(-WINDOW))
  const before = median(costs.slice(-2 * WINDOW, -WINDOW))
  return last > before * (1 - TOLERANCE)
}

export interface Spread {
  readonly lowest: number
  readonly lowerQuartile: number
  readonly median: number
  readonly upperQuartile: number
  readonly highest: number
}

/** How values lie; of none, all is NaN. */
export function spreadOf(values: readonly number[]): Spread {
  return {
    lowest: quantile(values, 0),
    lowerQuartile: quantile(values, 0.25),
    median: quantile(values, 0.5),
    upperQuartile: quantile(values, 0.75),
    highest: quantile(values, 1),
  }
}

export function median(values: readonly number[]): number {
  return quantile(values, 0.5)
}

/** The value below which a share of them lie, between two neighbours in proportion. */
export function quantile(values: readonly number[], share: number): number {
  const sorted = values.toSorted((a, b) => a - b)
  const at = (sorted.length - 1) * share
  const low = sorted[Math.floor(at)] ?? Number.NaN
  const high = sorted[Math.ceil(at)] ?? Number.NaN
  return low + (high - low) * (at - Math.floor(at))
}
