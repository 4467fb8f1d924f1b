/**
 * Returns `; did you mean "x"?` for the candidate nearest to `word`, or a list of all candidates when none is near.
 *
 * @example
 * suggestion('titel', ['title', 'body']) // '; did you mean "title"?'
 */
export function suggestion(word: string, candidates: Iterable<string>): string {
  const known = [...candidates]
  if (known.length === 0) return ''
  const [best] = known
    .map(candidate => ({ candidate, distance: editDistance(word.toLowerCase(), candidate.toLowerCase()) }))
    .sort((a, b) => a.distance - b.distance)
  if (best && best.distance <= Math.max(2, Math.floor(word.length / 3))) return `; did you mean "${best.candidate}"?`
  return `; known: ${known.map(name => `"${name}"`).join(', ')}`
}

/** Levenshtein distance with one row of memory. */
function editDistance(a: string, b: string): number {
  let row = Array.from({ length: b.length + 1 }, (_, i) => i)
  for (let i = 1; i <= a.length; i++) {
    const next = [i]
    for (let j = 1; j <= b.length; j++) {
      const substitution = row[j - 1]! + (a[i - 1] === b[j - 1] ? 0 : 1)
      next.push(Math.min(substitution, row[j]! + 1, next[j - 1]! + 1))
    }
    row = next
  }
  return row[b.length]!
}
