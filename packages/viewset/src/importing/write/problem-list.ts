import type { ImportRowError, ImportRowProblem } from '../result.ts'
import { shownProblem } from '../row-problems.ts'

const LISTED = 1_000

/** The errors or the warnings so far. A list never changes, since a transaction may start again. */
export class ProblemList {
  static readonly EMPTY = new ProblemList([], false)

  /** The first ones, as a report shows them. */
  readonly listed: readonly ImportRowError[]
  readonly isTruncated: boolean

  private constructor(listed: readonly ImportRowError[], isTruncated: boolean) {
    this.listed = listed
    this.isTruncated = isTruncated
  }

  with(problems: readonly ImportRowProblem[]): ProblemList {
    if (problems.length === 0) return this
    const room = LISTED - this.listed.length
    const listed = [...this.listed, ...problems.slice(0, room).map(shownProblem)]
    return new ProblemList(listed, this.isTruncated || problems.length > room)
  }
}
