/** Characters that are compared; what differs behind them is not looked at. */
const COMPARED = 64

/** A name without what people write differently: case, accents and all that is no letter or digit. */
export function bareName(name: string): string {
  const plain = name
    .slice(0, COMPARED * 2)
    .normalize('NFKD')
    .toLowerCase()
  return plain.replace(/[^\p{L}\p{N}]/gu, '').slice(0, COMPARED)
}

/**
 * How many letters differ between two bare names; `undefined` for names that are not near. Short ones never are, and
 * no letter may be a digit: `iso2` and `iso3` are two things.
 */
export function nearness(a: string, b: string): number | undefined {
  const limit = Math.min(3, Math.floor(Math.max(a.length, b.length) / 4))
  if (limit === 0 || Math.abs(a.length - b.length) > limit) return undefined
  if (digitsOf(a) !== digitsOf(b)) return undefined
  const distance = editDistance(a, b, limit)
  return distance > limit ? undefined : distance
}

function digitsOf(name: string): string {
  return name.replace(/[^\p{N}]/gu, '')
}

/** Letters that are added, left out, wrong or swapped with the next; or some number above `limit`. */
function editDistance(a: string, b: string, limit: number): number {
  let before: number[] = []
  let row = Array.from({ length: b.length + 1 }, (_, at) => at)
  for (let i = 1; i <= a.length; i++) {
    const next = [i]
    for (let j = 1; j <= b.length; j++) {
      const isSame = a[i - 1] === b[j - 1]
      const isSwapped = a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1]
      const swap = isSwapped ? (before[j - 2] as number) + 1 : Number.POSITIVE_INFINITY
      next.push(
        Math.min((row[j - 1] as number) + (isSame ? 0 : 1), (row[j] as number) + 1, (next[j - 1] as number) + 1, swap),
      )
    }
    if (Math.min(...next) > limit + 1) return limit + 1
    before = row
    row = next
  }
  return row[b.length] as number
}
