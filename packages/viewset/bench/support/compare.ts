import type { CaseResult } from './report.ts'

export type Comparison = 'same' | 'slower' | 'faster' | 'new'

/** The quick benchmark allows noise: a case may fall to this share of its recorded ratio. */
const QUICK_SHARE = 0.7

/**
 * Compares with the spread of the recorded ratio. As long as the middle halves of the rounds overlap, the difference may
 * come from the machine.
 */
export function compare(recorded: CaseResult | undefined, measured: CaseResult): Comparison {
  if (!recorded) return 'new'
  if (measured.ratio.upperQuartile < recorded.ratio.lowerQuartile) return 'slower'
  return measured.ratio.lowerQuartile > recorded.ratio.upperQuartile ? 'faster' : 'same'
}

/** Compares the better rounds with the recorded median, since a busy machine makes some of a few rounds dearer. */
export function compareQuick(recorded: CaseResult | undefined, measured: CaseResult): Comparison {
  if (!recorded) return 'new'
  return measured.ratio.upperQuartile < QUICK_SHARE * recorded.ratio.median ? 'slower' : 'same'
}

/** The recorded result of the same case. */
export function recordedOf(results: readonly CaseResult[], { name, dialect }: CaseResult): CaseResult | undefined {
  return results.find(result => result.name === name && result.dialect === dialect)
}

/** A measured case, and how it compares with its recorded result. */
export interface Compared {
  readonly result: CaseResult
  readonly recorded: CaseResult | undefined
  readonly comparison: Comparison
  /** Whether it is measured once more, because the machine may have been busy. */
  readonly isRepeated: boolean
}

interface Comparing {
  readonly recorded: readonly CaseResult[]
  readonly compare: typeof compare
  /** Measures a case once more. */
  readonly again: (result: CaseResult) => AsyncIterable<CaseResult>
}

/** Compares cases with what is recorded. A slower one is measured a second time, and only that time counts. */
export async function* comparing(
  measured: AsyncIterable<CaseResult>,
  { recorded, compare: compareWith, again }: Comparing,
): AsyncGenerator<Compared> {
  const compared = (result: CaseResult) => {
    const known = recordedOf(recorded, result)
    return { result, recorded: known, comparison: compareWith(known, result) }
  }
  for await (const result of measured) {
    const first = compared(result)
    const isRepeated = first.comparison === 'slower'
    yield { ...first, isRepeated }
    if (!isRepeated) continue
    for await (const second of again(result)) yield { ...compared(second), isRepeated: false }
  }
}

/** Whether a case is slower than recorded, also when it was measured again. */
export function isSlower(all: readonly Compared[]): boolean {
  return all.some(({ comparison, isRepeated }) => comparison === 'slower' && !isRepeated)
}

/** What to do about slower and faster cases, in a sentence. `record` is the command that records them. */
export function advice(all: readonly Compared[], record: string): string | undefined {
  const those = (comparison: Comparison) => all.filter(one => !one.isRepeated && one.comparison === comparison)
  const names = (some: readonly Compared[]) =>
    some.map(({ result }) => `${result.name} on ${result.dialect}`).join(', ')
  const [slower, faster] = [those('slower'), those('faster')]
  const [first] = slower
  if (first) {
    const { name, dialect } = first.result
    return `Slower than recorded, twice: ${names(slower)}. See where the time goes:
  npm run bench -- ${name} --dialect ${dialect} --profile profiles
If the cost is intended, give the reason in a decision, and record the case again: ${record}`
  }
  return faster.length === 0 ? undefined : `Faster than recorded: ${names(faster)}. Record the gain: ${record}`
}
