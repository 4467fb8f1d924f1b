import { foldCase } from '../core/text.ts'

// SQLite's `lower` knows ASCII only, and so does an index over it. A text that differs from another one only in case can
// stand elsewhere in that index: in one of these ranges.

/** Texts as the index has them, from the first to the last. */
export type CaseRange = readonly [low: string, high: string]

/** The only letters outside of ASCII whose small letter is one of ASCII: `İ` and the Kelvin sign. */
const OTHER_CAPITALS: Readonly<Record<string, string>> = { i: '\u0130', k: '\u212a' }
/** Where the index can have another letter than the folded text. */
const UNSURE = /[ik]|[^\0-\x7f]/
/** A letter behind this many is not looked at alone: one range covers it and all that follows. */
const LOOKED_AT = 64
const LAST = '\u{10ffff}'

/**
 * The ranges in which all texts are that differ from one only in case, among others. None touches another. The last one
 * has the text itself; it has nothing else, unless there are letters outside of ASCII.
 *
 * @example
 * caseRanges('Tim') // [['tİm', 'tİm'], ['tim', 'tim']]
 */
export function caseRanges(text: string): readonly CaseRange[] {
  const folded = foldCase(text)
  const ranges: CaseRange[] = []
  let at = folded.search(UNSURE)
  while (at !== -1) {
    const before = folded.slice(0, at)
    const other = OTHER_CAPITALS[folded.charAt(at)]
    if (other === undefined || at > LOOKED_AT) {
      ranges.push([before, before + LAST])
      return ranges
    }
    const length = folded.slice(at + 1).search(UNSURE)
    const start = before + other + folded.slice(at + 1, length === -1 ? undefined : at + 1 + length)
    ranges.push([start, length === -1 ? start : start + LAST])
    at = length === -1 ? -1 : at + 1 + length
  }
  ranges.push([folded, folded])
  return ranges
}

/** The same without the text itself. */
export function otherCaseRanges(text: string): readonly CaseRange[] {
  const folded = foldCase(text)
  return caseRanges(text).filter(([low, high]) => low !== folded || high !== folded)
}

/** Some ranges as ranges that do not touch each other, so that no text is looked at twice. */
export function apart(ranges: readonly CaseRange[]): readonly CaseRange[] {
  const result: CaseRange[] = []
  for (const [low, high] of ranges.toSorted(([a], [b]) => (a < b ? -1 : 1))) {
    const last = result.at(-1)
    if (!last || last[1] < low) result.push([low, high])
    else if (last[1] < high) result[result.length - 1] = [last[0], high]
  }
  return result
}
