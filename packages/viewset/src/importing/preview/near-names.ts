/** Characters that are compared; what differs behind them is not looked at. */
const COMPARED = 40
/** Pairs of names that are compared letter by letter for one sheet: a thousand headers may be made to look alike. */
const MOST_PAIRS = 3_000

/** A name without what people write differently: case, accents and all that is no letter or digit. */
export interface BareName {
  readonly text: string
  readonly digits: string
}

export function bareName(name: string): BareName {
  const plain = name
    .slice(0, COMPARED * 2)
    .normalize('NFKD')
    .toLowerCase()
  const text = plain.replace(/[^\p{L}\p{N}]/gu, '').slice(0, COMPARED)
  return { text, digits: text.replace(/[^\p{N}]/gu, '') }
}

/** Compares names, so many of them as do not take long. */
export class NameComparison {
  #left = MOST_PAIRS

  /**
   * How many letters differ between two names; `undefined` for names that are not near. Short ones never are, and no
   * letter may be a digit: `iso2` and `iso3` are two things.
   */
  distance(a: BareName, b: BareName): number | undefined {
    if (a.text === b.text) return a.text === '' ? undefined : 0
    const limit = Math.min(3, Math.floor(Math.max(a.text.length, b.text.length) / 4))
    if (limit === 0 || Math.abs(a.text.length - b.text.length) > limit || a.digits !== b.digits) return undefined
    if (this.#left-- <= 0) return undefined
    const distance = editDistance(a.text, b.text, limit)
    return distance > limit ? undefined : distance
  }
}

/** Letters that are added, left out, wrong or swapped with the next; or some number above `limit`. */
function editDistance(a: string, b: string, limit: number): number {
  let before: number[] = []
  let row = Array.from({ length: b.length + 1 }, (_, at) => at)
  for (let i = 1; i <= a.length; i++) {
    const next: number[] = new Array(b.length + 1).fill(limit + 1)
    if (i <= limit) next[0] = i
    // Further away than the limit, more letters than that differ.
    for (let j = Math.max(1, i - limit); j <= Math.min(b.length, i + limit); j++) {
      const isSwapped = a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1]
      next[j] = Math.min(
        (row[j - 1] as number) + (a[i - 1] === b[j - 1] ? 0 : 1),
        (row[j] as number) + 1,
        (next[j - 1] as number) + 1,
        isSwapped ? (before[j - 2] as number) + 1 : limit + 1,
      )
    }
    before = row
    row = next
  }
  return row[b.length] as number
}
