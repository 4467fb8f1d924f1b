import fc from 'fast-check'
import { inject } from 'vitest'

declare module 'vitest' {
  interface ProvidedContext {
    /** True in `npm run test:long`: every case of a property test runs, and every suite runs on both databases. */
    thorough: boolean
    /** What random tests draw from: the same cases with each seed, whichever tests run beside them. */
    seed: number
  }
}

/** `npm test` runs this share of the cases of a property test. */
const SHARE = 1 / 5

/** How many times as many cases a property test runs: `VIEWSET_CASES=100 npx vitest run row-after-row`. */
const FACTOR = Number(process.env.VIEWSET_CASES ?? 1)

/**
 * Number of cases that a property test runs: all of them in `npm run test:long`, a fifth of them in `npm test`.
 *
 * @example
 * await fc.assert(property, { numRuns: cases(200) })
 */
export function cases(all: number): number {
  return Math.ceil(all * FACTOR * (inject('thorough') ? 1 : SHARE))
}

/** A property test that names no number runs fast-check's usual 100 cases, or a fifth of them. */
export function configureCases(): void {
  fc.configureGlobal({ numRuns: cases(100), seed: inject('seed') })
}
