const LONGEST = 31

/**
 * Gives each sheet of a workbook a name that Excel accepts: 1 to 31 characters, none of `: \ / ? * [ ]`, no `'` at
 * either end, not "History", and no name twice, whatever its case.
 *
 * @example
 * const nameFor = sheetNames()
 * nameFor('Q1/Q2') // 'Q1 Q2'
 * nameFor('q1 q2') // 'q1 q2 (2)'
 */
export function sheetNames(): (wanted: string) => string {
  const taken = new Set<string>(['history'])
  return wanted => {
    const base = acceptable(wanted)
    let name = cut(base, LONGEST)
    for (let number = 2; taken.has(name.toLowerCase()); number++) {
      const suffix = ` (${number})`
      name = cut(base, LONGEST - suffix.length) + suffix
    }
    taken.add(name.toLowerCase())
    return name
  }
}

function acceptable(wanted: string): string {
  const name = wanted
    .slice(0, 100)
    .toWellFormed()
    .replace(/[:\\/?*[\]\p{Cc}\uFFFE\uFFFF]+/gu, ' ')
    .replace(/^[\s']+|[\s']+$/g, '')
  return name === '' ? 'Sheet' : name
}

/** The first `length` UTF-16 units, without the half of a surrogate pair, a blank or a `'` at the end. */
function cut(name: string, length: number): string {
  return name
    .slice(0, length)
    .replace(/[\uD800-\uDBFF]$/, '')
    .replace(/[\s']+$/, '')
}
