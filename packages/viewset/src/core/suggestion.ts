/** `filterFields`, `filter_fields` and `FILTER_FIELDS` have the same flat name. */
export function flatName(name: string): string {
  return name.replaceAll('_', '').toLowerCase()
}

/**
 * `; did you mean "x"?` for the candidate nearest to `word`, or a list of all candidates if none is near.
 *
 * @example
 * suggestion('titel', ['title', 'body']) // '; did you mean "title"?'
 */
export function suggestion(word: string, candidates: Iterable<string>): string {
  const known = [...candidates]
  if (known.length === 0) return ''
  const meant = similar(word, known)
  return meant === undefined ? `; known: ${known.map(name => `"${name}"`).join(', ')}` : `; did you mean "${meant}"?`
}

/** The candidate that `word` probably stands for; `undefined` if none is near. */
export function similar(word: string, known: readonly string[]): string | undefined {
  const asked = flatName(word)
  const [best] = known
    .map(candidate => ({ candidate, distance: editDistance(asked, flatName(candidate)) }))
    .sort((a, b) => a.distance - b.distance)
  // `import-template` ends the intended name and `serializer_class` begins with it, though other names have a smaller
  // distance.
  const ending = known.find(name => asked.length >= 5 && flatName(name).endsWith(asked))
  const beginning = known.find(name => name.length >= 5 && asked.startsWith(flatName(name)))
  const part = ending ?? beginning
  if (best && best.distance > 2 && part) return part
  // With two letters changed, a word of three letters is another word: "ne" is not "lt".
  const most = asked.length <= 3 ? 1 : Math.max(2, Math.floor(asked.length / 3))
  return best && best.distance <= most ? best.candidate : undefined
}

/**
 * The candidate that a mistyped name most likely stands for; `undefined` if none is near. Names with parts, such as
 * `country__name`, are compared part by part, so that a short last part counts in a long name.
 *
 * @example
 * nearest('country__cod', ['country__code', 'country__name']) // 'country__code'
 */
export function nearest(word: string, candidates: Iterable<string>): string | undefined {
  const asked = word.toLowerCase()
  const [best] = [...candidates]
    .map(candidate => ({ candidate, distance: distanceByParts(asked, candidate.toLowerCase()) }))
    .filter(({ distance }) => distance !== undefined)
    // At equal distance the longer common beginning wins: first letters are seldom mistyped.
    .sort((a, b) => a.distance! - b.distance! || samePrefix(asked, b.candidate) - samePrefix(asked, a.candidate))
  return best?.candidate
}

function samePrefix(a: string, b: string): number {
  let length = 0
  while (length < a.length && a[length] === b[length]) length++
  return length
}

function distanceByParts(word: string, candidate: string): number | undefined {
  const [some, others] = [word.split('__'), candidate.split('__')]
  const pairs =
    some.length === others.length ? some.map((part, i) => [part, others[i]!] as const) : [[word, candidate] as const]
  let sum = 0
  for (const [a, b] of pairs) {
    const longest = Math.max(a.length, b.length)
    if (Math.abs(a.length - b.length) > Math.ceil(longest / 3)) return undefined
    const distance = editDistance(a, b)
    if (distance > 0 && (distance > Math.ceil(Math.min(a.length, b.length) / 3) || distance >= longest))
      return undefined
    // With two letters changed, a short word is another word: "plate" is not "page". Exchanged letters are a slip.
    if (distance > 1 && Math.min(a.length, b.length) <= 4 && !hasSameLetters(a, b)) return undefined
    sum += distance
  }
  return sum
}

function hasSameLetters(a: string, b: string): boolean {
  return [...a].toSorted().join('') === [...b].toSorted().join('')
}

/** The number of letters to add, remove or replace. */
export function editDistance(a: string, b: string): number {
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

/**
 * Whether a name is most likely `known` with a typing mistake. It has the same words, each with at most one slip, in
 * any spelling (`perform_create`, `getSerialiser`, `preformCreate`). `getObjects` is a different name than `getObject`.
 */
export function isMistyped(name: string, known: string): boolean {
  if (name === known) return false
  if (flatName(name) === flatName(known)) return true
  if (name.startsWith(known)) return false
  const [words, knownWords] = [wordsOf(name), wordsOf(known)]
  return words.length === knownWords.length && words.every((word, i) => isOneSlip(word, knownWords[i]!))
}

function wordsOf(name: string): readonly string[] {
  return name.split(/_|(?=[A-Z])/).map(word => word.toLowerCase())
}

/** Short words differ by meaning. */
function isOneSlip(word: string, known: string): boolean {
  if (word === known) return true
  if (known.length < 4 || word.startsWith(known)) return false
  if (known.length > 4 && editDistance(word, known) === 1) return true
  const at = [...known].findIndex((letter, i) => letter !== word[i])
  return known.slice(0, at) + known[at + 1] + known[at] + known.slice(at + 2) === word
}
