import type { CaseResult } from './report.ts'

export type Comparison = 'same' | 'slower' | 'faster' | 'new'

/**
 * Whether a ratio has left the spread of the recorded one. The middle halves of the rounds are what is compared: as long
 * as they overlap, the difference may be the machine's.
 */
export function compare(recorded: CaseResult | undefined, measured: CaseResult): Comparison {
  if (!recorded) return 'new'
  if (measured.ratio.upperQuartile < recorded.ratio.lowerQuartile) return 'slower'
  return measured.ratio.lowerQuartile > recorded.ratio.upperQuartile ? 'faster' : 'same'
}

/** The recorded result of the same case. */
export function recordedOf(results: readonly CaseResult[], { name, dialect }: CaseResult): CaseResult | undefined {
  return results.find(result => result.name === name && result.dialect === dialect)
}

/** What to do about it, in a sentence; nothing where nothing is to be done. */
export function advice(slower: readonly CaseResult[], faster: readonly CaseResult[]): string | undefined {
  const names = (results: readonly CaseResult[]) =>
    results.map(({ name, dialect }) => `${name} on ${dialect}`).join(', ')
  if (slower.length > 0) {
    const [first] = slower
    return `Slower than recorded, twice: ${names(slower)}. Look where the time goes with
  npm run bench -- ${first?.name} --dialect ${first?.dialect} --profile profiles
and mend it; or, where the cost is wanted, say why in a decision and record anew: npm run bench:report -- cases`
  }
  if (faster.length === 0) return undefined
  return `Faster than recorded: ${names(faster)}. Record it, so that it stays so: npm run bench:report -- cases`
}
